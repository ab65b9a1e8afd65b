//! The half-normal distribution.

use super::{Allowed, Continuous, Family, ParameterInfo, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use rand_distr::{Distribution as _, StandardNormal};

/// Half-normal distribution: the absolute value of a normal variable centred at 0.
///
/// ```text
/// ln p(x) = -½ (x/scale)² - ln scale + ½ ln 2/π,    x ≥ 0
/// ```
#[derive(Clone, Copy, Debug)]
pub struct HalfNormal;

impl HalfNormal {
    /// `scale`: the standard deviation of the normal variable, finite and above zero.
    #[allow(clippy::new_ret_no_self)]
    pub fn new<A>(scale: A) -> Univariate<Self, (A,), 1> {
        Univariate::from_parameters((scale,))
    }
}

/// `½ ln 2/π`.
const HALF_LN_TWO_OVER_PI: f64 = -0.225_791_352_644_727_43;

impl Family<1> for HalfNormal {
    const NAME: &'static str = "HalfNormal";
    const PARAMETERS: [ParameterInfo; 1] = [ParameterInfo::new("scale", Allowed::Positive)];
    type Domain = Continuous;

    #[inline(always)]
    fn log_normaliser<M: Mode>([scale]: [Real<M>; 1]) -> Real<M> {
        -scale.ln() + HALF_LN_TWO_OVER_PI
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [scale]: [Real<M>; 1]) -> Real<M> {
        let z = x / scale;
        z * z * -0.5
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 1]) -> Support<M> {
        Support::positive()
    }

    fn draw([scale]: [f64; 1], stream: &mut Stream) -> f64 {
        let z: f64 = StandardNormal.sample(stream);
        z.abs() * scale
    }
}
