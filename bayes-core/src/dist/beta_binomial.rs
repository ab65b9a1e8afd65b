//! The beta-binomial distribution.

use super::elementary::rest;
use super::sampler::{binomial_draw, sample};
use super::{Allowed, Discrete, Family, ParameterInfo, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use rand_distr::Beta;

/// Beta-binomial distribution: successes in `n` trials whose probability has a beta distribution.
///
/// ```text
/// ln p(k) = ln C(n, k) + ln B(k+a, n-k+b) - ln B(a, b),    k = 0..n
/// ```
///
/// It is the law of a negative binomial count of `a` successes given its sum with one of `b`, whatever their common
/// probability. At the probability that makes `n` the mean of the sum, each of the three masses is two deviances and
/// Stirling remainders (Loader 2000): no large terms cancel.
#[derive(Clone, Copy, Debug)]
pub struct BetaBinomial;

impl BetaBinomial {
    /// `n`: a whole number of trials, at least 0; `a` and `b`: finite and above zero.
    #[allow(clippy::new_ret_no_self)]
    pub fn new<A, B, C>(n: A, a: B, b: C) -> Univariate<Self, (A, B, C), 3> {
        Univariate::from_parameters((n, a, b))
    }
}

/// What `ln C(total - 1, ·)` has of `total`, less its main terms.
#[inline(always)]
fn choices<M: Mode>(total: Real<M>) -> Real<M> {
    rest(total) - total.ln()
}

impl Family<3> for BetaBinomial {
    const NAME: &'static str = "BetaBinomial";
    const PARAMETERS: [ParameterInfo; 3] = [
        ParameterInfo::new("n", Allowed::Count),
        ParameterInfo::new("a", Allowed::Positive),
        ParameterInfo::new("b", Allowed::Positive),
    ];
    const BOUNDED_BY: [bool; 3] = [true, false, false];
    type Domain = Discrete;

    #[inline(always)]
    fn log_normaliser<M: Mode>([n, a, b]: [Real<M>; 3]) -> Real<M> {
        let sum = a + b;
        choices(sum) - choices(a) - choices(b) - choices(n + sum) + rest(n)
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [n, a, b]: [Real<M>; 3]) -> Real<M> {
        let (sum, failures) = (a + b, n - x);
        let success = sum / (n + sum);
        let failure = n / (n + sum);
        count(x, a, [success, failure]) + count(failures, b, [success, failure])
    }

    #[inline(always)]
    fn support<M: Mode>([n, _, _]: [Real<M>; 3]) -> Support<M> {
        Support::counts_to(n)
    }

    fn draw([n, a, b]: [f64; 3], stream: &mut Stream) -> f64 {
        binomial_draw(n, sample(Beta::new(a, b), stream), stream)
    }
}

/// The share of one kind of outcome, `x` times, in the log mass.
#[inline(always)]
fn count<M: Mode>(x: Real<M>, a: Real<M>, [success, failure]: [Real<M>; 2]) -> Real<M> {
    let total = x + a;
    choices(total) - rest(x) - a.deviance(total * success) - x.deviance(total * failure)
}
