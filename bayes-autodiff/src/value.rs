//! Plain values: no derivatives.

use crate::function::{Binary, Function};
use crate::mode::Mode;
use crate::real::Real;
use crate::special::log_sum_exp;

/// Evaluation without derivatives: a random scalar is an `f64`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Value;

impl Mode for Value {
    type Repr = f64;
    type Mask = bool;

    #[inline(always)]
    fn constant(x: f64) -> f64 {
        x
    }
    #[inline(always)]
    fn primal(x: f64) -> f64 {
        x
    }
    #[inline(always)]
    fn add(a: f64, b: f64) -> f64 {
        a + b
    }
    #[inline(always)]
    fn sub(a: f64, b: f64) -> f64 {
        a - b
    }
    #[inline(always)]
    fn mul(a: f64, b: f64) -> f64 {
        a * b
    }
    #[inline(always)]
    fn div(a: f64, b: f64) -> f64 {
        a / b
    }
    #[inline(always)]
    fn neg(a: f64) -> f64 {
        -a
    }
    #[inline(always)]
    fn unary<F: Function>(a: f64) -> f64 {
        F::value(a)
    }
    #[inline(always)]
    fn binary<F: Binary>(a: f64, b: f64) -> f64 {
        F::value(a, b)
    }
    #[inline(always)]
    fn lt(a: f64, b: f64) -> bool {
        a < b
    }
    #[inline(always)]
    fn le(a: f64, b: f64) -> bool {
        a <= b
    }
    #[inline(always)]
    fn select(mask: bool, a: f64, b: f64) -> f64 {
        if mask { a } else { b }
    }
    fn log_sum_exp(elements: &[Real<Self>]) -> Real<Self> {
        Real(log_sum_exp(elements.iter().map(|x| x.0)))
    }
}
