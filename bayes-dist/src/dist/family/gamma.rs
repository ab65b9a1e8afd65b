//! The gamma distribution.

use super::elementary::{gamma_kernel, rest};
use super::quantile::invert;
use super::sampler::{FLAT_SHAPE, log_gamma_draw, sample};
use super::{Constraint, Continuous, Cumulative, Family, ParameterInfo, Tail, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use rand_distr::Gamma as Sampler;

/// Gamma distribution with shape and *rate*; its mean is `shape/rate`.
///
/// ```text
/// ln p(x) = shape ln rate - ln Γ(shape) + (shape-1) ln x - rate x,    x ≥ 0
/// ```
///
/// Computed as a deviance and a Stirling remainder, so it is accurate for large shapes too.
#[derive(Clone, Copy, Debug)]
pub struct Gamma;

impl Gamma {
    /// `shape` and `rate`: finite and above zero.
    pub fn new<A, B>(shape: A, rate: B) -> Univariate<Self, (A, B), 2> {
        Univariate::from_parameters((shape, rate))
    }
}

impl Family<2> for Gamma {
    const NAME: &'static str = "Gamma";
    const PARAMETERS: [ParameterInfo; 2] = [
        ParameterInfo::new("shape", Constraint::Positive),
        ParameterInfo::new("rate", Constraint::Positive),
    ];
    type Domain = Continuous;

    #[inline(always)]
    fn log_normaliser<M: Mode>([shape, rate]: [Real<M>; 2]) -> Real<M> {
        rate.ln() - rest(shape)
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [shape, rate]: [Real<M>; 2]) -> Real<M> {
        gamma_kernel(shape, x * rate)
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 2]) -> Support<M> {
        Support::positive()
    }

    fn draw([shape, rate]: [f64; 2], stream: &mut Stream) -> f64 {
        sample(Sampler::new(shape, 1.0), stream) / rate
    }

    fn draw_coordinate([shape, rate]: [f64; 2], stream: &mut Stream) -> Option<f64> {
        (shape < FLAT_SHAPE).then(|| log_gamma_draw(shape, stream) - rate.ln())
    }
}

impl Cumulative<2> for Gamma {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [shape, rate]: [Real<M>; 2]) -> Real<M> {
        shape.ln_gamma_cdf(rate * x)
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [shape, rate]: [Real<M>; 2]) -> Real<M> {
        shape.ln_gamma_sf(rate * x)
    }

    fn quantile(tail: Tail, [shape, rate]: [f64; 2]) -> f64 {
        invert::<Self, 2>(tail, [shape, 1.0]) / rate
    }
}
