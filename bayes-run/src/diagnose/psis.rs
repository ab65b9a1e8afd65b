//! Pareto smoothed importance sampling.

use super::pareto;
use crate::numeric::log_sum_exp;

/// A tail with fewer ratios cannot be fitted.
const SMALLEST_TAIL: usize = 5;

/// Smoothed importance weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Psis {
    /// Log weights, `[draws]`; their exponentials sum to 1.
    pub log_weights: Vec<f64>,
    /// k-hat, the shape of the generalised Pareto distribution of the largest ratios. The ratios have about 1/k finite
    /// moments: estimates are reliable below [`Psis::good_k`]. Infinite if fewer than five ratios are in the tail.
    pub pareto_k: f64,
}

impl Psis {
    /// The largest k-hat for which this many draws are enough, `min(1 − 1/log₁₀ S, 0.7)` (Vehtari et al. 2024, section 3.2.4).
    #[must_use]
    pub fn good_k(draws: usize) -> f64 {
        (1.0 - 1.0 / (draws as f64).log10()).min(0.7)
    }
}

/// Smooths importance ratios: the largest `min(S/5, 3√(S/r))` of S ratios are replaced by the expected order statistics of a
/// generalised Pareto distribution, and cut off at the largest ratio (Vehtari, Simpson, Gelman, Yao and Gabry 2024, algorithm 1).
///
/// `log_ratios` are known up to a constant, `[draws]`. `relative_efficiency` r is the effective over the actual number of draws.
/// Ratios of zero (minus infinity) have weight zero and do not count as draws.
#[must_use]
pub fn psis(log_ratios: &[f64], relative_efficiency: f64) -> Psis {
    let mut log_weights = log_ratios.to_vec();
    let largest = log_ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    log_weights.iter_mut().for_each(|x| *x -= largest);
    let counts = log_ratios.iter().zip(&log_weights);
    let counts = counts.filter(|(ratio, _)| **ratio > f64::NEG_INFINITY);
    let mut values: Vec<f64> = counts.map(|(_, weight)| *weight).collect();
    let count = values.len() as f64;
    let tail = (count / 5.0)
        .min(3.0 * (count / relative_efficiency).sqrt())
        .ceil();
    let pareto_k = match values.len().checked_sub(tail as usize + 1) {
        Some(cut) if tail >= 1.0 => {
            let (_, threshold, _) = values.select_nth_unstable_by(cut, f64::total_cmp);
            smooth(&mut log_weights, *threshold)
        }
        _ => f64::INFINITY,
    };
    let total = log_sum_exp(&log_weights);
    log_weights.iter_mut().for_each(|x| *x -= total);
    Psis {
        log_weights,
        pareto_k,
    }
}

/// Smooths the ratios above a threshold. Returns k-hat.
fn smooth(log_weights: &mut [f64], threshold: f64) -> f64 {
    // smaller ratios are not normal doubles
    let threshold = threshold.max(f64::MIN_POSITIVE.ln());
    let above = |s: &usize| log_weights[*s] > threshold;
    let mut tail: Vec<usize> = (0..log_weights.len()).filter(above).collect();
    // only the tail needs an order: by ratio, and by draw where ratios are equal
    tail.sort_by(|a, b| log_weights[*a].total_cmp(&log_weights[*b]));
    if tail.len() < SMALLEST_TAIL {
        return f64::INFINITY;
    }
    let lowest = threshold.exp();
    let excess: Vec<f64> = tail
        .iter()
        .map(|s| log_weights[*s].exp() - lowest)
        .collect();
    let fit = pareto::fit(&excess);
    if fit.shape.is_finite() {
        for (place, s) in tail.iter().enumerate() {
            let probability = (place as f64 + 0.5) / tail.len() as f64;
            log_weights[*s] = (fit.quantile(probability) + lowest).ln().min(0.0);
        }
    }
    fit.shape
}
