//! Effective sample size of chains: the number of independent draws with the same information.

pub use super::ess_profile::{EssAt, EssProfile};
use super::rank::{map, normal_scores, quantiles, split};
pub use crate::autocorrelation::ess as plain;

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
