//! The Dagum distribution.

use super::cloglog::{cloglog_exp, ln_inv_cloglog};
use super::sampler::FLAT_SHAPE;
use super::{Constraint, Continuous, Cumulative, Family, ParameterInfo, Tail, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real, Value};
use rand_distr::{Distribution as _, Exp1};

/// Dagum distribution, also called Burr III: for incomes, whose upper tail is a power of x and whose lower tail is another one.
///
/// ```text
/// ln p(x) = ln shape + ln power - ln scale + (shape power - 1) ln z - (power+1) ln(1 + z^shape),    z = x/scale,    x ≥ 0
/// P(X ≤ x) = (1 + z^-shape)^-power
/// ```
///
/// With `power` 1 it is [`LogLogistic`](super::LogLogistic). Dagum (1977). Elsewhere: `Dagum(power, shape, scale)` in NumPyro; Stan and PyMC
/// have none.
#[derive(Clone, Copy, Debug)]
pub struct Dagum;

impl Dagum {
    /// `scale`, `shape` and `power`: finite and above zero.
    pub fn new<A, B, C>(scale: A, shape: B, power: C) -> Univariate<Self, (A, B, C), 3> {
        Univariate::from_parameters((scale, shape, power))
    }
}

impl Family<3> for Dagum {
    const NAME: &'static str = "Dagum";
    const PARAMETERS: [ParameterInfo; 3] = [
        ParameterInfo::new("scale", Constraint::Positive),
        ParameterInfo::new("shape", Constraint::Positive),
        ParameterInfo::new("power", Constraint::Positive),
    ];
    type Domain = Continuous;

    #[inline(always)]
    fn log_normaliser<M: Mode>([scale, shape, power]: [Real<M>; 3]) -> Real<M> {
        shape.ln() + power.ln() - scale.ln()
    }

    /// On each side of the scale, the form whose terms do not cancel.
    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [scale, shape, power]: [Real<M>; 3]) -> Real<M> {
        let z = x / scale;
        let log_z = z.ln();
        let logit = shape * log_z;
        let is_below = z.le(1.0);
        let below = (shape * power - 1.0).x_ln_y(z);
        let main = Real::select(is_below, below, -(shape + 1.0) * log_z);
        main - (power + 1.0) * Real::select(is_below, logit, -logit).log1p_exp()
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 3]) -> Support<M> {
        Support::positive()
    }

    fn draw([scale, shape, power]: [f64; 3], stream: &mut Stream) -> f64 {
        scale * (logit_drawn(power, stream) / shape).exp()
    }

    fn draw_coordinate([scale, shape, power]: [f64; 3], stream: &mut Stream) -> Option<f64> {
        let is_flat = shape.min(shape * power) < FLAT_SHAPE;
        is_flat.then(|| scale.ln() + logit_drawn(power, stream) / shape)
    }
}

/// `shape ln z` of a draw.
fn logit_drawn(power: f64, stream: &mut Stream) -> f64 {
    let exponential: f64 = Exp1.sample(stream);
    logit_of(exponential.ln() - power.ln())
}

/// `shape ln z` where `ln(1 + z^-shape)`, which is `-ln P(X ≤ x) / power`, has this logarithm.
fn logit_of(log_hazard: f64) -> f64 {
    let log_rest = ln_inv_cloglog(Real::<Value>::constant(log_hazard));
    -log_hazard.exp() - log_rest.primal()
}

impl Cumulative<3> for Dagum {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [scale, shape, power]: [Real<M>; 3]) -> Real<M> {
        power * (shape * (x / scale).ln()).ln_logistic()
    }

    /// Below the scale by `P(X ≤ x)`, above it by the logarithm of `-ln P(X ≤ x)`, which may be smaller than any double.
    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [scale, shape, power]: [Real<M>; 3]) -> Real<M> {
        let logit = shape * (x / scale).ln();
        let below = (power * logit.ln_logistic()).log1m_exp();
        let above = ln_inv_cloglog(power.ln() + cloglog_exp((-logit).ln_logistic()));
        Real::select(logit.le(0.0), below, above)
    }

    fn quantile(tail: Tail, [scale, shape, power]: [f64; 3]) -> f64 {
        let log_hazard = match tail {
            Tail::Lower(log_p) => (-log_p).ln(),
            Tail::Upper(log_p) => cloglog_exp(Real::<Value>::constant(log_p)).primal(),
        };
        scale * (logit_of(log_hazard - power.ln()) / shape).exp()
    }
}
