//! The two parts of Loader's saddle-point form of discrete densities.
//!
//! Loader (2000), "Fast and accurate computation of binomial probabilities": a Poisson or binomial
//! log mass is a sum of Stirling errors and deviances, all small, where the textbook form subtracts numbers of size `n ln n`.

use super::{BERNOULLI, LARGE, STIRLING, digamma, ln_gamma, polynomial, trigamma};
use crate::special::HALF_LN_TAU;

/// `ln Γ(x + 1) - ((x + ½) ln x - x + ½ ln 2π)`, the error of Stirling's formula, for `x > 0`.
#[must_use]
pub fn stirling_error(x: f64) -> f64 {
    if x >= LARGE || x.is_nan() {
        let r = 1.0 / x;
        return polynomial(&STIRLING, r * r) * r;
    }
    if x < 1.0 {
        return ln_gamma(x + 1.0) - (x + 0.5) * x.ln() + x - HALF_LN_TAU;
    }
    let mut sum = 0.0;
    let mut x = x;
    while x < LARGE {
        sum += stirling_step(x);
        x += 1.0;
    }
    sum + stirling_error(x)
}

/// `stirling_error(x) - stirling_error(x + 1) = (x + ½) ln(1 + 1/x) - 1` for `x ≥ 1`.
///
/// With `t = 1/(2x + 1)` it is `t²/3 + t⁴/5 + t⁶/7 + ...`, which has no cancellation.
fn stirling_step(x: f64) -> f64 {
    let t = 1.0 / (2.0 * x + 1.0);
    let square = t * t;
    // t² ≤ 1/9, so 17 terms leave less than 1e-17 of the sum
    (1..=17)
        .rev()
        .fold(0.0, |sum, k| (sum + 1.0 / f64::from(2 * k + 1)) * square)
}

/// First and second derivative of [`stirling_error`].
#[must_use]
pub fn stirling_error_derivatives(x: f64) -> (f64, f64) {
    if x < 1.0 {
        let r = 1.0 / x;
        return (digamma(x) - x.ln() + 0.5 * r, trigamma(x) - r - 0.5 * r * r);
    }
    let (mut first, mut second) = (0.0, 0.0);
    let mut x = x;
    while x < LARGE {
        let (a, b) = stirling_step_derivatives(x);
        first += a;
        second += b;
        x += 1.0;
    }
    let (a, b) = large_derivatives(x);
    (first + a, second + b)
}

/// Derivatives of [`stirling_step`], also by powers of `t`.
fn stirling_step_derivatives(x: f64) -> (f64, f64) {
    let t = 1.0 / (2.0 * x + 1.0);
    let square = t * t;
    // -2t (⅔t² + ⅘t⁴ + ...) and 8t⁴/(1 - t²)²
    let sum = (1..=18).rev().fold(0.0, |sum, k| {
        (sum + f64::from(2 * k) / f64::from(2 * k + 1)) * square
    });
    (-2.0 * t * sum, 8.0 * (square / (1.0 - square)).powi(2))
}

fn large_derivatives(x: f64) -> (f64, f64) {
    let u = 1.0 / (x * x);
    let slope: [f64; 10] = std::array::from_fn(|i| BERNOULLI[i] / (2 * (i + 1)) as f64);
    (
        -polynomial(&slope, u) * u,
        polynomial(&BERNOULLI, u) * u / x,
    )
}

/// `x ln(x/m) + m - x ≥ 0`: the Poisson deviance (halved) of an observation `x ≥ 0` from a mean `m ≥ 0`.
#[must_use]
pub fn deviance(x: f64, m: f64) -> f64 {
    if x == 0.0 {
        return m;
    }
    let difference = x - m;
    let sum = x + m;
    if difference.abs() >= 0.1 * sum {
        return x * (x / m).ln() - difference;
    }
    // Loader's series: with v = (x-m)/(x+m), ln(x/m) = 2(v + v³/3 + v⁵/5 + ...)
    let v = difference / sum;
    let square = v * v;
    // in this order nothing overflows
    difference * v + 2.0 * (x * v) * odd_tail(square)
}

/// [`deviance`]`(x, x + apart)` and its slopes in `x` and `apart`, if `x + apart` is near `x`: subtracts neither the ends nor slopes of
/// size 1.
#[must_use]
pub fn deviance_near(x: f64, apart: f64) -> Option<(f64, [f64; 2])> {
    // ln(1 + apart/x) = 2(w + w³/3 + w⁵/5 + ...) with w = apart/(2x + apart)
    let w = apart / (2.0 * x + apart);
    // written so that NaN does not count as near
    let near = w.abs() < 0.1;
    if !near {
        return None;
    }
    let tail = odd_tail(w * w);
    let value = apart * w - 2.0 * (x * w) * tail;
    // ln(1 + u) - u/(1 + u) with u = apart/x
    let in_x = -2.0 * w * (w / (1.0 + w) + tail);
    Some((value, [in_x, 2.0 * w / (1.0 + w)]))
}

/// `s/3 + s²/5 + s³/7 + ...` for `s < 0.01`: 8 terms leave less than 1e-17 of the sum.
fn odd_tail(s: f64) -> f64 {
    (1..=8)
        .rev()
        .fold(0.0, |sum, k| (sum + 1.0 / f64::from(2 * k + 1)) * s)
}
