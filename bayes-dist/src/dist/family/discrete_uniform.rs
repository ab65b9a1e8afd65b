//! The discrete uniform distribution.

use super::{Constraint, Cumulative, Discrete, Family, ParameterInfo, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use rand::RngExt;

/// Discrete uniform distribution: the whole numbers from `low` to `high`, both included, are equally probable.
///
/// ```text
/// ln p(k) = -ln(high - low + 1),    k = low, low + 1, ..., high
/// ```
///
/// Elsewhere: `discrete_range` in Stan, `DiscreteUniform` in PyMC and NumPyro.
#[derive(Clone, Copy, Debug)]
pub struct DiscreteUniform;

impl DiscreteUniform {
    /// `low` and `high`: whole numbers, also negative ones; `high` is at least `low`.
    pub fn new<A, B>(low: A, high: B) -> Univariate<Self, (A, B), 2> {
        Univariate::from_parameters((low, high))
    }
}

impl Family<2> for DiscreteUniform {
    const NAME: &'static str = "DiscreteUniform";
    const PARAMETERS: [ParameterInfo; 2] = [
        ParameterInfo::new("low", Constraint::Integer),
        ParameterInfo::new("high", Constraint::Integer),
    ];
    const BOUNDED_BY: [bool; 2] = [true; 2];
    type Domain = Discrete;

    fn check([low, high]: [f64; 2]) -> Result<(), (usize, &'static str)> {
        if low <= high {
            Ok(())
        } else {
            Err((1, "at least `low`"))
        }
    }

    #[inline(always)]
    fn log_normaliser<M: Mode>([low, high]: [Real<M>; 2]) -> Real<M> {
        -(high - low + 1.0).ln()
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(_: Real<M>, _: [Real<M>; 2]) -> Real<M> {
        Real::constant(0.0)
    }

    #[inline(always)]
    fn support<M: Mode>([low, high]: [Real<M>; 2]) -> Support<M> {
        Support::Integers { low, high }
    }

    fn draw([low, high]: [f64; 2], stream: &mut Stream) -> f64 {
        let step = (stream.random::<f64>() * (high - low + 1.0)).floor();
        // the product may round up to the number of values
        (low + step).min(high)
    }
}

impl Cumulative<2> for DiscreteUniform {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [low, high]: [Real<M>; 2]) -> Real<M> {
        log_share(x - low + 1.0, high - low + 1.0)
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [low, high]: [Real<M>; 2]) -> Real<M> {
        log_share(high - x, high - low + 1.0)
    }
}

/// `ln(part/all)`, accurate near 0 too.
#[inline(always)]
fn log_share<M: Mode>(part: Real<M>, all: Real<M>) -> Real<M> {
    let rest = (-((all - part) / all)).ln_1p();
    Real::select((part * 2.0).gt(all), rest, (part / all).ln())
}
