//! The binomial distribution on the logit scale.

use super::sampler::binomial_draw;
use super::{Constraint, Cumulative, Discrete, Family, ParameterInfo, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};

/// Binomial distribution: successes in `n` trials of probability `σ(logit) = 1 / (1 + e^-logit)`.
///
/// ```text
/// ln p(k) = ln C(n, k) + k ln σ(logit) + (n-k) ln σ(-logit),    k = 0..n
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BinomialLogit;

impl BinomialLogit {
    /// `n`: a whole number of trials, at least 0; `logit`: finite.
    pub fn new<A, B>(n: A, logit: B) -> Univariate<Self, (A, B), 2> {
        Univariate::from_parameters((n, logit))
    }
}

impl Family<2> for BinomialLogit {
    const NAME: &'static str = "BinomialLogit";
    const PARAMETERS: [ParameterInfo; 2] = [
        ParameterInfo::new("n", Constraint::Count),
        ParameterInfo::new("logit", Constraint::Finite),
    ];
    const NORMALISED_BY: [bool; 2] = [false, false];
    const BOUNDED_BY: [bool; 2] = [true, false];
    type Domain = Discrete;

    #[inline(always)]
    fn log_normaliser<M: Mode>(_: [Real<M>; 2]) -> Real<M> {
        Real::constant(0.0)
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [n, logit]: [Real<M>; 2]) -> Real<M> {
        n.ln_choose(x) + x * logit.ln_logistic() + (n - x) * (-logit).ln_logistic()
    }

    #[inline(always)]
    fn support<M: Mode>([n, _]: [Real<M>; 2]) -> Support<M> {
        Support::counts_to(n)
    }

    fn draw([n, logit]: [f64; 2], stream: &mut Stream) -> f64 {
        binomial_draw(n, 1.0 / (1.0 + (-logit).exp()), stream)
    }
}

impl Cumulative<2> for BinomialLogit {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [n, logit]: [Real<M>; 2]) -> Real<M> {
        (-logit).ln_beta_cdf(n - x, x + 1.0)
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [n, logit]: [Real<M>; 2]) -> Real<M> {
        logit.ln_beta_cdf(x + 1.0, n - x)
    }
}
