//! The geometric distribution.

use super::{Constraint, Cumulative, Discrete, Family, ParameterInfo, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::function::{Binary, Function as _, Ln1p};
use bayes_autodiff::simd::Simd;
use bayes_autodiff::{Mode, Real};
use rand_distr::{Distribution as _, Exp1};

/// Geometric distribution: failures before the first success.
///
/// ```text
/// ln p(k) = ln p + k ln(1-p),    k = 0, 1, ...
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Geometric;

impl Geometric {
    /// `p`: the probability of success, above 0 and at most 1.
    pub fn new<A>(p: A) -> Univariate<Self, (A,), 1> {
        Univariate::from_parameters((p,))
    }
}

/// `x ln(1-p)`, which is 0 at `x = 0` for every `p`.
struct Failures;

impl Binary for Failures {
    const NAME: &'static str = "x ln(1-p)";
    bayes_autodiff::operation!(binary Failures);
    fn value(x: f64, p: f64) -> f64 {
        if x == 0.0 { 0.0 } else { x * (-p).ln_1p() }
    }
    fn first(x: f64, p: f64) -> (f64, [f64; 2]) {
        let along_p = if x == 0.0 { 0.0 } else { -x / (1.0 - p) };
        (Self::value(x, p), [(-p).ln_1p(), along_p])
    }
    fn second(x: f64, p: f64) -> (f64, [f64; 2], [f64; 3]) {
        let (value, gradient) = Self::first(x, p);
        let failure = 1.0 - p;
        let along_p = if x == 0.0 {
            0.0
        } else {
            -x / failure / failure
        };
        (value, gradient, [0.0, -1.0 / failure, along_p])
    }
    #[inline(always)]
    fn lanes_first<S: Simd>(x: S::Float, p: S::Float) -> (S::Float, [S::Float; 2]) {
        let (zero, ln) = (S::splat(0.0), Ln1p::lanes::<S>(S::neg(p)));
        let none = S::eq(x, zero);
        let slope = S::div(S::neg(x), S::sub(S::splat(1.0), p));
        let value = S::select(none, zero, S::mul(x, ln));
        (value, [ln, S::select(none, zero, slope)])
    }
    #[inline(always)]
    fn lanes<S: Simd>(x: S::Float, p: S::Float) -> S::Float {
        Self::lanes_first::<S>(x, p).0
    }
}

impl Family<1> for Geometric {
    const NAME: &'static str = "Geometric";
    const PARAMETERS: [ParameterInfo; 1] = [ParameterInfo::new("p", Constraint::Probability)];
    type Domain = Discrete;

    fn check([p]: [f64; 1]) -> Result<(), (usize, &'static str)> {
        if p > 0.0 { Ok(()) } else { Err((0, "above 0")) }
    }

    #[inline(always)]
    fn log_normaliser<M: Mode>([p]: [Real<M>; 1]) -> Real<M> {
        p.ln()
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [p]: [Real<M>; 1]) -> Real<M> {
        Real(M::binary::<Failures>(x.0, p.0))
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 1]) -> Support<M> {
        Support::counts()
    }

    fn draw([p]: [f64; 1], stream: &mut Stream) -> f64 {
        let exponential: f64 = Exp1.sample(stream);
        // ln(1-p) is minus infinity for p = 1
        (exponential / -(-p).ln_1p()).floor()
    }
}

impl Cumulative<1> for Geometric {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [p]: [Real<M>; 1]) -> Real<M> {
        ((x + 1.0) * (-p).ln_1p()).log1m_exp()
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [p]: [Real<M>; 1]) -> Real<M> {
        (x + 1.0) * (-p).ln_1p()
    }
}
