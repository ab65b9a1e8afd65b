//! Bridge sampling: the density of an observation given the others, from draws of both posteriors.

use super::refit::Terms;
use crate::numeric::log_sum_exp;

/// The most steps of the iteration, and the change that ends it.
const STEPS: usize = 1000;
const SETTLED: f64 = 1e-10;

/// `ln p(y | others)` and its Monte Carlo variance, from draws of the posterior without and with the observation; `None` if the
/// iteration finds none.
///
/// ```text
/// r = E_without[l / (s₁ l + s₂ r)] / E_with[1 / (s₁ l + s₂ r)],    l = p(y | θ)       Meng and Wong (1996, eq. 4.1)
/// ```
///
/// with s₁ and s₂ the shares of the draws with and without the observation. The variance is the sum of the variances of both means, by
/// the delta method (Frühwirth-Schnatter 2004, section 3.3).
pub(super) fn bridge(without: &Terms<'_>, with: &Terms<'_>) -> Option<[f64; 2]> {
    let [n_without, n_with] = [without, with].map(|terms| terms.own.len() as f64);
    let [log_without, log_with] = [n_without, n_with].map(|n| (n / (n_without + n_with)).ln());
    // ln 1 / (s₁ l + s₂ r)
    let log_inverse = |l: f64, log_r: f64| -log_sum_exp(&[log_with + l, log_without + log_r]);
    let mean = |terms: &Terms<'_>, logs: &[f64]| {
        let weighted = logs.iter().zip(&terms.log_weights);
        let weighted = weighted.filter(|(_, weight)| **weight > f64::NEG_INFINITY);
        log_sum_exp(
            &weighted
                .map(|(log, weight)| log + weight)
                .collect::<Vec<_>>(),
        )
    };
    let numerators = |log_r: f64| -> Vec<f64> {
        let own = without.own.iter();
        own.map(|l| l + log_inverse(*l, log_r)).collect()
    };
    let denominators = |log_r: f64| -> Vec<f64> {
        let own = with.own.iter();
        own.map(|l| log_inverse(*l, log_r)).collect()
    };
    let mut log_r = mean(without, &without.own);
    for _ in 0..STEPS {
        let next = mean(without, &numerators(log_r)) - mean(with, &denominators(log_r));
        if !next.is_finite() {
            return None;
        }
        let change = (next - log_r).abs();
        log_r = next;
        if change < SETTLED {
            break;
        }
    }
    let variance = without.log_mean_variance(&numerators(log_r))
        + with.log_mean_variance(&denominators(log_r));
    Some([log_r, variance])
}
