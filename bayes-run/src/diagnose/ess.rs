//! Effective sample size of chains: the number of independent draws with the same information.

use super::autocovariance::Autocovariance;
pub use super::ess_profile::{EssAt, EssProfile};
use super::rank::{map, normal_scores, quantiles, split};
use super::rhat::{mean, variance};

/// ESS for the mean, chains split in halves; NaN for fewer than 4 draws in a chain.
#[must_use]
pub fn of_mean(chains: &[Vec<f64>]) -> f64 {
    if long_enough(chains) {
        plain(&split(chains))
    } else {
        f64::NAN
    }
}

/// Bulk ESS: the ESS of the rank-normalised values (Vehtari et al. 2021).
#[must_use]
pub fn bulk(chains: &[Vec<f64>]) -> f64 {
    if long_enough(chains) {
        plain(&normal_scores(&split(chains)))
    } else {
        f64::NAN
    }
}

/// Tail ESS: the smaller ESS of the 5% and 95% quantiles (Vehtari et al. 2021).
#[must_use]
pub fn tail(chains: &[Vec<f64>]) -> f64 {
    let sizes = tail_indicators(chains).map(|indicator| of_mean(&indicator));
    lesser(sizes[0], sizes[1])
}

/// ESS of a quantile: the ESS of the share of draws up to the quantile (Vehtari et al. 2021, section 4.3). NaN if this share is 1, or for
/// fewer than 4 draws in a chain.
#[must_use]
pub fn of_quantile(chains: &[Vec<f64>], probability: f64) -> f64 {
    let [cut] = quantiles(&chains.concat(), [probability]);
    of_mean(&within(chains, [f64::NEG_INFINITY, cut]))
}

/// Local ESS: the ESS of the share of draws between two quantiles, with these probabilities (Vehtari et al. 2021, section 4.4). NaN if
/// this share is 1, or for fewer than 4 draws in a chain.
#[must_use]
pub fn of_interval(chains: &[Vec<f64>], probabilities: [f64; 2]) -> f64 {
    of_mean(&within(chains, quantiles(&chains.concat(), probabilities)))
}

/// Bulk and tail ESS of the first draws of chains, for `points` equally spaced numbers of draws. Numbers below 4 draws in a chain are left
/// out. While chains mix, both sizes grow with the number of draws; where they level off or fall, chains are stuck.
#[must_use]
pub fn evolution(chains: &[Vec<f64>], points: usize) -> Vec<EssAt> {
    let shortest = chains.iter().map(Vec::len).min().unwrap_or(0);
    let at = |point: usize| {
        let draws = point * shortest / points;
        let first: Vec<Vec<f64>> = chains.iter().map(|chain| chain[..draws].to_vec()).collect();
        EssAt {
            draws: draws * chains.len(),
            bulk: bulk(&first),
            tail: tail(&first),
        }
    };
    let long_enough = (1..=points).filter(|point| point * shortest / points >= 4);
    long_enough.map(at).collect()
}

/// Integrated autocorrelation time `τ = draws / ESS`, at the mean.
#[must_use]
pub fn autocorrelation_time(chains: &[Vec<f64>]) -> f64 {
    let draws: usize = chains.iter().map(Vec::len).sum();
    draws as f64 / of_mean(chains)
}

/// ESS of unsplit chains of equal length, by Geyer's (1992) initial monotone sequence.
///
/// ```text
/// ρ_t = 1 − (W − mean over chains of the autocovariance at t) / var⁺,   var⁺ = (n−1)/n W + B/n
/// P_k = ρ_2k + ρ_2k+1,  kept while positive, then made non-increasing
/// τ = −1 + 2 Σ P_k,     ESS = draws / τ              Vehtari et al. 2021, eq. 10-13
/// ```
///
/// A chain whose autocorrelations alternate can have an ESS above its number of draws S; the ESS is limited to S log₁₀ S. NaN for fewer
/// than 2 draws in a chain, values that are not finite and constant values.
#[must_use]
pub fn plain(chains: &[Vec<f64>]) -> f64 {
    let n = chains.iter().map(Vec::len).min().unwrap_or(0);
    if n < 2 {
        return f64::NAN;
    }
    let draws = (n * chains.len()) as f64;
    let rho = autocorrelations(chains, n);
    if !rho[0].is_finite() || !rho[1].is_finite() {
        return f64::NAN;
    }
    draws / geyer_sum(&rho).max(1.0 / draws.log10())
}

/// Values below the 5% quantile, and values below the 95% quantile, as 0 and 1.
pub(crate) fn tail_indicators(chains: &[Vec<f64>]) -> [Vec<Vec<f64>>; 2] {
    quantiles(&chains.concat(), [0.05, 0.95]).map(|cut| within(chains, [f64::NEG_INFINITY, cut]))
}

/// 1 for values in the closed interval, 0 for others; NaN stays.
pub(crate) fn within(chains: &[Vec<f64>], [low, high]: [f64; 2]) -> Vec<Vec<f64>> {
    map(chains, |value| match value {
        value if value.is_nan() => f64::NAN,
        value => f64::from(low <= value && value <= high),
    })
}

/// The smaller of two sizes, ignoring NaN (an indicator that never changes has no ESS). NaN if both are NaN.
pub(crate) fn lesser(a: f64, b: f64) -> f64 {
    a.min(b)
}

fn long_enough(chains: &[Vec<f64>]) -> bool {
    !chains.is_empty() && chains.iter().all(|chain| chain.len() >= 4)
}

/// Autocorrelations at lags 0 to n − 1; `var⁺` includes the differences between chains.
fn autocorrelations(chains: &[Vec<f64>], n: usize) -> Vec<f64> {
    let size = n as f64;
    let autocovariance = Autocovariance::new(n);
    let mut covariances = vec![0.0; n];
    for chain in chains {
        for (sum, covariance) in covariances.iter_mut().zip(autocovariance.of(&chain[..n])) {
            *sum += covariance / chains.len() as f64;
        }
    }
    let within = covariances[0] * size / (size - 1.0);
    let mut pooled = covariances[0];
    if chains.len() > 1 {
        pooled += variance(
            &chains
                .iter()
                .map(|chain| mean(&chain[..n]))
                .collect::<Vec<_>>(),
        );
    }
    let mut rho: Vec<f64> = covariances
        .iter()
        .map(|c| 1.0 - (within - c) / pooled)
        .collect();
    rho[0] = if pooled > 0.0 { 1.0 } else { f64::NAN };
    rho
}

/// The integrated autocorrelation time from the autocorrelations.
///
/// As in Stan and `posterior`, the even member of the pair that ends the sum is kept if positive,
/// which lowers the error for antithetic chains. The last lags are averages of too few products and are not used.
fn geyer_sum(rho: &[f64]) -> f64 {
    let mut tau = -1.0;
    let mut pair = rho[0] + rho[1];
    let mut lag = 2;
    while pair > 0.0 {
        if lag + 2 >= rho.len() {
            return tau + if lag > 2 { rho[lag - 2] } else { 2.0 * pair };
        }
        tau += 2.0 * pair;
        let next = rho[lag] + rho[lag + 1];
        if next < 0.0 {
            return tau + rho[lag].max(0.0);
        }
        pair = pair.min(next);
        lag += 2;
    }
    tau
}
