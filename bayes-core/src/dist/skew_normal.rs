//! The skew normal distribution.

use super::elementary::HALF_LN_TAU;
use super::{Allowed, Continuous, Family, ParameterInfo, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use rand_distr::{Distribution as _, StandardNormal};
use std::f64::consts::LN_2;

/// Skew normal distribution (Azzalini 1985): normal for shape 0, half-normal as the shape grows.
///
/// ```text
/// ln p(x) = ln 2 - ln scale - ½ ln 2π - ½ z² + ln Φ(shape z),    z = (x - location)/scale
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SkewNormal;

impl SkewNormal {
    /// `location` and `shape`: finite; `scale`: finite and above zero. None of them is a moment.
    #[allow(clippy::new_ret_no_self)]
    pub fn new<A, B, C>(location: A, scale: B, shape: C) -> Univariate<Self, (A, B, C), 3> {
        Univariate::from_parameters((location, scale, shape))
    }
}

impl Family<3> for SkewNormal {
    const NAME: &'static str = "SkewNormal";
    const PARAMETERS: [ParameterInfo; 3] = [
        ParameterInfo::new("location", Allowed::Finite),
        ParameterInfo::new("scale", Allowed::Positive),
        ParameterInfo::new("shape", Allowed::Finite),
    ];
    const NORMALISED_BY: [bool; 3] = [false, true, false];
    type Domain = Continuous;

    #[inline(always)]
    fn log_normaliser<M: Mode>([_, scale, _]: [Real<M>; 3]) -> Real<M> {
        -scale.ln() + (LN_2 - HALF_LN_TAU)
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [location, scale, shape]: [Real<M>; 3]) -> Real<M> {
        let z = (x - location) / scale;
        (shape * z).ln_norm_cdf() - z.square() * 0.5
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 3]) -> Support<M> {
        Support::Real
    }

    fn draw([location, scale, shape]: [f64; 3], stream: &mut Stream) -> f64 {
        let (a, b): (f64, f64) = (StandardNormal.sample(stream), StandardNormal.sample(stream));
        let length = shape.hypot(1.0);
        location + scale * (shape / length * a.abs() + b / length)
    }
}
