//! The Bernoulli distribution.

use super::{Constraint, Cumulative, Discrete, Family, ParameterInfo, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use rand::RngExt;

/// Bernoulli distribution with a success probability; 1 and `true` are success.
///
/// ```text
/// ln p(1) = ln p        ln p(0) = ln(1-p)
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Bernoulli;

impl Bernoulli {
    /// `p`: from 0 to 1. For a probability computed from a linear predictor prefer
    /// [`BernoulliLogit`](super::BernoulliLogit).
    pub fn new<A>(p: A) -> Univariate<Self, (A,), 1> {
        Univariate::from_parameters((p,))
    }
}

impl Family<1> for Bernoulli {
    const NAME: &'static str = "Bernoulli";
    const PARAMETERS: [ParameterInfo; 1] = [ParameterInfo::new("p", Constraint::Probability)];
    const NORMALISED_BY: [bool; 1] = [false];
    const CATEGORIES: Option<usize> = Some(2);
    type Domain = Discrete;

    #[inline(always)]
    fn log_normaliser<M: Mode>(_: [Real<M>; 1]) -> Real<M> {
        Real::constant(0.0)
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [p]: [Real<M>; 1]) -> Real<M> {
        Real::select(x.lt(0.5), (-p).ln_1p(), p.ln())
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 1]) -> Support<M> {
        Support::counts_to(1.0)
    }

    fn draw([p]: [f64; 1], stream: &mut Stream) -> f64 {
        f64::from(stream.random::<f64>() < p)
    }
}

impl Cumulative<1> for Bernoulli {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [p]: [Real<M>; 1]) -> Real<M> {
        Real::select(x.lt(1.0), (-p).ln_1p(), 0.0)
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [p]: [Real<M>; 1]) -> Real<M> {
        Real::select(x.lt(1.0), p.ln(), f64::NEG_INFINITY)
    }
}
