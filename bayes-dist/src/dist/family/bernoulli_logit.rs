//! The Bernoulli distribution on the logit scale.

use super::{Constraint, Cumulative, Discrete, Family, ParameterInfo, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use rand::RngExt;

/// Bernoulli distribution whose success probability is `σ(logit) = 1 / (1 + e^-logit)`.
///
/// ```text
/// ln p(1) = ln σ(logit)        ln p(0) = ln σ(-logit)
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BernoulliLogit;

impl BernoulliLogit {
    /// `logit`: finite; a scalar, or a vector with one for each observation.
    pub fn new<A>(logit: A) -> Univariate<Self, (A,), 1> {
        Univariate::from_parameters((logit,))
    }
}

impl Family<1> for BernoulliLogit {
    const NAME: &'static str = "BernoulliLogit";
    const PARAMETERS: [ParameterInfo; 1] = [ParameterInfo::new("logit", Constraint::Finite)];
    const NORMALISED_BY: [bool; 1] = [false];
    const CATEGORIES: Option<usize> = Some(2);
    type Domain = Discrete;

    #[inline(always)]
    fn log_normaliser<M: Mode>(_: [Real<M>; 1]) -> Real<M> {
        Real::constant(0.0)
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [logit]: [Real<M>; 1]) -> Real<M> {
        Real::select(x.lt(0.5), -logit, logit).ln_logistic()
    }

    #[inline(always)]
    fn add_data<M: Mode>(
        len: usize,
        datum: impl Fn(usize) -> f64,
        parameters: impl Fn(usize) -> [Real<M>; 1],
        total: &mut Real<M>,
    ) -> bool {
        M::add_logit_terms(
            total,
            len,
            datum,
            #[inline(always)]
            |i| parameters(i)[0],
        );
        true
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 1]) -> Support<M> {
        Support::counts_to(1.0)
    }

    fn draw([logit]: [f64; 1], stream: &mut Stream) -> f64 {
        let odds_against = (-logit).exp();
        f64::from(stream.random::<f64>() * (1.0 + odds_against) < 1.0)
    }
}

impl Cumulative<1> for BernoulliLogit {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [logit]: [Real<M>; 1]) -> Real<M> {
        Real::select(x.lt(1.0), (-logit).ln_logistic(), 0.0)
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [logit]: [Real<M>; 1]) -> Real<M> {
        Real::select(x.lt(1.0), logit.ln_logistic(), f64::NEG_INFINITY)
    }
}
