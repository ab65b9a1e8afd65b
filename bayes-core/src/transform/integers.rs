//! Whole numbers: a discrete value is its own coordinate.

use crate::dist::elementary::Round;
use bayes_autodiff::{Mask, Mode, Real};

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
