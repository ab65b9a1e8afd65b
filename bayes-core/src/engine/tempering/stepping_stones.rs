//! The log ratio of the evidences of two neighbouring temperatures, from draws of both.

/// The log of `Z(λ + step) / Z(λ)` from the log likelihoods of draws at both temperatures, in equal numbers, by bridge sampling (Bennett
/// 1976; Meng and Wong 1996): the root c of
///
/// ```text
/// Σ_i 1 / (1 + exp(c − step · lower_i))  =  Σ_i 1 / (1 + exp(step · upper_i − c))
/// ```
///
/// The stepping stone of Xie et al. (2011) uses only the lower draws, `log mean exp(step · lower_i)`, and the reversed one only the upper
/// draws. Their average has an infinite variance where the prior's tails are too heavy for the likelihood. Among all estimators that use
/// both sets of draws, this one has the least variance if the draws are independent, and its terms are bounded.
///
/// Minus infinity if every lower draw has likelihood zero.
pub(in crate::engine) fn log_ratio(lower: &[f64], upper: &[f64], step: f64) -> f64 {
    let finite = lower.iter().chain(upper).copied().filter(|l| l.is_finite());
    let (least, most) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), l| {
        (a.min(l), b.max(l))
    });
    if lower.iter().all(|l| *l == f64::NEG_INFINITY) {
        return f64::NEG_INFINITY;
    }
    // falls in c; draws of likelihood zero can bring the root below the least difference, by the log of their share
    let excess = |c: f64| {
        let below: f64 = lower.iter().map(|l| share(step * l - c)).sum();
        let above: f64 = upper.iter().map(|l| share(c - step * l)).sum();
        below - above
    };
    let room = 1.0 + (lower.len() as f64).ln();
    let (mut low, mut high) = (step * least - room, step * most + room);
    while high - low > 1e-12 * (1.0 + low.abs() + high.abs()) {
        let middle = 0.5 * (low + high);
        if excess(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// `1 / (1 + exp(−x))`; 0 at minus infinity.
fn share(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Key, Purpose};
    use rand::RngExt;
    use rand_distr::StandardNormal;

    fn normals(item: u64, n: usize) -> Vec<f64> {
        let mut stream = Key::new(1, Purpose::Validation).item(item).stream();
        (0..n).map(|_| stream.sample(StandardNormal)).collect()
    }

    /// For `ℓ ~ N(0, σ²)` at the lower temperature, ℓ is `N(step σ², σ²)` at the upper, and the log ratio is `½ step² σ²`.
    ///
    /// Seen to detect: the lower draws in place of the upper ones.
    #[test]
    fn gaussian_log_likelihoods_have_a_known_ratio() {
        let n = 40_000;
        for (sd, step) in [(1.0, 0.5), (30.0, 0.05), (2.0, 1.0)] {
            let lower: Vec<f64> = normals(1, n).iter().map(|z| sd * z - 100.0).collect();
            let moved = |z: &f64| sd * z - 100.0 + step * sd * sd;
            let upper: Vec<f64> = normals(2, n).iter().map(moved).collect();
            let found = log_ratio(&lower, &upper, step);
            let exact = 0.5 * (step * sd).powi(2) - 100.0 * step;
            assert!((found - exact).abs() < 0.04, "{found}, exactly {exact}");
        }
    }

    #[test]
    fn draws_of_likelihood_zero_count_at_the_lower_temperature() {
        let mut lower = vec![f64::NEG_INFINITY; 3000];
        lower.extend([-2.0; 1000]);
        let found = log_ratio(&lower, &[-2.0; 4000], 0.5);
        // a quarter of the prior has likelihood exp(−2), the rest has none
        assert!((found - (0.25f64.ln() - 1.0)).abs() < 1e-10, "{found}");
        let none = [f64::NEG_INFINITY; 3];
        assert_eq!(log_ratio(&none, &[-2.0; 3], 0.5), f64::NEG_INFINITY);
    }

    #[test]
    fn a_constant_likelihood_has_an_exact_ratio() {
        let found = log_ratio(&[-1234.5; 7], &[-1234.5; 7], 0.3);
        assert!((found + 0.3 * 1234.5).abs() < 1e-9, "{found}");
    }
}
