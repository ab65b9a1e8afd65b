//! Eight numbers with operators, so that formulas read as formulas.

use crate::simd::Simd;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// The eight lanes of a [`Simd`].
#[derive(Clone, Copy, Debug)]
pub struct Pack<S: Simd>(pub S::Float);

/// An operand beside a [`Pack`] in arithmetic: another pack, or one number for all lanes.
pub trait Operand<S: Simd>: Copy {
    fn pack(self) -> Pack<S>;
}

impl<S: Simd> Operand<S> for Pack<S> {
    #[inline(always)]
    fn pack(self) -> Self {
        self
    }
}

impl<S: Simd> Operand<S> for f64 {
    #[inline(always)]
    fn pack(self) -> Pack<S> {
        Pack(S::splat(self))
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident)+) => {$(
        impl<S: Simd, T: Operand<S>> $trait<T> for Pack<S> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: T) -> Self {
                Self(S::$method(self.0, other.pack().0))
            }
        }
        impl<S: Simd> $trait<Pack<S>> for f64 {
            type Output = Pack<S>;
            #[inline(always)]
            fn $method(self, other: Pack<S>) -> Pack<S> {
                Pack(S::$method(S::splat(self), other.0))
            }
        }
    )+};
}
operators!(Add add Sub sub Mul mul Div div);

impl<S: Simd> Neg for Pack<S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(S::neg(self.0))
    }
}

impl<S: Simd> Pack<S> {
    /// `self * b + c`, fused where the instruction set can.
    #[inline(always)]
    pub fn mul_add(self, b: impl Operand<S>, c: impl Operand<S>) -> Self {
        Self(S::mul_add(self.0, b.pack().0, c.pack().0))
    }
    #[inline(always)]
    pub fn abs(self) -> Self {
        Self(S::abs(self.0))
    }
    #[inline(always)]
    pub fn sqrt(self) -> Self {
        Self(S::sqrt(self.0))
    }
    /// The magnitude of `self` with the sign of `sign`.
    #[inline(always)]
    pub fn copysign(self, sign: Self) -> Self {
        Self(S::copysign(self.0, sign.0))
    }
    /// -1, 0 or 1; 0 for NaN.
    #[inline(always)]
    pub fn sign(self) -> Self {
        select(self.gt(0.0), 1.0, select(self.lt(0.0), -1.0, 0.0))
    }
    /// The larger of the two; `self` where one is NaN.
    #[inline(always)]
    pub fn max(self, other: impl Operand<S>) -> Self {
        Self(S::max(other.pack().0, self.0))
    }
    /// The smaller of the two; `self` where one is NaN.
    #[inline(always)]
    pub fn min(self, other: impl Operand<S>) -> Self {
        Self(S::min(other.pack().0, self.0))
    }
    #[inline(always)]
    pub fn lt(self, other: impl Operand<S>) -> S::Mask {
        S::lt(self.0, other.pack().0)
    }
    #[inline(always)]
    pub fn gt(self, other: impl Operand<S>) -> S::Mask {
        S::lt(other.pack().0, self.0)
    }
    #[inline(always)]
    pub fn ge(self, other: impl Operand<S>) -> S::Mask {
        S::le(other.pack().0, self.0)
    }
    #[inline(always)]
    pub fn eq(self, other: impl Operand<S>) -> S::Mask {
        S::eq(self.0, other.pack().0)
    }
    /// The nearest whole number for `|self| < 2⁵¹`.
    #[inline(always)]
    pub fn round(self) -> Self {
        (self + ROUND) - ROUND
    }
    /// `2ⁿ` for whole `-1022 ≤ n ≤ 1023`.
    #[inline(always)]
    pub fn power_of_two(self) -> Self {
        Self(S::power_of_two(self.0))
    }
}

/// `a` where `mask` holds, else `b`.
#[inline(always)]
pub fn select<S: Simd>(mask: S::Mask, a: impl Operand<S>, b: impl Operand<S>) -> Pack<S> {
    Pack(S::select(mask, a.pack().0, b.pack().0))
}

/// Adding this to a number below 2⁵¹ and subtracting it again rounds the number to a whole number.
pub const ROUND: f64 = 6_755_399_441_055_744.0;

/// `Σₖ cₖ xᵏ`, the even and the odd powers separately: half the latency of Horner's rule for one more operation.
#[inline(always)]
pub fn polynomial<S: Simd, const K: usize>(coefficients: &[f64; K], x: Pack<S>) -> Pack<S> {
    let square = x * x;
    let last = K - 1;
    let mut even = coefficients[last - last % 2].pack();
    let mut odd = coefficients[last - (last + 1) % 2].pack();
    let mut k = last - last % 2;
    while k >= 2 {
        k -= 2;
        even = even.mul_add(square, coefficients[k]);
    }
    let mut k = last - (last + 1) % 2;
    while k >= 3 {
        k -= 2;
        odd = odd.mul_add(square, coefficients[k]);
    }
    odd.mul_add(x, even)
}
