//! The uniform distribution.

use super::{Constraint, Continuous, Cumulative, Family, ParameterInfo, Tail, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use rand_distr::{Distribution as _, Open01};

/// Uniform distribution on an interval.
///
/// ```text
/// ln p(x) = -ln(high - low),    low ≤ x ≤ high
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Uniform;

impl Uniform {
    /// `low` and `high`: finite, `low < high`.
    pub fn new<A, B>(low: A, high: B) -> Univariate<Self, (A, B), 2> {
        Univariate::from_parameters((low, high))
    }
}

impl Family<2> for Uniform {
    const NAME: &'static str = "Uniform";
    const PARAMETERS: [ParameterInfo; 2] = [
        ParameterInfo::new("low", Constraint::Finite),
        ParameterInfo::new("high", Constraint::Finite),
    ];
    const BOUNDED_BY: [bool; 2] = [true, true];
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
        -(high - low).ln()
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(_: Real<M>, _: [Real<M>; 2]) -> Real<M> {
        Real::constant(0.0)
    }

    #[inline(always)]
    fn support<M: Mode>([low, high]: [Real<M>; 2]) -> Support<M> {
        Support::Interval(low, high)
    }

    fn draw([low, high]: [f64; 2], stream: &mut Stream) -> f64 {
        let u: f64 = Open01.sample(stream);
        low + (high - low) * u
    }
}

impl Cumulative<2> for Uniform {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [low, high]: [Real<M>; 2]) -> Real<M> {
        ((x - low) / (high - low)).ln()
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [low, high]: [Real<M>; 2]) -> Real<M> {
        ((high - x) / (high - low)).ln()
    }

    fn quantile(tail: Tail, [low, high]: [f64; 2]) -> f64 {
        if tail.is_below_median() {
            low + (high - low) * tail.log_lower().exp()
        } else {
            high - (high - low) * tail.log_upper().exp()
        }
    }
}
