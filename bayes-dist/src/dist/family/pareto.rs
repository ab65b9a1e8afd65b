//! The Pareto distribution.

use super::sampler::{FLAT_SHAPE, log_excess};
use super::{Constraint, Continuous, Cumulative, Family, ParameterInfo, Tail, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use rand_distr::{Distribution as _, Exp1};

/// Pareto distribution: a power law above `scale`, the smallest value.
///
/// ```text
/// ln p(x) = ln shape - ln scale - (shape+1) ln(x/scale),    x ≥ scale
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Pareto;

impl Pareto {
    /// `scale`: the smallest value, `shape`: the exponent of the tail `P(X > x) = (x/scale)^-shape`; both finite and
    /// above zero.
    pub fn new<A, B>(scale: A, shape: B) -> Univariate<Self, (A, B), 2> {
        Univariate::from_parameters((scale, shape))
    }
}

impl Family<2> for Pareto {
    const NAME: &'static str = "Pareto";
    const PARAMETERS: [ParameterInfo; 2] = [
        ParameterInfo::new("scale", Constraint::Positive),
        ParameterInfo::new("shape", Constraint::Positive),
    ];
    const BOUNDED_BY: [bool; 2] = [true, false];
    type Domain = Continuous;

    #[inline(always)]
    fn log_normaliser<M: Mode>([scale, shape]: [Real<M>; 2]) -> Real<M> {
        shape.ln() - scale.ln()
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [scale, shape]: [Real<M>; 2]) -> Real<M> {
        -(shape + 1.0) * (x / scale).ln()
    }

    #[inline(always)]
    fn support<M: Mode>([scale, _]: [Real<M>; 2]) -> Support<M> {
        Support::Above(scale)
    }

    fn draw([scale, shape]: [f64; 2], stream: &mut Stream) -> f64 {
        let exponential: f64 = Exp1.sample(stream);
        scale * (exponential / shape).exp()
    }

    fn draw_coordinate([scale, shape]: [f64; 2], stream: &mut Stream) -> Option<f64> {
        (shape < FLAT_SHAPE).then(|| scale.ln() + log_excess(shape, stream))
    }
}

impl Cumulative<2> for Pareto {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [scale, shape]: [Real<M>; 2]) -> Real<M> {
        (-shape * (x / scale).ln()).log1m_exp()
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [scale, shape]: [Real<M>; 2]) -> Real<M> {
        -shape * (x / scale).ln()
    }

    fn quantile(tail: Tail, [scale, shape]: [f64; 2]) -> f64 {
        scale * (-tail.log_upper() / shape).exp()
    }
}
