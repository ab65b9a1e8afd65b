//! The exponential distribution.

use super::{Constraint, Continuous, Cumulative, Family, ParameterInfo, Tail, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use rand_distr::{Distribution as _, Exp1};

/// Exponential distribution with a rate; its mean is `1/rate`.
///
/// ```text
/// ln p(x) = ln rate - rate x,    x ≥ 0
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Exponential;

impl Exponential {
    /// `rate`: finite and above zero.
    pub fn new<A>(rate: A) -> Univariate<Self, (A,), 1> {
        Univariate::from_parameters((rate,))
    }
}

impl Family<1> for Exponential {
    const NAME: &'static str = "Exponential";
    const PARAMETERS: [ParameterInfo; 1] = [ParameterInfo::new("rate", Constraint::Positive)];
    type Domain = Continuous;

    #[inline(always)]
    fn log_normaliser<M: Mode>([rate]: [Real<M>; 1]) -> Real<M> {
        rate.ln()
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [rate]: [Real<M>; 1]) -> Real<M> {
        -(x * rate)
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 1]) -> Support<M> {
        Support::positive()
    }

    fn draw([rate]: [f64; 1], stream: &mut Stream) -> f64 {
        let unit: f64 = Exp1.sample(stream);
        unit / rate
    }
}

impl Cumulative<1> for Exponential {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [rate]: [Real<M>; 1]) -> Real<M> {
        (-rate * x).log1m_exp()
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [rate]: [Real<M>; 1]) -> Real<M> {
        -rate * x
    }

    fn quantile(tail: Tail, [rate]: [f64; 1]) -> f64 {
        -tail.log_upper() / rate
    }
}
