//! Draws from `rand_distr` that never panic.

use crate::rng::Stream;
use rand_distr::{Binomial, Distribution, Exp1, Gamma, Open01, Poisson, StandardNormal};

/// One draw; NaN if the sampler rejects its parameters.
pub(super) fn sample<S: Distribution<f64>, E>(sampler: Result<S, E>, stream: &mut Stream) -> f64 {
    // Extreme draws of hyperparameters overflow to infinity; with NaN, the density counts and rejects them.
    sampler.map_or(f64::NAN, |sampler| sampler.sample(stream))
}

/// A binomial count.
pub(super) fn binomial_draw(n: f64, p: f64, stream: &mut Stream) -> f64 {
    Binomial::new(n as u64, p).map_or(f64::NAN, |sampler| sampler.sample(stream) as f64)
}

/// A Poisson count; 0 for a rate of 0.
///
/// `rand_distr` refuses rates above 1.8e19, where counts would not fit into a `u64`. There neighbouring doubles are at least 2048 apart,
/// and the normal distribution with the same mean and variance is wrong by only a few counts (the first term of its Cornish-Fisher
/// expansion is `(z² - 1)/6`).
pub(super) fn poisson_draw(rate: f64, stream: &mut Stream) -> f64 {
    if rate == 0.0 {
        0.0
    } else if rate.is_finite() && rate > Poisson::<f64>::MAX_LAMBDA {
        let z: f64 = StandardNormal.sample(stream);
        rate + rate.sqrt() * z
    } else {
        sample(Poisson::new(rate), stream)
    }
}

/// Below this shape a draw may underflow, with a probability of order `1e-308^shape`, or overflow, so its logarithm is drawn.
pub(super) const FLAT_SHAPE: f64 = 0.1;

/// The log of `e^(E/shape) - 1` for an exponential variable `E`, even if the number overflows.
pub(super) fn log_excess(shape: f64, stream: &mut Stream) -> f64 {
    let exponential: f64 = Exp1.sample(stream);
    let log = exponential / shape;
    log + (-(-log).exp_m1()).ln()
}

/// The log of a gamma variable, even if the variable underflows: `Γ(a)` is distributed as `Γ(a+1) U^(1/a)` (Marsaglia and Tsang 2000).
pub(super) fn log_gamma_draw(shape: f64, stream: &mut Stream) -> f64 {
    if shape >= 1.0 {
        return sample(Gamma::new(shape, 1.0), stream).ln();
    }
    let u: f64 = Open01.sample(stream);
    sample(Gamma::new(shape + 1.0, 1.0), stream).ln() + u.ln() / shape
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Key, Purpose};

    /// Mutation seen: `sample` for every rate, which is NaN from 1.844e19 on.
    #[test]
    fn poisson_counts_beyond_u64_have_mean_and_variance_of_the_rate() {
        let mut stream = Key::new(1, Purpose::Calibration).stream();
        for rate in [1.8e19, 1.9e19, 1e25, 1e150] {
            let n = 20_000;
            let z: Vec<f64> = (0..n)
                .map(|_| (poisson_draw(rate, &mut stream) - rate) / rate.sqrt())
                .collect();
            let mean = z.iter().sum::<f64>() / f64::from(n);
            let square = z.iter().map(|z| z * z).sum::<f64>() / f64::from(n);
            // Monte Carlo errors are 0.0071 and 0.01; at 1e150 the square root is far below the spacing, so draws equal the rate
            let exact = if rate < 1e30 { 1.0 } else { 0.0 };
            assert!(
                mean.abs() < 0.03 && (square - exact).abs() < 0.04,
                "{rate}: {mean}, {square}"
            );
        }
        assert!(poisson_draw(f64::INFINITY, &mut stream).is_nan());
        assert!(poisson_draw(f64::NAN, &mut stream).is_nan());
    }
}
