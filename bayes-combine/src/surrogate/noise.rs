//! The noise of log densities: the smallest for the largest of them, and more for those that do not matter.
//!
//! A process that must go through values of -1000 has a variance that leaves it free everywhere else, and high by chance where it has no
//! point. In two dimensions the other points prevent that; in six they do not. So values that are far below the largest need be met only
//! roughly ("noise shaping", Li, Clarté, Jørgensen and Acerbi 2023).

/// Variance of the noise of the largest value (de Souza et al. 2022, section 4).
pub const NOISE: f64 = 1e-3;
/// Values further than this times the dimension below the largest do not matter (de Souza et al. 2022, section 3.2).
const DEEP: f64 = 20.0;
/// Variance of the noise of a value that is just so deep; between it and the largest the logarithm of the variance is linear.
const DEEP_NOISE: f64 = 1.0;
/// Standard deviation of more noise, for each unit that a value is deeper; the variances are added.
const SLOPE: f64 = 0.05;

/// How far below the largest value a log density of `dim` coordinates does not matter.
pub fn deep(dim: usize) -> f64 {
    DEEP * dim as f64
}

/// The largest value.
pub fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// The variance of the noise of each log density, `[n]`, of `dim` coordinates.
pub fn noise(values: &[f64], dim: usize) -> Vec<f64> {
    let (largest, deep) = (largest(values), deep(dim));
    let variance = |value: &f64| {
        let depth = largest - value;
        let share = (depth / deep).min(1.0);
        let within = ((1.0 - share) * NOISE.ln() + share * DEEP_NOISE.ln()).exp();
        within + (SLOPE * (depth - deep).max(0.0)).powi(2)
    };
    values.iter().map(variance).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_grows_with_depth() {
        // in two dimensions 40 is deep
        let found = noise(&[-5.0, -25.0, -45.0, -1045.0], 2);
        let exact = [1e-3, 1e-3f64.sqrt(), 1.0, 1.0 + 50.0 * 50.0];
        for (found, exact) in found.iter().zip(exact) {
            assert!((found / exact - 1.0).abs() < 1e-12, "{found} and {exact}");
        }
        // a value between two
        let found = noise(&[3.0, -117.0, -57.0], 6);
        assert!((found[2] / found[0].sqrt() - 1.0).abs() < 1e-12);
    }
}
