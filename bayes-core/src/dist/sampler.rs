//! Draws from `rand_distr` that never panic.

use crate::rng::Stream;
use rand_distr::{Binomial, Distribution, Exp1, Gamma, Open01, Poisson};

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
pub(super) fn poisson_draw(rate: f64, stream: &mut Stream) -> f64 {
    if rate == 0.0 {
        0.0
    } else {
        sample(Poisson::new(rate), stream)
    }
}

/// Shapes below which a draw may underflow, with a probability of order `1e-308^shape`, or overflow: its logarithm is drawn.
pub(super) const FLAT_SHAPE: f64 = 0.1;

/// The log of `e^(E/shape) - 1` for an exponential variable `E`, also if that overflows.
pub(super) fn log_excess(shape: f64, stream: &mut Stream) -> f64 {
    let exponential: f64 = Exp1.sample(stream);
    let log = exponential / shape;
    log + (-(-log).exp_m1()).ln()
}

/// The log of a gamma variable, also if that underflows: `Γ(a)` is distributed as `Γ(a+1) U^(1/a)` (Marsaglia and
/// Tsang 2000).
pub(super) fn log_gamma_draw(shape: f64, stream: &mut Stream) -> f64 {
    if shape >= 1.0 {
        return sample(Gamma::new(shape, 1.0), stream).ln();
    }
    let u: f64 = Open01.sample(stream);
    sample(Gamma::new(shape + 1.0, 1.0), stream).ln() + u.ln() / shape
}
