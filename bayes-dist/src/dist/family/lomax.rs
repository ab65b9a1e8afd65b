//! The Lomax distribution.

use super::sampler::{FLAT_SHAPE, log_excess};
use super::{Constraint, Continuous, Cumulative, Family, ParameterInfo, Tail, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use rand_distr::{Distribution as _, Exp1};

/// Lomax distribution: a Pareto variable that begins at 0 (Pareto of the second type).
///
/// ```text
/// ln p(x) = ln shape - ln scale - (shape+1) ln(1 + x/scale),    x ≥ 0
/// ```
///
/// Lomax (1954). Elsewhere: `pareto_type_2` in Stan, with a location; PyMC and NumPyro have none.
#[derive(Clone, Copy, Debug)]
pub struct Lomax;

impl Lomax {
    /// `scale` and `shape`: finite and above zero.
    pub fn new<A, B>(scale: A, shape: B) -> Univariate<Self, (A, B), 2> {
        Univariate::from_parameters((scale, shape))
    }
}

impl Family<2> for Lomax {
    const NAME: &'static str = "Lomax";
    const PARAMETERS: [ParameterInfo; 2] = [
        ParameterInfo::new("scale", Constraint::Positive),
        ParameterInfo::new("shape", Constraint::Positive),
    ];
    type Domain = Continuous;

    #[inline(always)]
    fn log_normaliser<M: Mode>([scale, shape]: [Real<M>; 2]) -> Real<M> {
        shape.ln() - scale.ln()
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [scale, shape]: [Real<M>; 2]) -> Real<M> {
        -(shape + 1.0) * (x / scale).ln_1p()
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 2]) -> Support<M> {
        Support::positive()
    }

    fn draw([scale, shape]: [f64; 2], stream: &mut Stream) -> f64 {
        let exponential: f64 = Exp1.sample(stream);
        scale * (exponential / shape).exp_m1()
    }

    fn draw_coordinate([scale, shape]: [f64; 2], stream: &mut Stream) -> Option<f64> {
        (shape < FLAT_SHAPE).then(|| scale.ln() + log_excess(shape, stream))
    }
}

impl Cumulative<2> for Lomax {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, parameters: [Real<M>; 2]) -> Real<M> {
        Self::log_sf(x, parameters).log1m_exp()
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [scale, shape]: [Real<M>; 2]) -> Real<M> {
        -shape * (x / scale).ln_1p()
    }

    fn quantile(tail: Tail, [scale, shape]: [f64; 2]) -> f64 {
        scale * (-tail.log_upper() / shape).exp_m1()
    }
}
