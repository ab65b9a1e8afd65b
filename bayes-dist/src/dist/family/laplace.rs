//! The Laplace distribution.

use super::{Constraint, Continuous, Cumulative, Family, ParameterInfo, Tail, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use rand::RngExt;
use rand_distr::{Distribution as _, Exp1};
use std::f64::consts::LN_2;

/// Laplace (double exponential) distribution with location and scale.
///
/// ```text
/// ln p(x) = -|x - location|/scale - ln 2 - ln scale
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Laplace;

impl Laplace {
    /// `location`: finite; `scale`: finite and above zero.
    pub fn new<A, B>(location: A, scale: B) -> Univariate<Self, (A, B), 2> {
        Univariate::from_parameters((location, scale))
    }
}

impl Family<2> for Laplace {
    const NAME: &'static str = "Laplace";
    const PARAMETERS: [ParameterInfo; 2] = [
        ParameterInfo::new("location", Constraint::Finite),
        ParameterInfo::new("scale", Constraint::Positive),
    ];
    const NORMALISED_BY: [bool; 2] = [false, true];
    type Domain = Continuous;

    #[inline(always)]
    fn log_normaliser<M: Mode>([_, scale]: [Real<M>; 2]) -> Real<M> {
        -scale.ln() - LN_2
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [location, scale]: [Real<M>; 2]) -> Real<M> {
        -((x - location) / scale).abs()
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 2]) -> Support<M> {
        Support::Real
    }

    fn draw([location, scale]: [f64; 2], stream: &mut Stream) -> f64 {
        let distance: f64 = Exp1.sample(stream);
        let sign = if stream.random() { 1.0 } else { -1.0 };
        location + sign * scale * distance
    }
}

impl Cumulative<2> for Laplace {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [location, scale]: [Real<M>; 2]) -> Real<M> {
        log_tail((location - x) / scale)
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [location, scale]: [Real<M>; 2]) -> Real<M> {
        log_tail((x - location) / scale)
    }

    fn quantile(tail: Tail, [location, scale]: [f64; 2]) -> f64 {
        if tail.is_below_median() {
            location + scale * (tail.log_lower() + LN_2)
        } else {
            location - scale * (tail.log_upper() + LN_2)
        }
    }
}

/// `ln P(Z > z)` for location 0 and scale 1.
#[inline(always)]
fn log_tail<M: Mode>(z: Real<M>) -> Real<M> {
    // the exponential on the other side must not overflow
    let below = (-(z.min(0.0).exp() * 0.5)).ln_1p();
    Real::select(z.lt(0.0), below, -z - LN_2)
}
