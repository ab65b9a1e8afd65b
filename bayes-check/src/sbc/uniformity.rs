//! Whether numbers between 0 and 1 are uniform.

/// Components of the test: location, spread, skewness and tails of the numbers.
const ORDER: usize = 4;

/// Neyman's smooth test (1937) with the first four Legendre polynomials: the probability of a statistic at least this
/// large if `positions` were independent and uniform.
///
/// ```text
/// Σ_k (n^(-1/2) Σ_i P_k(2 u_i - 1) √(2k + 1))²  ~  χ²(4)        k = 1..4
/// ```
///
/// Errors of samplers are smooth: shifted (k = 1), too wide or too narrow (k = 2). Against these the test has more power
/// than a test against all alternatives, such as Kolmogorov's.
pub(super) fn p_value(positions: &[f64]) -> f64 {
    if positions.is_empty() {
        return f64::NAN;
    }
    let n = positions.len() as f64;
    let mut sums = [0.0; ORDER];
    for u in positions {
        for (sum, term) in sums.iter_mut().zip(legendre(2.0 * u - 1.0)) {
            *sum += term;
        }
    }
    let statistic: f64 = sums.iter().map(|sum| sum * sum / n).sum();
    // the upper tail of χ² with four degrees of freedom
    (-0.5 * statistic).exp() * (1.0 + 0.5 * statistic)
}

/// The Legendre polynomials of order 1 to 4, scaled to variance 1 for a uniform `x` on (-1, 1).
fn legendre(x: f64) -> [f64; ORDER] {
    let square = x * x;
    [
        3f64.sqrt() * x,
        5f64.sqrt() * 0.5 * (3.0 * square - 1.0),
        7f64.sqrt() * 0.5 * x * (5.0 * square - 3.0),
        3.0 * 0.125 * ((35.0 * square - 30.0) * square + 3.0),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Key, Purpose};
    use bayes_autodiff::special::{norm_cdf, norm_quantile};
    use rand::RngExt;

    fn uniforms(item: u64, n: usize) -> Vec<f64> {
        let key = Key::new(1, Purpose::Calibration).item(item);
        let mut stream = key.stream();
        (0..n).map(|_| stream.random()).collect()
    }

    #[test]
    fn polynomials_are_orthonormal() {
        let n = 20_000;
        let points: Vec<[f64; ORDER]> = (0..n)
            .map(|i| legendre(2.0 * (i as f64 + 0.5) / n as f64 - 1.0))
            .collect();
        for j in 0..ORDER {
            for k in 0..ORDER {
                let mean = points.iter().map(|p| p[j] * p[k]).sum::<f64>() / n as f64;
                assert!((mean - f64::from(j == k)).abs() < 1e-6, "{j} {k}: {mean}");
            }
        }
    }

    #[test]
    fn uniform_numbers_are_rejected_as_often_as_the_level_says() {
        let trials = 2000;
        let rejected = (0..trials)
            .filter(|item| p_value(&uniforms(*item, 200)) < 0.05)
            .count() as f64;
        let expected = 0.05 * trials as f64;
        // binomial: standard deviation 9.7
        assert!(
            (rejected - expected).abs() < 4.0 * 9.8,
            "{rejected} of {trials}"
        );
    }

    #[test]
    fn a_spread_that_is_off_by_a_tenth_is_seen_in_a_thousand() {
        let stretched = |u: &f64| norm_cdf(norm_quantile(*u) / 1.1);
        let seen = (0..100).filter(|item| {
            let positions: Vec<f64> = uniforms(*item, 1000).iter().map(stretched).collect();
            p_value(&positions) < 0.01
        });
        assert!(seen.count() >= 60);
    }
}
