//! Numbers above a bound; positive numbers are above 0.

use bayes_autodiff::{Mode, Real};

/// `x = low + e^u`, log Jacobian `u`.
#[inline(always)]
#[must_use]
pub fn constrain<M: Mode>(u: Real<M>, low: Real<M>) -> (Real<M>, Real<M>) {
    (low + u.exp(), u)
}

/// `u = ln(x - low)`.
#[must_use]
pub fn unconstrain(x: f64, low: f64) -> f64 {
    (x - low).ln()
}
