//! Functions of a complex number.

use super::Complex;
use crate::mode::Mode;
use crate::real::Real;

impl<M: Mode> Complex<M> {
    /// The conjugate, `re - i im`.
    #[inline]
    #[must_use]
    pub fn conj(self) -> Self {
        Self::new(self.re, -self.im)
    }
    /// `|z|² = re² + im²`.
    #[inline]
    #[must_use]
    pub fn norm_sqr(self) -> Real<M> {
        self.re.square() + self.im.square()
    }
    /// `|z|`; its slope does not exist at 0.
    #[inline]
    #[must_use]
    pub fn norm(self) -> Real<M> {
        self.re.hypot(self.im)
    }
    /// The angle from the positive real axis in radians, in `[-π, π]`; it jumps at the negative real axis.
    #[inline]
    #[must_use]
    pub fn arg(self) -> Real<M> {
        self.im.atan2(self.re)
    }
    /// `eᶻ`.
    #[inline]
    #[must_use]
    pub fn exp(self) -> Self {
        Self::from_polar(self.re.exp(), self.im)
    }
    /// `1/z`.
    #[inline]
    #[must_use]
    pub fn recip(self) -> Self {
        self.conj() / self.norm_sqr()
    }
    /// `zⁿ` for a whole number `n`, by repeated squares.
    #[inline]
    #[must_use]
    pub fn powi(self, n: i32) -> Self {
        let mut square = if n < 0 { self.recip() } else { self };
        let mut left = n.unsigned_abs();
        let mut power = None;
        while left > 0 {
            if left % 2 == 1 {
                power = Some(power.map_or(square, |power| power * square));
            }
            left /= 2;
            if left > 0 {
                square = square * square;
            }
        }
        power.unwrap_or_else(|| Self::from(1.0))
    }
}
