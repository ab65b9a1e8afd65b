//! The half-Cauchy distribution.

use super::cauchy::{arc, log_arc};
use super::elementary::log_one_plus_square;
use super::{Constraint, Continuous, Cumulative, Family, ParameterInfo, Tail, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use rand_distr::{Distribution as _, Open01};
use std::f64::consts::{FRAC_PI_2, LN_2};

/// Half-Cauchy distribution: the absolute value of a Cauchy variable centred at 0.
///
/// ```text
/// ln p(x) = ln 2/π - ln scale - ln(1 + (x/scale)²),    x ≥ 0
/// ```
#[derive(Clone, Copy, Debug)]
pub struct HalfCauchy;

impl HalfCauchy {
    /// `scale`: finite and above zero.
    pub fn new<A>(scale: A) -> Univariate<Self, (A,), 1> {
        Univariate::from_parameters((scale,))
    }
}

/// `ln 2/π`.
const LN_TWO_OVER_PI: f64 = -0.451_582_705_289_454_9;

impl Family<1> for HalfCauchy {
    const NAME: &'static str = "HalfCauchy";
    const PARAMETERS: [ParameterInfo; 1] = [ParameterInfo::new("scale", Constraint::Positive)];
    type Domain = Continuous;

    #[inline(always)]
    fn log_normaliser<M: Mode>([scale]: [Real<M>; 1]) -> Real<M> {
        -scale.ln() + LN_TWO_OVER_PI
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [scale]: [Real<M>; 1]) -> Real<M> {
        -log_one_plus_square(x / scale)
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 1]) -> Support<M> {
        Support::positive()
    }

    fn draw([scale]: [f64; 1], stream: &mut Stream) -> f64 {
        let u: f64 = Open01.sample(stream);
        (FRAC_PI_2 * u).tan() * scale
    }
}

impl Cumulative<1> for HalfCauchy {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [scale]: [Real<M>; 1]) -> Real<M> {
        let z = x / scale;
        let near = (z.atan() / FRAC_PI_2).ln();
        let far = (-arc(x, scale) / FRAC_PI_2).ln_1p();
        Real::select(z.lt(1.0), near, far)
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [scale]: [Real<M>; 1]) -> Real<M> {
        let z = x / scale;
        let near = (-z.atan() / FRAC_PI_2).ln_1p();
        Real::select(z.lt(1.0), near, log_arc(z) + LN_2)
    }

    fn quantile(tail: Tail, [scale]: [f64; 1]) -> f64 {
        if tail.is_below_median() {
            scale * (FRAC_PI_2 * tail.log_lower().exp()).tan()
        } else {
            scale / (FRAC_PI_2 * tail.log_upper().exp()).tan()
        }
    }
}
