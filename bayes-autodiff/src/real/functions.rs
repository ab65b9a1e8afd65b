//! Functions of random scalars that are made of others, named like the methods of `f64`. All others are in the table of functions.

use super::Real;
use crate::mode::Mode;

/// Powers, and the larger or smaller of two numbers.
impl<M: Mode> Real<M> {
    /// `xⁿ` for a whole number `n`.
    #[inline(always)]
    #[must_use]
    pub fn powi(self, n: i32) -> Self {
        match n {
            -1 => self.recip(),
            0 => Self::constant(1.0),
            1 => self,
            2 => self.square(),
            3 => self.square() * self,
            _ => self.powf(f64::from(n)),
        }
    }
    /// The same as [`Real::pow`], by the name that `f64` has for it.
    #[inline(always)]
    #[must_use]
    pub fn powf(self, y: impl Into<Self>) -> Self {
        self.pow(y)
    }
    /// The larger of two; of equal values, `other`.
    #[inline(always)]
    #[must_use]
    pub fn max(self, other: impl Into<Self>) -> Self {
        let other = other.into();
        Self::select(self.le(other), other, self)
    }
    /// The smaller of two; of equal values, `self`.
    #[inline(always)]
    #[must_use]
    pub fn min(self, other: impl Into<Self>) -> Self {
        let other = other.into();
        Self::select(self.le(other), self, other)
    }
}
