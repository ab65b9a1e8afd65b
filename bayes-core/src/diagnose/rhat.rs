//! R-hat: do chains or islands agree on one distribution?

use super::rank::{folded, normal_scores, split};

/// Potential scale reduction of chains of equal length, `[chains][draws]`.
///
/// ```text
/// W = mean of the variances within chains,  B/n = variance of the chains' means
/// R̂ = √( ((n−1)/n · W + B/n) / W )          Gelman & Rubin 1992; Vehtari et al. 2021, eq. 1-4
/// ```
///
/// NaN for fewer than two chains or draws, for values that are not finite and for constant ones.
#[must_use]
pub fn plain(chains: &[Vec<f64>]) -> f64 {
    let draws = chains.iter().map(Vec::len).min().unwrap_or(0);
    if chains.len() < 2 || draws < 2 {
        return f64::NAN;
    }
    let n = draws as f64;
    let means: Vec<f64> = chains.iter().map(|chain| mean(chain)).collect();
    let within = mean(
        &chains
            .iter()
            .map(|chain| variance(chain))
            .collect::<Vec<_>>(),
    );
    (((n - 1.0) / n * within + variance(&means)) / within).sqrt()
}

/// Rank-normalised split R-hat: the larger of bulk and folded (Vehtari et al. 2021).
///
/// Each chain is split in two halves, so that R-hat detects a single drifting chain.
/// NaN for fewer than 4 draws in a chain.
#[must_use]
pub fn chains(chains: &[Vec<f64>]) -> f64 {
    if chains.iter().any(|chain| chain.len() < 4) {
        return f64::NAN;
    }
    bulk_and_folded(&split(chains))
}

/// Rank-normalised R-hat across islands of exchangeable particles.
///
/// The particles of an island have no order in time, so a split cannot detect drift; and
/// neighbours share ancestors after resampling, so halves would differ without anything being
/// wrong. Islands have equal weight here: all have the same target, and the question is
/// whether they found it, whatever their evidence. NaN for a single island.
#[must_use]
pub fn islands(islands: &[Vec<f64>]) -> f64 {
    bulk_and_folded(islands)
}

fn bulk_and_folded(chains: &[Vec<f64>]) -> f64 {
    let bulk = plain(&normal_scores(chains));
    let tail = plain(&normal_scores(&folded(chains)));
    bulk.max(tail)
}

/// An upper limit of R-hat by chance alone if all `chains` hold `draws` from one distribution, each draw
/// worth `1 / autocorrelation_time` of an independent one.
///
/// Under that hypothesis `B/W` is about `τ·F(C−1, C(n−1))`, and
/// `R̂² = (n − 1 + B/W) / n`. `normal_score` sets the false-positive rate. The F quantile is
/// approximated by that of chi-squared over its degrees, by Wilson & Hilferty (1931): the denominator's many
/// degrees hardly matter.
pub(crate) fn noise_limit(
    chains: usize,
    draws: usize,
    autocorrelation_time: f64,
    normal_score: f64,
) -> f64 {
    let degrees = chains.saturating_sub(1).max(1) as f64;
    let spread = 2.0 / (9.0 * degrees);
    let ratio = (1.0 - spread + normal_score * spread.sqrt()).powi(3);
    let n = draws.max(1) as f64;
    ((n - 1.0 + autocorrelation_time * ratio) / n).sqrt()
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The variance with divisor n − 1.
pub(crate) fn variance(values: &[f64]) -> f64 {
    let centre = mean(values);
    let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    squares / (values.len() as f64 - 1.0)
}
