//! The Rayleigh distribution.

use super::{Constraint, Continuous, Cumulative, Family, ParameterInfo, Tail, Univariate, Weibull};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use std::f64::consts::SQRT_2;

/// Rayleigh distribution: the length of a vector of two independent normal variables of standard deviation `scale`.
///
/// ```text
/// ln p(x) = ln x - 2 ln scale - ½ (x/scale)²,    x ≥ 0
/// ```
///
/// It is [`Weibull`] of shape 2 and scale `√2 scale`. Elsewhere: `rayleigh` in Stan; PyMC and NumPyro have none.
#[derive(Clone, Copy, Debug)]
pub struct Rayleigh;

impl Rayleigh {
    /// `scale`: finite and above zero.
    pub fn new<A>(scale: A) -> Univariate<Self, (A,), 1> {
        Univariate::from_parameters((scale,))
    }
}

/// The parameters of the Weibull distribution.
#[inline(always)]
fn weibull<M: Mode>([scale]: [Real<M>; 1]) -> [Real<M>; 2] {
    [Real::constant(2.0), scale * SQRT_2]
}

impl Family<1> for Rayleigh {
    const NAME: &'static str = "Rayleigh";
    const PARAMETERS: [ParameterInfo; 1] = [ParameterInfo::new("scale", Constraint::Positive)];
    type Domain = Continuous;

    #[inline(always)]
    fn log_normaliser<M: Mode>(parameters: [Real<M>; 1]) -> Real<M> {
        Weibull::log_normaliser(weibull(parameters))
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, parameters: [Real<M>; 1]) -> Real<M> {
        Weibull::log_kernel(x, weibull(parameters))
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 1]) -> Support<M> {
        Support::positive()
    }

    fn draw([scale]: [f64; 1], stream: &mut Stream) -> f64 {
        Weibull::draw([2.0, scale * SQRT_2], stream)
    }
}

impl Cumulative<1> for Rayleigh {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, parameters: [Real<M>; 1]) -> Real<M> {
        Weibull::log_cdf(x, weibull(parameters))
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, parameters: [Real<M>; 1]) -> Real<M> {
        Weibull::log_sf(x, weibull(parameters))
    }

    fn quantile(tail: Tail, [scale]: [f64; 1]) -> f64 {
        Weibull::quantile(tail, [2.0, scale * SQRT_2])
    }
}
