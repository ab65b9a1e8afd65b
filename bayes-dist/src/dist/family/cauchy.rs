//! The Cauchy distribution.

use super::elementary::log_one_plus_square;
use super::{Constraint, Continuous, Cumulative, Family, ParameterInfo, Tail, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use rand_distr::{Distribution as _, Open01};
use std::f64::consts::PI;

/// Cauchy distribution with location and scale.
///
/// ```text
/// ln p(x) = -ln π - ln scale - ln(1 + z²),    z = (x - location)/scale
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Cauchy;

impl Cauchy {
    /// `location`: finite; `scale`: finite and above zero.
    pub fn new<A, B>(location: A, scale: B) -> Univariate<Self, (A, B), 2> {
        Univariate::from_parameters((location, scale))
    }
}

/// `ln π`.
const LN_PI: f64 = 1.144_729_885_849_400_2;

impl Family<2> for Cauchy {
    const NAME: &'static str = "Cauchy";
    const PARAMETERS: [ParameterInfo; 2] = [
        ParameterInfo::new("location", Constraint::Finite),
        ParameterInfo::new("scale", Constraint::Positive),
    ];
    const NORMALISED_BY: [bool; 2] = [false, true];
    type Domain = Continuous;

    #[inline(always)]
    fn log_normaliser<M: Mode>([_, scale]: [Real<M>; 2]) -> Real<M> {
        -scale.ln() - LN_PI
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [location, scale]: [Real<M>; 2]) -> Real<M> {
        -log_one_plus_square((x - location) / scale)
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 2]) -> Support<M> {
        Support::Real
    }

    fn draw([location, scale]: [f64; 2], stream: &mut Stream) -> f64 {
        let u: f64 = Open01.sample(stream);
        location + scale * (PI * (u - 0.5)).tan()
    }
}

impl Cumulative<2> for Cauchy {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [location, scale]: [Real<M>; 2]) -> Real<M> {
        log_angle(x - location, scale)
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [location, scale]: [Real<M>; 2]) -> Real<M> {
        log_angle(location - x, scale)
    }

    fn quantile(tail: Tail, [location, scale]: [f64; 2]) -> f64 {
        if tail.is_below_median() {
            location - scale / (PI * tail.log_lower().exp()).tan()
        } else {
            location + scale / (PI * tail.log_upper().exp()).tan()
        }
    }
}

/// `ln(½ + atan(gap/scale)/π)`, from the smaller of the two tails.
#[inline(always)]
fn log_angle<M: Mode>(gap: Real<M>, scale: Real<M>) -> Real<M> {
    let z = gap / scale;
    let upper = (-arc(gap, scale) / PI).ln_1p();
    Real::select(z.lt(0.0), log_arc(-z), upper)
}

/// `atan(scale/gap)`: for a large quotient the quotient, as its slope would underflow.
#[inline(always)]
pub(super) fn arc<M: Mode>(gap: Real<M>, scale: Real<M>) -> Real<M> {
    let z = gap / scale;
    let near = Real::constant(1.0).atan2(z);
    Real::select(z.lt(1e9), near, scale / gap)
}

/// `ln(atan(1/z)/π)` for `z ≥ 0`.
#[inline(always)]
pub(super) fn log_arc<M: Mode>(z: Real<M>) -> Real<M> {
    // for large z the angle equals 1/z to the last digit, and its slope would underflow
    let far = -z.max(1.0).ln();
    let arc = Real::constant(1.0).atan2(z).ln();
    Real::select(z.lt(1e9), arc, far) - PI.ln()
}
