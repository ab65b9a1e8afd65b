//! The binomial distribution.

use super::elementary::rest;
use super::sampler::binomial_draw;
use super::{Constraint, Cumulative, Discrete, Family, ParameterInfo, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};

/// Binomial distribution: successes in `n` trials.
///
/// ```text
/// ln p(k) = ln C(n, k) + k ln p + (n-k) ln(1-p),    k = 0..n
/// ```
///
/// Computed as two deviances and Stirling remainders (Loader 2000).
#[derive(Clone, Copy, Debug)]
pub struct Binomial;

impl Binomial {
    /// `n`: a whole number of trials, at least 0; `p`: from 0 to 1.
    pub fn new<A, B>(n: A, p: B) -> Univariate<Self, (A, B), 2> {
        Univariate::from_parameters((n, p))
    }
}

impl Family<2> for Binomial {
    const NAME: &'static str = "Binomial";
    const PARAMETERS: [ParameterInfo; 2] = [
        ParameterInfo::new("n", Constraint::Count),
        ParameterInfo::new("p", Constraint::Probability),
    ];
    const NORMALISED_BY: [bool; 2] = [true, false];
    const BOUNDED_BY: [bool; 2] = [true, false];
    type Domain = Discrete;

    #[inline(always)]
    fn log_normaliser<M: Mode>([n, _]: [Real<M>; 2]) -> Real<M> {
        rest(n)
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [n, p]: [Real<M>; 2]) -> Real<M> {
        let failures = n - x;
        -x.deviance(n * p) - failures.deviance(n * (1.0 - p)) - rest(failures)
    }

    #[inline(always)]
    fn log_base<M: Mode>(x: Real<M>) -> Real<M> {
        -rest(x)
    }

    #[inline(always)]
    fn support<M: Mode>([n, _]: [Real<M>; 2]) -> Support<M> {
        Support::counts_to(n)
    }

    fn draw([n, p]: [f64; 2], stream: &mut Stream) -> f64 {
        binomial_draw(n, p, stream)
    }
}

impl Cumulative<2> for Binomial {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [n, p]: [Real<M>; 2]) -> Real<M> {
        (-p.logit()).ln_beta_cdf(n - x, x + 1.0)
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [n, p]: [Real<M>; 2]) -> Real<M> {
        p.logit().ln_beta_cdf(x + 1.0, n - x)
    }
}
