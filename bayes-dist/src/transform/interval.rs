//! Numbers between two bounds.

use bayes_autodiff::function::UnitLogistic;
use bayes_autodiff::{Mode, Real};

/// Scaled logistic function.
///
/// ```text
/// x = low + (high - low) σ(u)       ln |dx/du| = ln(high - low) + ln σ(u) + ln σ(-u)
/// ```
///
/// The distance is taken from the nearer bound: `low + width * σ(u)` alone would lose every digit of a small `high
/// - x` when `high` is 0. Beyond `u = 36` rounding would move `x` to `high = 1` itself, where a density may have a
/// pole. There `x` stays one rounding below `high`.
#[inline(always)]
#[must_use]
pub fn constrain<M: Mode>(u: Real<M>, low: Real<M>, high: Real<M>) -> (Real<M>, Real<M>) {
    let width = high - low;
    let left = u.lt(0.0);
    let tail = width * Real::select(left, u, -u).logistic();
    let x = Real::select(left, low + tail, high - tail.max(width * f64::EPSILON));
    (x, width.ln() + u.ln_logistic() + (-u).ln_logistic())
}

/// [`constrain`] to the numbers from 0 to 1.
///
/// The trace knows the coordinate of such a number: it computes `ln x`, `ln(1 - x)` and `logit x` without rounding.
#[inline(always)]
#[must_use]
pub fn constrain_unit<M: Mode>(u: Real<M>) -> (Real<M>, Real<M>) {
    (
        Real(M::unary::<UnitLogistic>(u.0)),
        u.ln_logistic() + (-u).ln_logistic(),
    )
}

/// `u = ln(x - low) - ln(high - x)`.
#[must_use]
pub fn unconstrain(x: f64, low: f64, high: f64) -> f64 {
    (x - low).ln() - (high - x).ln()
}
