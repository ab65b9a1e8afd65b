//! `+ - * /` among random scalars and data, by value and by reference.

use super::Real;
use crate::function::Recip;
use crate::mode::Mode;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// One operator on one pair of types, for all four ways of borrowing them.
macro_rules! operator {
    ($trait:ident, $method:ident, $left:ty, $right:ty, |$a:ident, $b:ident| $body:expr) => {
        impl<M: Mode> $trait<$right> for $left {
            type Output = Real<M>;
            #[inline(always)]
            fn $method(self, other: $right) -> Real<M> {
                let ($a, $b) = (self, other);
                Real($body)
            }
        }
        impl<M: Mode> $trait<&$right> for $left {
            type Output = Real<M>;
            #[inline(always)]
            fn $method(self, other: &$right) -> Real<M> {
                self.$method(*other)
            }
        }
        impl<M: Mode> $trait<$right> for &$left {
            type Output = Real<M>;
            #[inline(always)]
            fn $method(self, other: $right) -> Real<M> {
                (*self).$method(other)
            }
        }
        impl<M: Mode> $trait<&$right> for &$left {
            type Output = Real<M>;
            #[inline(always)]
            fn $method(self, other: &$right) -> Real<M> {
                (*self).$method(*other)
            }
        }
    };
}

operator!(Add, add, Real<M>, Real<M>, |a, b| M::add(a.0, b.0));
operator!(Sub, sub, Real<M>, Real<M>, |a, b| M::sub(a.0, b.0));
operator!(Mul, mul, Real<M>, Real<M>, |a, b| M::mul(a.0, b.0));
operator!(Div, div, Real<M>, Real<M>, |a, b| M::div(a.0, b.0));

operator!(Add, add, Real<M>, f64, |a, b| M::add_data(a.0, b));
operator!(Sub, sub, Real<M>, f64, |a, b| M::add_data(a.0, -b));
operator!(Mul, mul, Real<M>, f64, |a, b| M::scale(a.0, b));
operator!(Div, div, Real<M>, f64, |a, b| M::div_data(a.0, b));

operator!(Add, add, f64, Real<M>, |a, b| M::add_data(b.0, a));
operator!(Sub, sub, f64, Real<M>, |a, b| M::add_data(M::neg(b.0), a));
operator!(Mul, mul, f64, Real<M>, |a, b| M::scale(b.0, a));
operator!(Div, div, f64, Real<M>, |a, b| M::scale(
    M::unary::<Recip>(b.0),
    a
));

/// An assigning operator on one right side.
macro_rules! assign {
    ($trait:ident, $method:ident, $right:ty, |$a:ident, $b:ident| $body:expr) => {
        impl<M: Mode> $trait<$right> for Real<M> {
            #[inline(always)]
            fn $method(&mut self, $b: $right) {
                let $a = &mut *self;
                $body;
            }
        }
        impl<M: Mode> $trait<&$right> for Real<M> {
            #[inline(always)]
            fn $method(&mut self, other: &$right) {
                self.$method(*other);
            }
        }
    };
}

assign!(AddAssign, add_assign, Real<M>, |a, b| M::accumulate(
    &mut a.0, b.0
));
assign!(SubAssign, sub_assign, Real<M>, |a, b| *a = *a - b);
assign!(MulAssign, mul_assign, Real<M>, |a, b| *a = *a * b);
assign!(DivAssign, div_assign, Real<M>, |a, b| *a = *a / b);
assign!(AddAssign, add_assign, f64, |a, b| *a = *a + b);
assign!(SubAssign, sub_assign, f64, |a, b| *a = *a - b);
assign!(MulAssign, mul_assign, f64, |a, b| *a = *a * b);
assign!(DivAssign, div_assign, f64, |a, b| *a = *a / b);

impl<M: Mode> Neg for Real<M> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(M::neg(self.0))
    }
}

impl<M: Mode> Neg for &Real<M> {
    type Output = Real<M>;
    #[inline(always)]
    fn neg(self) -> Real<M> {
        -*self
    }
}

impl<M: Mode> Sum for Real<M> {
    #[inline(always)]
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        let mut sum = Self::constant(0.0);
        for term in terms {
            sum += term;
        }
        sum
    }
}

impl<'a, M: Mode> Sum<&'a Real<M>> for Real<M> {
    #[inline(always)]
    fn sum<I: Iterator<Item = &'a Self>>(terms: I) -> Self {
        let mut sum = Self::constant(0.0);
        for term in terms {
            sum += *term;
        }
        sum
    }
}
