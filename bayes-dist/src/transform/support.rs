//! The support of a scalar distribution.

use super::{above, below, integers, interval, real};
use bayes_autodiff::{Mask, Mode, PlainValue, Real, Task};

/// The support of a scalar distribution; it determines the transform to the real line.
#[derive(Clone, Copy, Debug)]
pub enum Support<M: Mode> {
    /// The whole real line.
    Real,
    /// Above (or at) a lower bound.
    Above(Real<M>),
    /// Below (or at) an upper bound.
    Below(Real<M>),
    /// Between two bounds.
    Interval(Real<M>, Real<M>),
    /// Between 0 and 1.
    Unit,
    /// Whole numbers from `low` to `high` (both included; `high` may be infinite).
    Integers {
        /// Smallest value.
        low: Real<M>,
        /// Largest value.
        high: Real<M>,
    },
}

/// The smallest distance of a draw from a bound at 0, so that its product with an ordinary scale does not underflow.
const TINY: f64 = 1e-300;

impl<M: Mode> Support<M> {
    /// The numbers from 0 up.
    #[inline(always)]
    #[must_use]
    pub fn positive() -> Self {
        Self::Above(Real::constant(0.0))
    }

    /// The numbers from 0 to 1.
    #[inline(always)]
    #[must_use]
    pub fn unit() -> Self {
        Self::Unit
    }

    /// The whole numbers from 0 to `high`.
    #[inline(always)]
    #[must_use]
    pub fn counts_to(high: impl Into<Real<M>>) -> Self {
        Self::Integers {
            low: Real::constant(0.0),
            high: high.into(),
        }
    }

    /// The whole numbers from 0 up.
    #[inline(always)]
    #[must_use]
    pub fn counts() -> Self {
        Self::counts_to(f64::INFINITY)
    }

    /// Maps an unconstrained coordinate to the support; also returns the log Jacobian. Increasing.
    #[inline(always)]
    #[must_use]
    pub fn constrain(self, u: Real<M>) -> (Real<M>, Real<M>) {
        match self {
            Self::Real => real::constrain(u),
            // otherwise every prior would contain the code of all transforms
            bounded => M::call(Constrain { bounded, u }),
        }
    }

    /// The inverse of [`Support::constrain`].
    #[must_use]
    pub fn unconstrain(self, x: f64) -> f64 {
        match self {
            Self::Real => real::unconstrain(x),
            Self::Above(low) => above::unconstrain(x, low.plain_value()),
            Self::Below(high) => below::unconstrain(x, high.plain_value()),
            Self::Interval(low, high) => {
                interval::unconstrain(x, low.plain_value(), high.plain_value())
            }
            Self::Unit => interval::unconstrain(x, 0.0, 1.0),
            Self::Integers { .. } => integers::unconstrain(x),
        }
    }

    /// `log_density` if `x` is in the (closed) support, otherwise minus infinity.
    #[inline(always)]
    #[must_use]
    pub fn restrict(self, x: Real<M>, log_density: Real<M>) -> Real<M> {
        let outside = Real::constant(f64::NEG_INFINITY);
        match self {
            Self::Real => log_density,
            Self::Above(low) => Real::select(low.le(x), log_density, outside),
            Self::Below(high) => Real::select(x.le(high), log_density, outside),
            Self::Interval(low, high) => {
                Real::select(low.le(x).and(x.le(high)), log_density, outside)
            }
            Self::Unit => {
                let inside = Real::constant(0.0).le(x).and(x.le(1.0));
                Real::select(inside, log_density, outside)
            }
            Self::Integers { low, high } => {
                let inside = low.le(x).and(x.le(high)).and(integers::is_whole(x));
                Real::select(inside, log_density, outside)
            }
        }
    }

    /// Whether a plain number is in the support. A bound that is NaN is unknown and excludes nothing.
    #[inline(always)]
    #[must_use]
    pub fn contains(self, x: f64) -> bool {
        let above = |low: Real<M>| low.plain_value().is_nan() || x >= low.plain_value();
        let below = |high: Real<M>| high.plain_value().is_nan() || x <= high.plain_value();
        x.is_finite()
            && match self {
                Self::Real => true,
                Self::Above(low) => above(low),
                Self::Below(high) => below(high),
                Self::Interval(low, high) => above(low) && below(high),
                Self::Unit => (0.0..=1.0).contains(&x),
                Self::Integers { low, high } => above(low) && below(high) && x.fract() == 0.0,
            }
    }

    /// The nearest number strictly inside a continuous support: a number that rounding moved to a bound, or a
    /// heavy tail to infinity, has no finite coordinate. NaN stays NaN.
    #[must_use]
    pub fn interior(self, x: f64) -> f64 {
        let (low, high) = match self {
            Self::Real => (f64::NEG_INFINITY, f64::INFINITY),
            Self::Above(low) => (low.plain_value(), f64::INFINITY),
            Self::Below(high) => (f64::NEG_INFINITY, high.plain_value()),
            Self::Interval(low, high) => (low.plain_value(), high.plain_value()),
            Self::Unit => (0.0, 1.0),
            Self::Integers { .. } => return x,
        };
        let lowest = low.next_up().max(low + TINY);
        let highest = high.next_down().min(high - TINY);
        if x < lowest {
            lowest
        } else if x > highest {
            highest
        } else {
            x
        }
    }

    /// The support in words, for error messages. Bounds that are NaN are left out.
    #[must_use]
    pub fn words(self) -> String {
        let (what, low, high) = match self {
            Self::Real => ("a finite number", f64::NAN, f64::NAN),
            Self::Above(low) => ("a finite number", low.plain_value(), f64::NAN),
            Self::Below(high) => ("a finite number", f64::NAN, high.plain_value()),
            Self::Interval(low, high) => ("a number", low.plain_value(), high.plain_value()),
            Self::Unit => ("a number", 0.0, 1.0),
            Self::Integers { low, high } => {
                ("a whole number", low.plain_value(), high.plain_value())
            }
        };
        match (low.is_finite(), high.is_finite()) {
            (true, true) => format!("{what} from {low} to {high}"),
            (true, false) => format!("{what}, at least {low}"),
            (false, true) => format!("{what}, at most {high}"),
            (false, false) => what.to_owned(),
        }
    }
}

/// [`Support::constrain`] for a support that is not the whole line.
struct Constrain<M: Mode> {
    bounded: Support<M>,
    u: Real<M>,
}

impl<M: Mode> Task for Constrain<M> {
    type Output = (Real<M>, Real<M>);
    #[inline(always)]
    fn run(self) -> Self::Output {
        let u = self.u;
        match self.bounded {
            Support::Real => real::constrain(u),
            Support::Above(low) => above::constrain(u, low),
            Support::Below(high) => below::constrain(u, high),
            Support::Interval(low, high) => interval::constrain(u, low, high),
            Support::Unit => interval::constrain_unit(u),
            Support::Integers { .. } => integers::constrain(u),
        }
    }
}
