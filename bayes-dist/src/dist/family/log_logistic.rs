//! The log-logistic distribution.

use super::sampler::FLAT_SHAPE;
use super::{Constraint, Continuous, Cumulative, Family, ParameterInfo, Tail, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use rand::RngExt;
use rand_distr::{Distribution as _, Open01};

/// Log-logistic distribution: the exponential of a logistic variable, for times whose hazard first rises, then falls.
///
/// ```text
/// ln p(x) = ln shape - ln scale + (shape-1) ln z - 2 ln(1 + z^shape),    z = x/scale,    x ≥ 0
/// ```
///
/// The median is `scale`. Elsewhere: `loglogistic` in Stan; PyMC and NumPyro have none.
#[derive(Clone, Copy, Debug)]
pub struct LogLogistic;

impl LogLogistic {
    /// `scale` and `shape`: finite and above zero.
    pub fn new<A, B>(scale: A, shape: B) -> Univariate<Self, (A, B), 2> {
        Univariate::from_parameters((scale, shape))
    }
}

impl Family<2> for LogLogistic {
    const NAME: &'static str = "LogLogistic";
    const PARAMETERS: [ParameterInfo; 2] = [
        ParameterInfo::new("scale", Constraint::Positive),
        ParameterInfo::new("shape", Constraint::Positive),
    ];
    type Domain = Continuous;

    #[inline(always)]
    fn log_normaliser<M: Mode>([scale, shape]: [Real<M>; 2]) -> Real<M> {
        shape.ln() - scale.ln()
    }

    /// On each side of the scale, the form whose terms do not cancel.
    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [scale, shape]: [Real<M>; 2]) -> Real<M> {
        let z = x / scale;
        let log_z = z.ln();
        let power = shape * log_z;
        let is_below = z.le(1.0);
        let main = Real::select(is_below, (shape - 1.0).x_ln_y(z), -(shape + 1.0) * log_z);
        main - Real::select(is_below, power, -power).log1p_exp() * 2.0
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 2]) -> Support<M> {
        Support::positive()
    }

    fn draw([scale, shape]: [f64; 2], stream: &mut Stream) -> f64 {
        let u: f64 = stream.random();
        scale * (u / (1.0 - u)).powf(shape.recip())
    }

    fn draw_coordinate([scale, shape]: [f64; 2], stream: &mut Stream) -> Option<f64> {
        (shape < FLAT_SHAPE).then(|| {
            let u: f64 = Open01.sample(stream);
            scale.ln() + (u.ln() - (-u).ln_1p()) / shape
        })
    }
}

impl Cumulative<2> for LogLogistic {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [scale, shape]: [Real<M>; 2]) -> Real<M> {
        (shape * (x / scale).ln()).ln_logistic()
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [scale, shape]: [Real<M>; 2]) -> Real<M> {
        (-shape * (x / scale).ln()).ln_logistic()
    }

    fn quantile(tail: Tail, [scale, shape]: [f64; 2]) -> f64 {
        scale * ((tail.log_lower() - tail.log_upper()) / shape).exp()
    }
}
