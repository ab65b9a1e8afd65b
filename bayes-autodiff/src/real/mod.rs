//! A random scalar in some mode, with the operators and functions of ordinary numbers.

mod functions;
mod operators;
mod plain_value;
mod special;

pub use plain_value::{PlainValue, SingleParticle};

use crate::mode::Mode;
use std::fmt;

/// A scalar that may depend on random values: mixes freely with `f64` on both sides of `+ - * /`.
///
/// Inside a model it is written `Real`; a function outside is generic over the mode,
/// `fn h<M: Mode>(a: Real<M>) -> Real<M>`.
///
/// It has no `PartialOrd`: a branch on a random value has no gradient at its threshold, and a program is recorded once for all
/// particles. Use [`Real::max`], [`Real::min`] and [`Real::abs`].
///
/// ```
/// use bayes_autodiff::{Mode, Real, Value};
///
/// fn line<M: Mode>(slope: Real<M>, x: &[f64]) -> Real<M> {
///     2.0 * slope * x[0] + x[0] * x[1]
/// }
/// assert_eq!(line::<Value>(Real::constant(3.0), &[1.0, 4.0]).primal(), 10.0);
/// ```
#[derive(Clone, Copy)]
pub struct Real<M: Mode>(pub M::Repr);

/// The value. The trace notices that a model reads it, as for [`PlainValue`](crate::PlainValue).
impl<M: Mode> fmt::Debug for Real<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Real")
            .field(&M::plain_value(self.0))
            .finish()
    }
}

impl<M: Mode> Real<M> {
    /// A number that does not depend on any random value.
    #[inline(always)]
    #[must_use]
    pub fn constant(x: f64) -> Self {
        Self(M::constant(x))
    }
    /// The value without derivatives.
    ///
    /// Only for modes that run the program for each particle: it does not compile in a function that is generic over the mode.
    #[inline(always)]
    #[must_use]
    pub fn primal(self) -> f64
    where
        M: SingleParticle,
    {
        M::plain_value(self.0)
    }
    /// `yes` where `mask` holds, else `no`; the other side has no effect on the result.
    #[inline(always)]
    #[must_use]
    pub fn select(mask: M::Mask, yes: impl Into<Self>, no: impl Into<Self>) -> Self {
        Self(M::select(mask, yes.into().0, no.into().0))
    }
    /// `self < other`.
    #[inline(always)]
    pub fn lt(self, other: impl Into<Self>) -> M::Mask {
        M::lt(self.0, other.into().0)
    }
    /// `self <= other`.
    #[inline(always)]
    pub fn le(self, other: impl Into<Self>) -> M::Mask {
        M::le(self.0, other.into().0)
    }
    /// `self > other`.
    #[inline(always)]
    pub fn gt(self, other: impl Into<Self>) -> M::Mask {
        other.into().lt(self)
    }
    /// `self >= other`.
    #[inline(always)]
    pub fn ge(self, other: impl Into<Self>) -> M::Mask {
        other.into().le(self)
    }
}

impl<M: Mode> Default for Real<M> {
    /// Zero.
    #[inline(always)]
    fn default() -> Self {
        Self::constant(0.0)
    }
}

impl<M: Mode> From<f64> for Real<M> {
    #[inline(always)]
    fn from(x: f64) -> Self {
        Self::constant(x)
    }
}

/// Counts and indices: whole numbers up to 2⁵³ are exact.
macro_rules! from_whole {
    ($($whole:ty),*) => {$(
        impl<M: Mode> From<$whole> for Real<M> {
            #[inline(always)]
            fn from(x: $whole) -> Self {
                Self::constant(x as f64)
            }
        }
    )*};
}
from_whole!(usize, u64, u32, i64, i32);

impl<M: Mode> From<&f64> for Real<M> {
    #[inline(always)]
    fn from(x: &f64) -> Self {
        Self::constant(*x)
    }
}

impl<M: Mode> From<&Self> for Real<M> {
    #[inline(always)]
    fn from(x: &Self) -> Self {
        *x
    }
}

#[cfg(test)]
mod tests {
    use crate::{Real, Value};

    #[test]
    fn comparisons_are_those_of_numbers() {
        for (a, b) in [(1.0, 2.0), (2.0, 2.0), (3.0, 2.0), (f64::NAN, 2.0)] {
            let x = Real::<Value>::constant(a);
            assert_eq!((x.lt(b), x.le(b)), (a < b, a <= b), "{a} and {b}");
            assert_eq!((x.gt(b), x.ge(b)), (a > b, a >= b), "{a} and {b}");
        }
    }
}
