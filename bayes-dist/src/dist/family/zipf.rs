//! The Zipf distribution.

use super::lifted::{LiftedFunction, lifted_operation, of_two};
use super::quantile::invert;
use super::{Constraint, Cumulative, Discrete, Family, ParameterInfo, Tail, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real, SingleParticle, Value};
use rand::RngExt;
use std::f64::consts::LN_2;

/// Zipf (zeta) distribution: ranks whose probability is a power.
///
/// ```text
/// ln p(k) = -s ln k - ln ζ(s),    k = 1, 2, ...
/// ```
///
/// The zeta function and the upper tail are sums by the formula of Euler and Maclaurin (NIST DLMF 25.2.9). Ranks up to
/// a largest rank are `Zipf::new(s).truncated(1, largest)`. Elsewhere: Stan, PyMC and NumPyro have none; `Zipf` in
/// Pyro, `zipf` in SciPy.
#[derive(Clone, Copy, Debug)]
pub struct Zipf;

impl Zipf {
    /// `s`: the power, finite and above 1.
    pub fn new<A>(s: A) -> Univariate<Self, (A,), 1> {
        Univariate::from_parameters((s,))
    }
}

impl Family<1> for Zipf {
    const NAME: &'static str = "Zipf";
    const PARAMETERS: [ParameterInfo; 1] = [ParameterInfo::new("s", Constraint::Positive)];
    type Domain = Discrete;

    fn check([s]: [f64; 1]) -> Result<(), (usize, &'static str)> {
        if s > 1.0 { Ok(()) } else { Err((0, "above 1")) }
    }

    #[inline(always)]
    fn log_normaliser<M: Mode>([s]: [Real<M>; 1]) -> Real<M> {
        -of_two::<M, LogSumFrom>([Real::constant(1.0), s])
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [s]: [Real<M>; 1]) -> Real<M> {
        -s * x.ln()
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 1]) -> Support<M> {
        Support::Integers {
            low: Real::constant(1.0),
            high: Real::constant(f64::INFINITY),
        }
    }

    /// Rejection from a Pareto distribution (Devroye 1986, section X.6.1), with differences of powers near 1 computed
    /// without cancellation. Values that overflow become the largest number.
    fn draw([s]: [f64; 1], stream: &mut Stream) -> f64 {
        let less = s - 1.0;
        let most = (less * LN_2).exp_m1();
        loop {
            let (u, v): (f64, f64) = (1.0 - stream.random::<f64>(), stream.random());
            let x = u.powf(-less.recip()).floor().min(f64::MAX);
            let excess = (less * x.recip().ln_1p()).exp_m1();
            if v * x * excess * (most + 1.0) <= most * (excess + 1.0) {
                return x;
            }
        }
    }
}

impl Cumulative<1> for Zipf {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [s]: [Real<M>; 1]) -> Real<M> {
        of_two::<M, LogBelow>([x, s])
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [s]: [Real<M>; 1]) -> Real<M> {
        of_two::<M, LogSumFrom>([x + 1.0, s]) + Self::log_normaliser([s])
    }

    /// Far out, where doubles hardly resolve whole numbers, the integral replaces the sum.
    fn quantile(tail: Tail, [s]: [f64; 1]) -> f64 {
        let log_all = LogSumFrom::evaluate::<Value>([1.0, s].map(Real::constant)).primal();
        let log_x = -(tail.log_upper() + log_all + (s - 1.0).ln()) / (s - 1.0);
        if log_x > LARGEST.ln() {
            log_x.exp().min(f64::MAX)
        } else {
            invert::<Self, 1>(tail, [s])
        }
    }
}

/// Quantiles up to here are found among the whole numbers.
const LARGEST: f64 = 1e15;

/// The formula of Euler and Maclaurin starts here, or above `s` by nearly as much: its terms then fall by a factor of more than 20 up to the
/// tenth.
const START: f64 = 16.0;

/// A sum ends before terms of this share.
const NEGLIGIBLE: f64 = 1e-22;

/// `B₂ₖ/(2k)!` for `k = 1, 2, ...`.
const BERNOULLI: [f64; 10] = [
    1.0 / 12.0,
    -1.0 / 720.0,
    1.0 / 30_240.0,
    -1.0 / 1_209_600.0,
    1.0 / 47_900_160.0,
    -691.0 / 1_307_674_368_000.0,
    1.0 / 74_724_249_600.0,
    -3617.0 / 10_670_622_842_880_000.0,
    43_867.0 / 5_109_094_217_170_944_000.0,
    -174_611.0 / 802_857_662_698_291_200_000.0,
];

/// `ln Σ k⁻ˢ` over `k = m, m + 1, ...`.
struct LogSumFrom;

impl LiftedFunction<2> for LogSumFrom {
    const NAME: &'static str = "ln of the tail of the zeta function";
    lifted_operation!(binary LogSumFrom);
    fn evaluate<M: SingleParticle>([m, s]: [Real<M>; 2]) -> Real<M> {
        // a whole number, so there is no slope in it
        let first = m.primal();
        let ratio = |k: f64| (-s * ((k - first) / first).ln_1p()).exp();
        let start = START.max(s.primal().ceil() + START - 1.0);
        let mut sum = Real::constant(0.0);
        let mut k = first + 1.0;
        while k < start {
            let term = ratio(k);
            sum += term;
            if term.primal() * k <= NEGLIGIBLE * sum.primal() {
                return sum.ln_1p() - s * first.ln();
            }
            k += 1.0;
        }
        if first < start {
            // written so that the terms added to 1 keep their digits
            return (sum + rest(start, s) * ratio(start)).ln_1p() - s * first.ln();
        }
        (rest(first, s)).ln() - s * first.ln()
    }
}

/// `Σ (k/n)⁻ˢ` over `k = n, n + 1, ...` for a large `n`.
fn rest<M: SingleParticle>(n: f64, s: Real<M>) -> Real<M> {
    let mut sum = n / (s - 1.0) + 0.5;
    let mut term = s / n;
    for (k, coefficient) in BERNOULLI.into_iter().enumerate() {
        sum += term * coefficient;
        let order = 2.0 * k as f64;
        term = term * (s + (order + 1.0)) * (s + (order + 2.0)) / (n * n);
    }
    sum
}

/// `ln P(X ≤ x)`: the complement of the upper tail if that tail is smaller, otherwise a sum.
struct LogBelow;

/// Sums up to here are formed term by term.
const DIRECT: f64 = 1000.0;

impl LiftedFunction<2> for LogBelow {
    const NAME: &'static str = "ln F of Zipf";
    lifted_operation!(binary LogBelow);
    fn evaluate<M: SingleParticle>([x, s]: [Real<M>; 2]) -> Real<M> {
        let log_all = LogSumFrom::evaluate([Real::constant(1.0), s]);
        let above = LogSumFrom::evaluate([x + 1.0, s]) - log_all;
        let last = x.primal();
        if above.primal() < -LN_2 || last > DIRECT {
            return above.log1m_exp();
        }
        let mut sum = Real::constant(0.0);
        let mut k = last;
        // from the small terms up
        while k >= 1.0 {
            sum += (-s * k.ln()).exp();
            k -= 1.0;
        }
        sum.ln() - log_all
    }
}
