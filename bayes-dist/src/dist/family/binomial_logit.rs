//! The binomial distribution on the logit scale.

use super::sampler::binomial_draw;
use super::{Constraint, Cumulative, Discrete, Family, ParameterInfo, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::function::{Exp, Function, Ln1p, LnLogistic, Logistic, Ternary};
use bayes_autodiff::simd::Simd;
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

/// `k ln σ(z) + m ln σ(-z)`: the log mass of `k` successes and `m` failures in a given order, by one logarithm.
struct Outcomes;

impl Ternary for Outcomes {
    const NAME: &'static str = "k ln σ(z) + m ln σ(-z)";
    bayes_autodiff::operation!(ternary Outcomes);
    fn value(k: f64, m: f64, z: f64) -> f64 {
        let unlikely = if z < 0.0 { k } else { m };
        -(z.abs() * unlikely + (k + m) * (-z.abs()).exp().ln_1p())
    }
    fn first(k: f64, m: f64, z: f64) -> (f64, [f64; 3]) {
        let (along_k, failure) = LnLogistic::first(z);
        let (along_m, success) = LnLogistic::first(-z);
        let slopes = [along_k, along_m, k * failure - m * success];
        (Self::value(k, m, z), slopes)
    }
    fn second(k: f64, m: f64, z: f64) -> (f64, [f64; 3], [[f64; 3]; 3]) {
        let (value, slopes) = Self::first(k, m, z);
        let (_, failure, curvature) = LnLogistic::second(z);
        let success = Logistic::value(z);
        let hessian = [
            [0.0, 0.0, failure],
            [0.0, 0.0, -success],
            [failure, -success, (k + m) * curvature],
        ];
        (value, slopes, hessian)
    }
    #[inline(always)]
    fn lanes_first<S: Simd>(k: S::Float, m: S::Float, z: S::Float) -> (S::Float, [S::Float; 3]) {
        let (zero, one) = (S::splat(0.0), S::splat(1.0));
        let (size, negative) = (S::abs(z), S::lt(z, zero));
        let exp = Exp::lanes::<S>(S::neg(size));
        let (log, high) = (Ln1p::lanes::<S>(exp), S::div(one, S::add(one, exp)));
        let low = S::mul(exp, high);
        let success = S::select(negative, low, high);
        let failure = S::select(negative, high, low);
        let unlikely = S::select(negative, k, m);
        let value = S::neg(S::mul_add(size, unlikely, S::mul(S::add(k, m), log)));
        let along_z = S::sub(S::mul(k, failure), S::mul(m, success));
        let [along_k, along_m] = [S::select(negative, z, zero), S::select(negative, zero, z)];
        let slopes = [S::sub(along_k, log), S::neg(S::add(along_m, log)), along_z];
        (value, slopes)
    }
    #[inline(always)]
    fn lanes<S: Simd>(k: S::Float, m: S::Float, z: S::Float) -> S::Float {
        Self::lanes_first::<S>(k, m, z).0
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
        n.ln_choose(x) + Real(M::ternary::<Outcomes>(x.0, (n - x).0, logit.0))
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
