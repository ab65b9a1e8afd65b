//! Flat priors: density 1 everywhere in the support.

use super::{Constraint, Continuous, Family, ParameterInfo, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real, Value};
use rand::RngExt;

/// The flat prior: density 1 on the whole line, above or below a bound, or between two.
///
/// ```text
/// ln p(x) = 0
/// ```
///
/// The flat prior is improper: it has no normaliser, so it has no draws and no evidence. Chains of NUTS, HMC and the
/// random walk need neither; they start at an unconstrained coordinate drawn uniformly from (-2, 2), as Stan does.
/// Engines that start from the prior (`smc`, `psmc`) and kernels that propose from it (pCN) reject a model with a
/// flat prior before sampling. Whether the posterior is proper depends on the data; the user must know it.
#[derive(Clone, Copy, Debug)]
pub struct Flat;

/// [`Flat`] below a bound.
#[derive(Clone, Copy, Debug)]
pub struct FlatBelow;

impl Flat {
    /// The flat prior on the whole real line.
    #[must_use]
    pub fn new() -> Univariate<Self, (), 0> {
        Univariate::from_parameters(())
    }

    /// The flat prior above `low`, which is finite.
    pub fn above<A>(low: A) -> Univariate<Self, (A,), 1> {
        Univariate::from_parameters((low,))
    }

    /// The flat prior below `high`, which is finite.
    pub fn below<A>(high: A) -> Univariate<FlatBelow, (A,), 1> {
        Univariate::from_parameters((high,))
    }

    /// The flat prior between `low` and `high`: finite, `low < high`. [`Uniform`](super::Uniform) is the proper
    /// distribution.
    pub fn between<A, B>(low: A, high: B) -> Univariate<Self, (A, B), 2> {
        Univariate::from_parameters((low, high))
    }
}

/// A starting point: uniform on (-2, 2) in the unconstrained coordinate, as in Stan.
fn start(support: Support<Value>, stream: &mut Stream) -> f64 {
    let coordinate = stream.random_range(-2.0..2.0);
    support.constrain(Real::constant(coordinate)).0.primal()
}

macro_rules! flat {
    ($($family:ty, $count:literal, [$($bound:ident),*] => $support:expr;)*) => {$(
        impl Family<$count> for $family {
            const NAME: &'static str = "Flat";
            const PARAMETERS: [ParameterInfo; $count] =
                [$(ParameterInfo::new(stringify!($bound), Constraint::Finite)),*];
            const BOUNDED_BY: [bool; $count] = [true; $count];
            const PROPER: bool = false;
            type Domain = Continuous;

            fn check(bounds: [f64; $count]) -> Result<(), (usize, &'static str)> {
                let increasing = bounds.windows(2).all(|pair| pair[0] < pair[1]);
                if increasing { Ok(()) } else { Err((1, "above `low`")) }
            }

            #[inline(always)]
            fn log_normaliser<M: Mode>(_: [Real<M>; $count]) -> Real<M> {
                Real::constant(0.0)
            }

            #[inline(always)]
            fn log_kernel<M: Mode>(_: Real<M>, _: [Real<M>; $count]) -> Real<M> {
                Real::constant(0.0)
            }

            #[inline(always)]
            fn support<M: Mode>([$($bound),*]: [Real<M>; $count]) -> Support<M> {
                $support
            }

            fn draw(bounds: [f64; $count], stream: &mut Stream) -> f64 {
                let support: Support<Value> = Self::support(bounds.map(Real::constant));
                start(support, stream)
            }
        }
    )*};
}

flat! {
    Flat, 0, [] => Support::Real;
    Flat, 1, [low] => Support::Above(low);
    FlatBelow, 1, [high] => Support::Below(high);
    Flat, 2, [low, high] => Support::Interval(low, high);
}
