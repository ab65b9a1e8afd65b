//! The elementary functions of a random scalar, named like the methods of `f64` where these exist.

use super::Real;
use crate::function;
use crate::mode::Mode;

/// Powers, exponentials and logarithms.
impl<M: Mode> Real<M> {
    /// `eˣ`.
    #[inline(always)]
    #[must_use]
    pub fn exp(self) -> Self {
        Self(M::unary::<function::Exp>(self.0))
    }
    /// `eˣ - 1`, accurate for small `x`.
    #[inline(always)]
    #[must_use]
    pub fn exp_m1(self) -> Self {
        Self(M::unary::<function::ExpM1>(self.0))
    }
    /// Natural logarithm.
    #[inline(always)]
    #[must_use]
    pub fn ln(self) -> Self {
        Self(M::unary::<function::Ln>(self.0))
    }
    /// `ln(1 + x)`, accurate for small `x`.
    #[inline(always)]
    #[must_use]
    pub fn ln_1p(self) -> Self {
        Self(M::unary::<function::Ln1p>(self.0))
    }
    /// Square root.
    #[inline(always)]
    #[must_use]
    pub fn sqrt(self) -> Self {
        Self(M::unary::<function::Sqrt>(self.0))
    }
    /// `1/x`.
    #[inline(always)]
    #[must_use]
    pub fn recip(self) -> Self {
        Self(M::unary::<function::Recip>(self.0))
    }
    /// `x²`.
    #[inline(always)]
    #[must_use]
    pub fn square(self) -> Self {
        Self(M::unary::<function::Square>(self.0))
    }
    /// `|x|`, with slope 0 at 0.
    #[inline(always)]
    #[must_use]
    pub fn abs(self) -> Self {
        Self(M::unary::<function::Abs>(self.0))
    }
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
    /// `xʸ` for a number or a random `y`; for `x > 0`, or for any `x` if `y` is data and a whole number.
    #[inline(always)]
    #[must_use]
    pub fn pow(self, y: impl Into<Self>) -> Self {
        Self(M::binary::<function::Pow>(self.0, y.into().0))
    }
    /// `x ln y`, which is 0 at `x = 0`.
    #[inline(always)]
    #[must_use]
    pub fn x_ln_y(self, y: impl Into<Self>) -> Self {
        Self(M::binary::<function::XLnY>(self.0, y.into().0))
    }
    /// `√(x² + y²)`.
    #[inline(always)]
    #[must_use]
    pub fn hypot(self, y: impl Into<Self>) -> Self {
        Self(M::binary::<function::Hypot>(self.0, y.into().0))
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

/// Circular and hyperbolic functions.
impl<M: Mode> Real<M> {
    /// Sine.
    #[inline(always)]
    #[must_use]
    pub fn sin(self) -> Self {
        Self(M::unary::<function::Sin>(self.0))
    }
    /// Cosine.
    #[inline(always)]
    #[must_use]
    pub fn cos(self) -> Self {
        Self(M::unary::<function::Cos>(self.0))
    }
    /// Tangent.
    #[inline(always)]
    #[must_use]
    pub fn tan(self) -> Self {
        Self(M::unary::<function::Tan>(self.0))
    }
    /// Arc sine.
    #[inline(always)]
    #[must_use]
    pub fn asin(self) -> Self {
        Self(M::unary::<function::Asin>(self.0))
    }
    /// Arc cosine.
    #[inline(always)]
    #[must_use]
    pub fn acos(self) -> Self {
        Self(M::unary::<function::Acos>(self.0))
    }
    /// Arc tangent.
    #[inline(always)]
    #[must_use]
    pub fn atan(self) -> Self {
        Self(M::unary::<function::Atan>(self.0))
    }
    /// Hyperbolic sine.
    #[inline(always)]
    #[must_use]
    pub fn sinh(self) -> Self {
        Self(M::unary::<function::Sinh>(self.0))
    }
    /// Hyperbolic cosine.
    #[inline(always)]
    #[must_use]
    pub fn cosh(self) -> Self {
        Self(M::unary::<function::Cosh>(self.0))
    }
    /// Hyperbolic tangent.
    #[inline(always)]
    #[must_use]
    pub fn tanh(self) -> Self {
        Self(M::unary::<function::Tanh>(self.0))
    }
    /// Inverse hyperbolic sine.
    #[inline(always)]
    #[must_use]
    pub fn asinh(self) -> Self {
        Self(M::unary::<function::Asinh>(self.0))
    }
    /// Inverse hyperbolic cosine.
    #[inline(always)]
    #[must_use]
    pub fn acosh(self) -> Self {
        Self(M::unary::<function::Acosh>(self.0))
    }
    /// Inverse hyperbolic tangent.
    #[inline(always)]
    #[must_use]
    pub fn atanh(self) -> Self {
        Self(M::unary::<function::Atanh>(self.0))
    }
    /// The angle of the point with ordinate `self`, as `f64::atan2`.
    #[inline(always)]
    #[must_use]
    pub fn atan2(self, abscissa: impl Into<Self>) -> Self {
        Self(M::binary::<function::Atan2>(self.0, abscissa.into().0))
    }
}
