//! The skew normal distribution.

use super::elementary::HALF_LN_TAU;
use super::lifted::{LiftedFunction, integral, lifted_operation, of_two};
use super::{Constraint, Continuous, Cumulative, Family, ParameterInfo, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::special::inverse_mills;
use bayes_autodiff::{Mode, Real, SingleParticle};
use rand_distr::{Distribution as _, StandardNormal};
use std::f64::consts::{FRAC_1_PI, LN_2};

/// Skew normal distribution (Azzalini 1985): normal for shape 0, half-normal as the shape grows.
///
/// ```text
/// ln p(x) = ln 2 - ln scale - ½ ln 2π - ½ z² + ln Φ(shape z),    z = (x - location)/scale
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SkewNormal;

impl SkewNormal {
    /// `location` and `shape`: finite; `scale`: finite and above zero. None of them is a moment.
    pub fn new<A, B, C>(location: A, scale: B, shape: C) -> Univariate<Self, (A, B, C), 3> {
        Univariate::from_parameters((location, scale, shape))
    }
}

impl Family<3> for SkewNormal {
    const NAME: &'static str = "SkewNormal";
    const PARAMETERS: [ParameterInfo; 3] = [
        ParameterInfo::new("location", Constraint::Finite),
        ParameterInfo::new("scale", Constraint::Positive),
        ParameterInfo::new("shape", Constraint::Finite),
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

impl Cumulative<3> for SkewNormal {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [location, scale, shape]: [Real<M>; 3]) -> Real<M> {
        of_two::<M, LogBelow>([(x - location) / scale, shape])
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [location, scale, shape]: [Real<M>; 3]) -> Real<M> {
        of_two::<M, LogBelow>([(location - x) / scale, -shape])
    }
}

/// The log distribution function at `z` and a shape.
///
/// It is `Φ(z) - 2T(z, shape)` with Owen's function `T` (1956), a difference that has no digits in the tails. Both tails
/// are integrals from `z` outwards, along which the normal density decreases. Other probabilities are the complement of a
/// tail, or are computed from `z = 0`, where the probability is `atan(1/shape)/π`.
struct LogBelow;

/// Below this `z` the lower tail of a positive shape is computed from `z = 0`, because its complement has lost digits.
const NEAR_ZERO: f64 = 0.1;

impl LiftedFunction<2> for LogBelow {
    const NAME: &'static str = "ln F of the skew normal";
    lifted_operation!(binary LogBelow);
    fn evaluate<M: SingleParticle>([z, shape]: [Real<M>; 2]) -> Real<M> {
        let at = z.primal();
        if shape.primal() < 0.0 {
            log_upper(-z, -shape)
        } else if at <= 0.0 {
            log_tail(z, shape, -1.0)
        } else if at < NEAR_ZERO {
            from_zero(z, shape).ln()
        } else {
            log_tail(z, shape, 1.0).log1m_exp()
        }
    }
}

/// The log of the upper tail, for a shape from 0 up.
fn log_upper<M: SingleParticle>(z: Real<M>, shape: Real<M>) -> Real<M> {
    if z.primal() >= 0.0 {
        log_tail(z, shape, 1.0)
    } else {
        log_tail(z, shape, -1.0).log1m_exp()
    }
}

/// The log probability beyond `z`, away from 0 in the direction of `sign`, for a shape from 0 up.
fn log_tail<M: SingleParticle>(z: Real<M>, shape: Real<M>, sign: f64) -> Real<M> {
    let (at, a) = (z.primal(), shape.primal());
    let unit = [Real::constant(0.0), Real::constant(1.0), shape];
    let log_density = SkewNormal::log_kernel(z, unit) + SkewNormal::log_normaliser(unit);
    if log_density.primal() == f64::NEG_INFINITY {
        return log_density;
    }
    let scale = 1.0 / (1.0 + at.abs() + a * inverse_mills(a * at).0);
    // beyond this span the normal density has fallen by e⁴⁵
    let span = 90.0 / (at.abs() + (at * at + 90.0).sqrt());
    let skew = (shape * z).ln_norm_cdf();
    let mass = integral(scale, Real::constant(span), |s| {
        let t = z + s * sign;
        let fall = s * (z * (2.0 * sign) + s) * -0.5;
        (fall + (shape * t).ln_norm_cdf() - skew).exp()
    });
    log_density + mass.ln()
}

/// The probability below a small `z` above 0, for a shape from 0 up.
fn from_zero<M: SingleParticle>(z: Real<M>, shape: Real<M>) -> Real<M> {
    let below = Real::constant(1.0).atan2(shape) * FRAC_1_PI;
    let unit = [Real::constant(0.0), Real::constant(1.0), shape];
    let mass = integral(1.0 / (1.0 + shape.primal()), z, |t| {
        (SkewNormal::log_kernel(t, unit) + SkewNormal::log_normaliser(unit)).exp()
    });
    below + mass
}
