//! Truth values, one or eight.

use std::fmt::Debug;

/// The truth value of a comparison.
pub trait Mask: Copy + Debug {
    /// Both hold.
    #[must_use]
    fn and(self, other: Self) -> Self;
    /// At least one holds.
    #[must_use]
    fn or(self, other: Self) -> Self;
    /// The opposite.
    #[must_use]
    fn not(self) -> Self;
}

impl Mask for bool {
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self & other
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self | other
    }
    #[inline(always)]
    fn not(self) -> Self {
        !self
    }
}
