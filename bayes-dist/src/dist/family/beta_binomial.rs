//! The beta-binomial distribution.

use super::elementary::rest;
use super::lifted::{LiftedFunction, lifted_operation, log_sum, of_three, packed, unpacked};
use super::sampler::{binomial_draw, sample};
use super::{Constraint, Cumulative, Discrete, Family, ParameterInfo, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::function::deviance_apart;
use bayes_autodiff::{Mode, Real, SingleParticle};
use rand_distr::Beta;
use std::f64::consts::LN_2;

/// Beta-binomial distribution: successes in `n` trials whose probability has a beta distribution.
///
/// ```text
/// ln p(k) = ln C(n, k) + ln B(k+a, n-k+b) - ln B(a, b),    k = 0..n
/// ```
///
/// It is the distribution of a negative binomial count of `a` successes, given its sum with a count of `b` successes,
/// whatever their common probability. At the probability that makes `n` the mean of the sum, each of the three masses
/// is two deviances and Stirling remainders (Loader 2000): no large terms cancel. Distribution functions are sums over
/// one tail, for `n` up to 67 million.
#[derive(Clone, Copy, Debug)]
pub struct BetaBinomial;

impl BetaBinomial {
    /// `n`: a whole number of trials, at least 0; `a` and `b`: finite and above zero.
    pub fn new<A, B, C>(n: A, a: B, b: C) -> Univariate<Self, (A, B, C), 3> {
        Univariate::from_parameters((n, a, b))
    }
}

/// The part of `ln C(total - 1, ·)` that depends on `total`, without its main terms.
#[inline(always)]
fn choices<M: Mode>(total: Real<M>) -> Real<M> {
    rest(total) - total.ln()
}

impl Family<3> for BetaBinomial {
    const NAME: &'static str = "BetaBinomial";
    const PARAMETERS: [ParameterInfo; 3] = [
        ParameterInfo::new("n", Constraint::Count),
        ParameterInfo::new("a", Constraint::Positive),
        ParameterInfo::new("b", Constraint::Positive),
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
        let shares = [sum / (n + sum), n / (n + sum)];
        // the excess of successes over the mean, in the units of `a` and `b`
        let apart = (x * (b / sum) - failures * (a / sum)) * shares[0];
        count(x, a, shares, apart) + count(failures, b, shares, -apart)
    }

    #[inline(always)]
    fn support<M: Mode>([n, _, _]: [Real<M>; 3]) -> Support<M> {
        Support::counts_to(n)
    }

    fn draw([n, a, b]: [f64; 3], stream: &mut Stream) -> f64 {
        binomial_draw(n, sample(Beta::new(a, b), stream), stream)
    }
}

/// The contribution of `x` outcomes of one kind to the log mass. `apart` is `total * success - a`, a difference that a
/// large `a` would swallow.
#[inline(always)]
fn count<M: Mode>(
    x: Real<M>,
    a: Real<M>,
    [success, failure]: [Real<M>; 2],
    apart: Real<M>,
) -> Real<M> {
    let total = x + a;
    let deviances = deviance_apart(a, total * success, apart) + x.deviance(total * failure);
    choices(total) - rest(x) - deviances
}

impl Cumulative<3> for BetaBinomial {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [n, a, b]: [Real<M>; 3]) -> Real<M> {
        of_three::<M, LogBelow>([packed(x, n), a, b])
    }

    /// The probability that at most `n - x - 1` trials fail.
    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [n, a, b]: [Real<M>; 3]) -> Real<M> {
        of_three::<M, LogBelow>([packed(n - x - 1.0, n), b, a])
    }
}

/// `ln P(X ≤ x)`: the sum of the masses in the smaller tail, each computed from its neighbour.
struct LogBelow;

impl LiftedFunction<3> for LogBelow {
    const NAME: &'static str = "ln F of the beta-binomial";
    lifted_operation!(ternary LogBelow);
    fn evaluate<M: SingleParticle>([counts, a, b]: [Real<M>; 3]) -> Real<M> {
        let [x, n] = unpacked(counts);
        if x < 0.0 {
            return Real::constant(f64::NEG_INFINITY);
        } else if x >= n {
            return Real::constant(0.0);
        }
        let parameters = [Real::constant(n), a, b];
        let log_mass = |k: f64| {
            let k = Real::constant(k);
            let kernel = BetaBinomial::log_kernel(k, parameters);
            kernel + BetaBinomial::log_normaliser(parameters)
        };
        let lower = log_mass(x)
            + log_sum(x, |j| {
                let k = x - j;
                (b + (n - k)) * (k / (n - k + 1.0)) / (a + (k - 1.0))
            });
        if lower.primal() < -LN_2 {
            return lower;
        }
        let upper = log_mass(x + 1.0)
            + log_sum(n - x - 1.0, |j| {
                let k = x + 1.0 + j;
                (a + k) * ((n - k) / (k + 1.0)) / (b + (n - k - 1.0))
            });
        upper.log1m_exp()
    }
}
