//! Whole numbers: a discrete value is its own coordinate.

use bayes_autodiff::function::Function;
use bayes_autodiff::{Mask, Mode, Real};

/// The nearest whole number; a step function, so its derivatives are 0.
pub struct Round;
impl Function for Round {
    const NAME: &'static str = "round";
    bayes_autodiff::operation!(unary Round);
    #[inline(always)]
    fn value(x: f64) -> f64 {
        x.round()
    }
    #[inline(always)]
    fn first(x: f64) -> (f64, f64) {
        (x.round(), 0.0)
    }
    #[inline(always)]
    fn second(x: f64) -> (f64, f64, f64) {
        (x.round(), 0.0, 0.0)
    }
}

/// `x` is `u` rounded to the nearest whole number; log Jacobian 0.
#[inline(always)]
#[must_use]
pub fn constrain<M: Mode>(u: Real<M>) -> (Real<M>, Real<M>) {
    (Real(M::unary::<Round>(u.0)), Real::constant(0.0))
}

/// `u = x`.
#[must_use]
pub fn unconstrain(x: f64) -> f64 {
    x
}

/// Whether `x` is a whole number.
#[inline(always)]
pub fn is_whole<M: Mode>(x: Real<M>) -> M::Mask {
    let rest = x - Real(M::unary::<Round>(x.0));
    rest.le(0.0).and(Real::constant(0.0).le(rest))
}
