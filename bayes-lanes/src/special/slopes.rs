//! Values and slopes of functions of plain numbers.

use super::{digamma, digamma_delta, ln_beta, ln_choose, ln_gamma_delta};

/// `xʸ` and its gradient; the slope in `y` is 0 for `x ≤ 0`.
#[inline(always)]
#[must_use]
pub fn pow(x: f64, y: f64) -> (f64, [f64; 2]) {
    let f = x.powf(y);
    (f, [power_slope(x, y), f * ln_or_zero(x)])
}

/// `y x^(y-1)`, which is 0 and not `0 · ∞` for `y = 0`.
#[inline(always)]
#[must_use]
pub fn power_slope(x: f64, y: f64) -> f64 {
    if y == 0.0 { 0.0 } else { y * x.powf(y - 1.0) }
}

/// `ln x` for `x > 0`, otherwise 0.
#[inline(always)]
#[must_use]
pub fn ln_or_zero(x: f64) -> f64 {
    if x > 0.0 { x.ln() } else { 0.0 }
}

/// `ln B(x, y)` and its gradient.
#[inline(always)]
#[must_use]
pub fn beta(x: f64, y: f64) -> (f64, [f64; 2]) {
    (ln_beta(x, y), [-digamma_delta(x, y), -digamma_delta(y, x)])
}

/// `ln C(n, k)` and its gradient.
#[inline(always)]
#[must_use]
pub fn choose(n: f64, k: f64) -> (f64, [f64; 2]) {
    let rest = n - k + 1.0;
    (
        ln_choose(n, k),
        [digamma_delta(rest, k), digamma_delta(k + 1.0, n - 2.0 * k)],
    )
}

/// `ln Γ(x + a) - ln Γ(x)` and its gradient.
#[inline(always)]
#[must_use]
pub fn gamma_delta(x: f64, a: f64) -> (f64, [f64; 2]) {
    (ln_gamma_delta(x, a), [digamma_delta(x, a), digamma(x + a)])
}
