//! The discrete Weibull distribution.

use super::quantile::invert;
use super::{Constraint, Cumulative, Discrete, Family, ParameterInfo, Tail, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use rand_distr::{Distribution as _, Exp1};

/// Discrete Weibull distribution: a Weibull time in whole periods.
///
/// ```text
/// P(X ≥ k) = q^(k^beta),    p(k) = q^(k^beta) - q^((k+1)^beta),    k = 0, 1, ...
/// ```
///
/// Nakagawa and Osaki (1975). Elsewhere: `DiscreteWeibull` in PyMC; Stan and NumPyro have none.
#[derive(Clone, Copy, Debug)]
pub struct DiscreteWeibull;

impl DiscreteWeibull {
    /// `q`: the probability of a value above 0, itself above 0 and below 1; `beta`: the shape, finite and above zero.
    pub fn new<A, B>(q: A, beta: B) -> Univariate<Self, (A, B), 2> {
        Univariate::from_parameters((q, beta))
    }
}

impl Family<2> for DiscreteWeibull {
    const NAME: &'static str = "DiscreteWeibull";
    const PARAMETERS: [ParameterInfo; 2] = [
        ParameterInfo::new("q", Constraint::Probability),
        ParameterInfo::new("beta", Constraint::Positive),
    ];
    type Domain = Discrete;

    fn check([q, _]: [f64; 2]) -> Result<(), (usize, &'static str)> {
        if q > 0.0 && q < 1.0 {
            Ok(())
        } else {
            Err((0, "above 0 and below 1"))
        }
    }

    /// With `a = k^β ln q` the kernel is `a + ln(1 - e^d)`, where `d = a ((1 + 1/k)^β - 1)` is not a difference of
    /// large numbers.
    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [q, beta]: [Real<M>; 2]) -> Real<M> {
        let log_q = q.ln();
        let positive = x.max(1.0);
        let at_least = log_q * (beta * positive.ln()).exp();
        let step = at_least * (beta * positive.recip().ln_1p()).exp_m1();
        let beyond = at_least + step.log1m_exp();
        Real::select(x.lt(0.5), log_q.log1m_exp(), beyond)
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 2]) -> Support<M> {
        Support::counts()
    }

    fn draw([q, beta]: [f64; 2], stream: &mut Stream) -> f64 {
        let exponential: f64 = Exp1.sample(stream);
        let time = (exponential / -q.ln()).powf(beta.recip());
        // values that overflow become the largest number
        time.floor().min(f64::MAX)
    }
}

impl Cumulative<2> for DiscreteWeibull {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, parameters: [Real<M>; 2]) -> Real<M> {
        Self::log_sf(x, parameters).log1m_exp()
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [q, beta]: [Real<M>; 2]) -> Real<M> {
        q.ln() * (beta * (x + 1.0).ln()).exp()
    }

    fn quantile(tail: Tail, [q, beta]: [f64; 2]) -> f64 {
        let time = (tail.log_upper() / q.ln()).powf(beta.recip());
        // far out, where doubles hardly resolve whole numbers, use the time itself
        if time > 1e15 {
            time.min(f64::MAX)
        } else {
            invert::<Self, 2>(tail, [q, beta])
        }
    }
}
