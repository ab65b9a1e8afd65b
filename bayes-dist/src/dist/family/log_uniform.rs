//! The log-uniform distribution.

use super::{Constraint, Continuous, Cumulative, Family, ParameterInfo, Tail, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::function::Binary;
use bayes_autodiff::{Mode, Real};
use rand::RngExt;

/// Log-uniform (reciprocal) distribution: the logarithm is uniform, as for a scale of unknown magnitude.
///
/// ```text
/// ln p(x) = -ln x - ln ln(high/low),    low ≤ x ≤ high
/// ```
///
/// Elsewhere: `LogUniform` in NumPyro; Stan and PyMC have none.
#[derive(Clone, Copy, Debug)]
pub struct LogUniform;

impl LogUniform {
    /// `low`: finite and above zero; `high`: finite and above `low`.
    pub fn new<A, B>(low: A, high: B) -> Univariate<Self, (A, B), 2> {
        Univariate::from_parameters((low, high))
    }
}

/// `ln(high/low)` for positive numbers, with all digits even if the two are close, or if their ratio is not a double.
struct LogRatio;

impl Binary for LogRatio {
    const NAME: &'static str = "ln(high/low)";
    bayes_autodiff::operation!(binary LogRatio);
    fn value(high: f64, low: f64) -> f64 {
        let excess = (high - low) / low;
        if excess < f64::INFINITY {
            excess.ln_1p()
        } else {
            high.ln() - low.ln()
        }
    }
    fn first(high: f64, low: f64) -> (f64, [f64; 2]) {
        (Self::value(high, low), [1.0 / high, -1.0 / low])
    }
    fn second(high: f64, low: f64) -> (f64, [f64; 2], [f64; 3]) {
        let (value, slopes) = Self::first(high, low);
        (value, slopes, [-1.0 / high / high, 0.0, 1.0 / low / low])
    }
}

/// [`LogRatio`] of random values.
#[inline(always)]
fn log_ratio<M: Mode>(high: Real<M>, low: Real<M>) -> Real<M> {
    Real(M::binary::<LogRatio>(high.0, low.0))
}

impl Family<2> for LogUniform {
    const NAME: &'static str = "LogUniform";
    const PARAMETERS: [ParameterInfo; 2] = [
        ParameterInfo::new("low", Constraint::Positive),
        ParameterInfo::new("high", Constraint::Positive),
    ];
    const BOUNDED_BY: [bool; 2] = [true; 2];
    type Domain = Continuous;

    fn check([low, high]: [f64; 2]) -> Result<(), (usize, &'static str)> {
        if low < high {
            Ok(())
        } else {
            Err((1, "above `low`"))
        }
    }

    #[inline(always)]
    fn log_normaliser<M: Mode>([low, high]: [Real<M>; 2]) -> Real<M> {
        -log_ratio(high, low).ln()
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(_: Real<M>, _: [Real<M>; 2]) -> Real<M> {
        Real::constant(0.0)
    }

    #[inline(always)]
    fn log_base<M: Mode>(x: Real<M>) -> Real<M> {
        -x.ln()
    }

    #[inline(always)]
    fn support<M: Mode>([low, high]: [Real<M>; 2]) -> Support<M> {
        Support::Interval(low, high)
    }

    fn draw([low, high]: [f64; 2], stream: &mut Stream) -> f64 {
        let u: f64 = stream.random();
        (low.ln() + u * LogRatio::value(high, low)).exp()
    }
}

impl Cumulative<2> for LogUniform {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [low, high]: [Real<M>; 2]) -> Real<M> {
        log_share(log_ratio(x, low), log_ratio(high, x))
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [low, high]: [Real<M>; 2]) -> Real<M> {
        log_share(log_ratio(high, x), log_ratio(x, low))
    }

    fn quantile(tail: Tail, [low, high]: [f64; 2]) -> f64 {
        // at most half of the decades of f64, so that the exponential does not overflow
        let all = LogRatio::value(high, low);
        if tail.is_below_median() {
            low * (tail.log_lower().exp() * all).exp()
        } else {
            high * (-tail.log_upper().exp() * all).exp()
        }
    }
}

/// `ln(part/(part + rest))`, accurate near 0 too.
#[inline(always)]
fn log_share<M: Mode>(part: Real<M>, rest: Real<M>) -> Real<M> {
    let all = part + rest;
    Real::select(rest.lt(part), (-(rest / all)).ln_1p(), (part / all).ln())
}
