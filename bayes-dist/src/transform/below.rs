//! Numbers below a bound.

use bayes_autodiff::{Mode, Real};

/// `x = high - e^-u`, log Jacobian `-u`; increasing in `u`, so order is preserved.
#[inline(always)]
#[must_use]
pub fn constrain<M: Mode>(u: Real<M>, high: Real<M>) -> (Real<M>, Real<M>) {
    (high - (-u).exp(), -u)
}

/// `u = -ln(high - x)`.
#[must_use]
pub fn unconstrain(x: f64, high: f64) -> f64 {
    -(high - x).ln()
}
