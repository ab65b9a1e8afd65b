//! The arithmetic of algorithms that are written once, for numbers of a mode and for lanes.

use crate::function::{Function, Ln};
use crate::mode::Mode;
use crate::real::Real;
use crate::simd::Simd;
use std::marker::PhantomData;

/// Numbers of one kind. An algorithm chooses between values and does not branch, since lanes differ.
pub(crate) trait Arithmetic {
    /// A number, or one for each lane.
    type X: Copy;
    /// `x`, in every lane.
    fn constant(x: f64) -> Self::X;
    /// `a + b`.
    fn add(a: Self::X, b: Self::X) -> Self::X;
    /// `a - b`.
    fn sub(a: Self::X, b: Self::X) -> Self::X;
    /// `a * b`.
    fn mul(a: Self::X, b: Self::X) -> Self::X;
    /// `a / b`.
    fn div(a: Self::X, b: Self::X) -> Self::X;
    /// `√a`.
    fn sqrt(a: Self::X) -> Self::X;
    /// `ln a`.
    fn ln(a: Self::X) -> Self::X;
    /// `yes` where `a < b`, else `no`.
    fn where_less(a: Self::X, b: Self::X, yes: Self::X, no: Self::X) -> Self::X;
    /// Whether `a < b` in any lane.
    fn any_less(a: Self::X, b: Self::X) -> bool;

    /// `|a|`.
    #[inline(always)]
    fn abs(a: Self::X) -> Self::X {
        let zero = Self::constant(0.0);
        Self::where_less(a, zero, Self::sub(zero, a), a)
    }
    /// The larger of two numbers, NaN if `b` is.
    #[inline(always)]
    fn max(a: Self::X, b: Self::X) -> Self::X {
        Self::where_less(b, a, a, b)
    }
    /// Exchanges `x` and `y` where `a < b`.
    #[inline(always)]
    fn swap_where_less([a, b]: [Self::X; 2], [x, y]: [Self::X; 2]) -> [Self::X; 2] {
        [Self::where_less(a, b, y, x), Self::where_less(a, b, x, y)]
    }
}

/// Random scalars of a mode in which a program may look at a value.
pub(crate) struct Scalars<M>(PhantomData<M>);

impl<M: Mode> Arithmetic for Scalars<M> {
    type X = Real<M>;
    #[inline(always)]
    fn constant(x: f64) -> Real<M> {
        Real::constant(x)
    }
    #[inline(always)]
    fn add(a: Real<M>, b: Real<M>) -> Real<M> {
        a + b
    }
    #[inline(always)]
    fn sub(a: Real<M>, b: Real<M>) -> Real<M> {
        a - b
    }
    #[inline(always)]
    fn mul(a: Real<M>, b: Real<M>) -> Real<M> {
        a * b
    }
    #[inline(always)]
    fn div(a: Real<M>, b: Real<M>) -> Real<M> {
        a / b
    }
    #[inline(always)]
    fn sqrt(a: Real<M>) -> Real<M> {
        a.sqrt()
    }
    #[inline(always)]
    fn ln(a: Real<M>) -> Real<M> {
        a.ln()
    }
    #[inline(always)]
    fn where_less(a: Real<M>, b: Real<M>, yes: Real<M>, no: Real<M>) -> Real<M> {
        Real::select(a.lt(b), yes, no)
    }
    #[inline(always)]
    fn any_less(a: Real<M>, b: Real<M>) -> bool {
        M::plain_value(a.0) < M::plain_value(b.0)
    }
}

/// Eight lanes.
pub(crate) struct Lanes<S>(PhantomData<S>);

impl<S: Simd> Arithmetic for Lanes<S> {
    type X = S::Float;
    #[inline(always)]
    fn constant(x: f64) -> S::Float {
        S::splat(x)
    }
    #[inline(always)]
    fn add(a: S::Float, b: S::Float) -> S::Float {
        S::add(a, b)
    }
    #[inline(always)]
    fn sub(a: S::Float, b: S::Float) -> S::Float {
        S::sub(a, b)
    }
    #[inline(always)]
    fn mul(a: S::Float, b: S::Float) -> S::Float {
        S::mul(a, b)
    }
    #[inline(always)]
    fn div(a: S::Float, b: S::Float) -> S::Float {
        S::div(a, b)
    }
    #[inline(always)]
    fn sqrt(a: S::Float) -> S::Float {
        S::sqrt(a)
    }
    #[inline(always)]
    fn ln(a: S::Float) -> S::Float {
        Ln::lanes::<S>(a)
    }
    #[inline(always)]
    fn where_less(a: S::Float, b: S::Float, yes: S::Float, no: S::Float) -> S::Float {
        S::select(S::lt(a, b), yes, no)
    }
    #[inline(always)]
    fn any_less(a: S::Float, b: S::Float) -> bool {
        S::any(S::lt(a, b))
    }
}
