//! Unevaluated sums of two numbers, for the few places that need more than 53 bits.

use super::pack::{Operand, Pack};
use crate::simd::{InstructionSet, Simd};

/// `high + low`, with `low` below the rounding of `high`.
#[derive(Clone, Copy, Debug)]
pub struct Double<S: Simd> {
    pub high: Pack<S>,
    pub low: Pack<S>,
}

impl<S: Simd> Double<S> {
    /// `a + b` exactly, for `|a| ≥ |b|` or `a = 0` (Dekker 1971).
    #[inline(always)]
    pub fn ordered_sum(a: impl Operand<S>, b: impl Operand<S>) -> Self {
        let (a, b) = (a.pack(), b.pack());
        let high = a + b;
        Self {
            high,
            low: b - (high - a),
        }
    }
    /// `a + b` exactly (Knuth).
    #[inline(always)]
    pub fn sum(a: impl Operand<S>, b: impl Operand<S>) -> Self {
        let (a, b) = (a.pack(), b.pack());
        let high = a + b;
        let part = high - a;
        Self {
            high,
            low: (a - (high - part)) + (b - part),
        }
    }
    /// `a * b` exactly, for factors below 2⁹⁹⁶ whose product keeps its low half above the smallest number.
    #[inline(always)]
    pub fn product(a: impl Operand<S>, b: impl Operand<S>) -> Self {
        let (a, b) = (a.pack(), b.pack());
        let high = a * b;
        let low = if S::INSTRUCTION_SET == InstructionSet::Portable {
            // Dekker (1971): without a fused multiply-add the halves are multiplied one by one
            let ((a, d), (b, e)) = (halves(a), halves(b));
            ((a * b - high) + a * e + d * b) + d * e
        } else {
            a.mul_add(b, -high)
        };
        Self { high, low }
    }
    /// The product with `other`, to about 104 bits.
    #[inline(always)]
    pub fn times(self, other: Self) -> Self {
        let main = Self::product(self.high, other.high);
        let rest = self
            .high
            .mul_add(other.low, self.low.mul_add(other.high, main.low));
        Self::ordered_sum(main.high, rest)
    }
    /// The sum with `other`, no larger than `self`, to about 104 bits.
    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        let main = Self::ordered_sum(self.high, other.high);
        Self::ordered_sum(main.high, main.low + (self.low + other.low))
    }
    /// The sum with a number about as small as `low`.
    #[inline(always)]
    pub fn plus_low(self, low: Pack<S>) -> Self {
        Self::ordered_sum(self.high, self.low + low)
    }
    /// Rounded to one number.
    #[inline(always)]
    pub fn value(self) -> Pack<S> {
        self.high + self.low
    }
}

/// `x` as a sum of two numbers of 26 bits.
#[inline(always)]
fn halves<S: Simd>(x: Pack<S>) -> (Pack<S>, Pack<S>) {
    let scaled = x * 134_217_729.0;
    let high = scaled - (scaled - x);
    (high, x - high)
}
