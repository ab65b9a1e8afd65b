//! R-hat: do chains or islands agree on one distribution?

use super::rank::{folded, normal_scores, split};
use super::student::fisher_quantile;
pub(crate) use crate::numeric::{mean, variance};
use bayes_autodiff::special::{norm_cdf, norm_quantile};
use std::collections::BTreeMap;

/// False-positive rate of the warning that chains or islands disagree.
const FALSE_ALARMS: f64 = 0.01;

/// Potential scale reduction of chains of equal length, `[chains][draws]`.
///
/// ```text
/// W = mean of the variances within chains,  B/n = variance of the chains' means
/// R̂ = √( ((n−1)/n · W + B/n) / W )          Gelman & Rubin 1992; Vehtari et al. 2021, eq. 1-4
/// ```
///
/// NaN for fewer than two chains or draws, for values that are not finite and for constant values.
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
/// The particles of an island have no order in time, so a split cannot detect drift. Neighbours share ancestors after resampling, so
/// halves would differ without any problem. Islands have equal weight here: all have the same target, and the question is whether
/// they found it, whatever their evidence. NaN for a single island.
#[must_use]
pub fn islands(islands: &[Vec<f64>]) -> f64 {
    bulk_and_folded(islands)
}

fn bulk_and_folded(chains: &[Vec<f64>]) -> f64 {
    let bulk = plain(&normal_scores(chains));
    let tail = plain(&normal_scores(&folded(chains)));
    bulk.max(tail)
}

/// Nested R-hat of superchains: chains that start together (Margossian et al. 2024, eq. 4-8).
///
/// Chain `c` belongs to superchain `superchains[c]`, and the chains of a superchain start from the same point. Chains may be as short
/// as one draw: agreement of superchains from different points shows that they have forgotten where they started.
///
/// ```text
/// B = variance of the superchains' means
/// W = mean over superchains of (variance of their chains' means + mean variance within their chains)
/// R̂ = √(1 + B / W)
/// ```
///
/// A single chain has no variance between chains and a single draw none within; both then count as 0, as in the paper. In equilibrium
/// R̂² is about 1 + 1/M for M chains of one draw in each superchain.
///
/// NaN for fewer than two superchains, for a superchain of a single draw, for values that are not finite and for constant values.
///
/// # Panics
/// If the lengths of `superchains` and `chains` differ.
#[must_use]
pub fn nested(chains: &[Vec<f64>], superchains: &[usize]) -> f64 {
    Nested::of(chains, superchains).r_hat()
}

/// Rank-normalised nested R-hat: the larger of bulk and folded, like [`chains`] for plain R-hat. See [`nested`].
///
/// Chains are not split in halves: a drift that chains share shows between superchains that start from different points.
///
/// # Panics
/// If the lengths of `superchains` and `chains` differ.
#[must_use]
pub fn superchains(chains: &[Vec<f64>], superchains: &[usize]) -> f64 {
    let [r_hat, _] = superchains_and_limit(chains, superchains, 0.0);
    r_hat
}

/// [`superchains`], and its upper limit by chance alone if all chains have converged; `normal_score` sets the false-positive rate.
/// For converged chains, superchains are random sets of M chains. Then `M·B` over the variance of chains' means within superchains is
/// F with K − 1 and K(M − 1) degrees (analysis of variance). NaN where superchains have a single chain.
pub(crate) fn superchains_and_limit(
    chains: &[Vec<f64>],
    superchains: &[usize],
    normal_score: f64,
) -> [f64; 2] {
    let bulk = Nested::of(&normal_scores(chains), superchains);
    let tail = Nested::of(&normal_scores(&folded(chains)), superchains);
    let limit = |part: &Nested| part.noise_limit(normal_score);
    [
        bulk.r_hat().max(tail.r_hat()),
        limit(&bulk).max(limit(&tail)),
    ]
}

/// The variances of nested R-hat.
struct Nested {
    superchains: usize,
    chains: usize,
    /// Variance of the superchains' means, B.
    between_superchains: f64,
    /// Mean over superchains of the variance of their chains' means.
    between_chains: f64,
    /// Mean over superchains of the mean variance within their chains.
    within_chains: f64,
}

impl Nested {
    fn of(chains: &[Vec<f64>], superchains: &[usize]) -> Self {
        assert_eq!(
            chains.len(),
            superchains.len(),
            "every chain has a superchain"
        );
        let mut members: BTreeMap<usize, Vec<&[f64]>> = BTreeMap::new();
        for (chain, superchain) in chains.iter().zip(superchains) {
            members.entry(*superchain).or_default().push(chain);
        }
        let spread = |values: &[f64]| match values.len() {
            1 => 0.0,
            _ => variance(values),
        };
        let parts = members.values().map(|chains| {
            let means: Vec<f64> = chains.iter().map(|chain| mean(chain)).collect();
            let within: Vec<f64> = chains.iter().map(|chain| spread(chain)).collect();
            let is_known = chains.iter().map(|chain| chain.len()).sum::<usize>() > 1;
            let between = if is_known { spread(&means) } else { f64::NAN };
            (mean(&means), (between, mean(&within)))
        });
        let (means, (between, within)): (Vec<f64>, (Vec<f64>, Vec<f64>)) = parts.unzip();
        Self {
            superchains: means.len(),
            chains: chains.len(),
            between_superchains: variance(&means),
            between_chains: mean(&between),
            within_chains: mean(&within),
        }
    }

    fn within(&self) -> f64 {
        self.between_chains + self.within_chains
    }

    fn r_hat(&self) -> f64 {
        (1.0 + self.between_superchains / self.within()).sqrt()
    }

    fn noise_limit(&self, normal_score: f64) -> f64 {
        let degrees = [
            self.superchains.saturating_sub(1),
            self.chains - self.superchains,
        ];
        let size = self.chains as f64 / self.superchains as f64;
        let [numerator, denominator] = degrees.map(|d| d as f64);
        let ratio = fisher_quantile(norm_cdf(-normal_score), numerator, denominator);
        (1.0 + ratio * self.between_chains / (size * self.within())).sqrt()
    }
}

/// An upper limit of R-hat by chance alone if all `chains` hold `draws` from one distribution, each draw
/// worth `1 / autocorrelation_time` of an independent one.
///
/// Under that hypothesis `B/W` is about `τ·F(C−1, C(n−1))`, and `R̂² = (n − 1 + B/W) / n`. `normal_score` sets the false-positive
/// rate. The F quantile is approximated by the quantile of chi-squared over its degrees, by Wilson & Hilferty (1931): the
/// denominator's many degrees hardly matter.
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

/// The largest R-hat that is written as a number: beyond it, the chains have nothing in common, whatever the size.
pub(crate) const LARGEST: f64 = 1000.0;

/// R-hat with `decimals` decimals, or `None` if it is above 1000.
pub(crate) fn written(r_hat: f64, decimals: usize) -> Option<String> {
    (r_hat.is_nan() || r_hat <= LARGEST).then(|| format!("{r_hat:.decimals$}"))
}

/// The normal score that the largest of all R-hats (bulk and folded, of each element) exceeds in 1% of runs.
pub(crate) fn rarity(elements: usize) -> f64 {
    norm_quantile(1.0 - FALSE_ALARMS / (2 * elements.max(1)) as f64)
}
