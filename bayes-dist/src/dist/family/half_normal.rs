//! The half-normal distribution.

use super::quantile::{invert, standard_normal};
use super::{Constraint, Continuous, Cumulative, Family, ParameterInfo, Tail, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use rand_distr::{Distribution as _, StandardNormal};
use std::f64::consts::{FRAC_1_SQRT_2, LN_2};

/// Half-normal distribution: the absolute value of a normal variable centred at 0.
///
/// ```text
/// ln p(x) = -½ (x/scale)² - ln scale + ½ ln 2/π,    x ≥ 0
/// ```
#[derive(Clone, Copy, Debug)]
pub struct HalfNormal;

impl HalfNormal {
    /// `scale`: the standard deviation of the normal variable, finite and above zero.
    pub fn new<A>(scale: A) -> Univariate<Self, (A,), 1> {
        Univariate::from_parameters((scale,))
    }
}

/// `½ ln 2/π`.
const HALF_LN_TWO_OVER_PI: f64 = -0.225_791_352_644_727_43;

impl Family<1> for HalfNormal {
    const NAME: &'static str = "HalfNormal";
    const PARAMETERS: [ParameterInfo; 1] = [ParameterInfo::new("scale", Constraint::Positive)];
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

impl Cumulative<1> for HalfNormal {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [sd]: [Real<M>; 1]) -> Real<M> {
        let z = x / sd;
        let upper = (-z).ln_norm_cdf() + LN_2;
        // near 0 the upper tail has lost the digits of the lower tail
        let near = (z * FRAC_1_SQRT_2).erf().ln();
        Real::select(z.lt(1.0), near, upper.log1m_exp())
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [sd]: [Real<M>; 1]) -> Real<M> {
        let z = x / sd;
        let near = (-(z * FRAC_1_SQRT_2).erf()).ln_1p();
        Real::select(z.lt(1.0), near, (-z).ln_norm_cdf() + LN_2)
    }

    fn quantile(tail: Tail, [sd]: [f64; 1]) -> f64 {
        let upper = tail.log_upper();
        if upper > -0.1 {
            // near 0 the quantile of the normal distribution has lost digits
            return invert::<Self, 1>(tail, [sd]);
        }
        -sd * standard_normal(Tail::Lower(upper - LN_2))
    }
}
