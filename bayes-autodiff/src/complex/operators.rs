//! `+ - * /` among complex and real, random and plain numbers, by value and by reference.

use super::{Complex, Complex64};
use crate::mode::Mode;
use crate::real::Real;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// One operator on one pair of types, for all four ways of borrowing them.
macro_rules! operator {
    ($trait:ident, $method:ident, $left:ty, $right:ty, |$a:ident, $b:ident| [$re:expr, $im:expr]) => {
        impl<M: Mode> $trait<$right> for $left {
            type Output = Complex<M>;
            #[inline]
            fn $method(self, other: $right) -> Complex<M> {
                let ($a, $b) = (self, other);
                Complex::new($re, $im)
            }
        }
        impl<M: Mode> $trait<&$right> for $left {
            type Output = Complex<M>;
            #[inline]
            fn $method(self, other: &$right) -> Complex<M> {
                self.$method(*other)
            }
        }
        impl<M: Mode> $trait<$right> for &$left {
            type Output = Complex<M>;
            #[inline]
            fn $method(self, other: $right) -> Complex<M> {
                (*self).$method(other)
            }
        }
        impl<M: Mode> $trait<&$right> for &$left {
            type Output = Complex<M>;
            #[inline]
            fn $method(self, other: &$right) -> Complex<M> {
                (*self).$method(*other)
            }
        }
    };
}

/// Two complex numbers, at least one of them random. The quotient is the textbook's, `a conj(b) / |b|²`, as in `num-complex`.
macro_rules! complex_pair {
    ($($left:ty, $right:ty);+) => {$(
        operator!(Add, add, $left, $right, |a, b| [a.re + b.re, a.im + b.im]);
        operator!(Sub, sub, $left, $right, |a, b| [a.re - b.re, a.im - b.im]);
        operator!(Mul, mul, $left, $right, |a, b| [a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re]);
        impl<M: Mode> Div<$right> for $left {
            type Output = Complex<M>;
            #[inline]
            fn div(self, other: $right) -> Complex<M> {
                self * other.conj() / other.norm_sqr()
            }
        }
        impl<M: Mode> Div<&$right> for $left {
            type Output = Complex<M>;
            #[inline]
            fn div(self, other: &$right) -> Complex<M> {
                self / *other
            }
        }
        impl<M: Mode> Div<$right> for &$left {
            type Output = Complex<M>;
            #[inline]
            fn div(self, other: $right) -> Complex<M> {
                *self / other
            }
        }
        impl<M: Mode> Div<&$right> for &$left {
            type Output = Complex<M>;
            #[inline]
            fn div(self, other: &$right) -> Complex<M> {
                *self / *other
            }
        }
    )+};
}
complex_pair!(Complex<M>, Complex<M>; Complex<M>, Complex64; Complex64, Complex<M>);

/// A complex number and a real one, at least one of them random; `$left` is complex.
macro_rules! complex_and_real {
    ($($left:ty, $right:ty);+) => {$(
        operator!(Add, add, $left, $right, |a, b| [a.re + b, a.im]);
        operator!(Sub, sub, $left, $right, |a, b| [a.re - b, a.im]);
        operator!(Mul, mul, $left, $right, |a, b| [a.re * b, a.im * b]);
        operator!(Div, div, $left, $right, |a, b| [a.re / b, a.im / b]);
        operator!(Add, add, $right, $left, |a, b| [a + b.re, b.im]);
        operator!(Sub, sub, $right, $left, |a, b| [a - b.re, -b.im]);
        operator!(Mul, mul, $right, $left, |a, b| [a * b.re, a * b.im]);
        operator!(Div, div, $right, $left, |a, b| [
            a * b.re / b.norm_sqr(),
            -a * b.im / b.norm_sqr()
        ]);
    )+};
}
complex_and_real!(Complex<M>, Real<M>; Complex<M>, f64; Complex64, Real<M>);

/// An assigning operator on one right side.
macro_rules! assign {
    ($trait:ident, $method:ident, $operator:tt, $($right:ty),+) => {$(
        impl<M: Mode> $trait<$right> for Complex<M> {
            #[inline]
            fn $method(&mut self, other: $right) {
                *self = *self $operator other;
            }
        }
        impl<M: Mode> $trait<&$right> for Complex<M> {
            #[inline]
            fn $method(&mut self, other: &$right) {
                *self = *self $operator *other;
            }
        }
    )+};
}
assign!(AddAssign, add_assign, +, Complex<M>, Complex64, Real<M>, f64);
assign!(SubAssign, sub_assign, -, Complex<M>, Complex64, Real<M>, f64);
assign!(MulAssign, mul_assign, *, Complex<M>, Complex64, Real<M>, f64);
assign!(DivAssign, div_assign, /, Complex<M>, Complex64, Real<M>, f64);

impl<M: Mode> Neg for Complex<M> {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self::new(-self.re, -self.im)
    }
}

impl<M: Mode> Neg for &Complex<M> {
    type Output = Complex<M>;
    #[inline]
    fn neg(self) -> Complex<M> {
        -*self
    }
}

impl<M: Mode> Sum for Complex<M> {
    #[inline]
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        terms.fold(Self::default(), |sum, term| sum + term)
    }
}

impl<'a, M: Mode> Sum<&'a Complex<M>> for Complex<M> {
    #[inline]
    fn sum<I: Iterator<Item = &'a Self>>(terms: I) -> Self {
        terms.copied().sum()
    }
}

/// `Σ left[k] right[k]`, one sum of products for each part.
pub(super) fn sum_of_products<M: Mode>(
    pairs: impl Iterator<Item = (Complex<M>, Complex<M>)>,
) -> Complex<M> {
    let mut sum = Complex::default();
    for (a, b) in pairs {
        sum.re += a.re * b.re;
        sum.re -= a.im * b.im;
        sum.im += a.re * b.im;
        sum.im += a.im * b.re;
    }
    sum
}
