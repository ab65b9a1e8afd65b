//! Differences `f(x + a) - f(x)` of `ln Γ` and its derivatives without cancellation.
//!
//! For large `x` both ends are written as the asymptotic series, whose difference is a divided difference.

use super::{BERNOULLI, LARGE, STIRLING, digamma, ln_gamma, trigamma};

/// `ln Γ(x + a) - ln Γ(x)` for `x > 0`, `x + a > 0`.
#[must_use]
pub fn ln_gamma_delta(x: f64, a: f64) -> f64 {
    if a < 0.0 {
        return -ln_gamma_delta(x + a, -a);
    }
    if x < 0.0 {
        // the number of steps below would grow with the distance of `x` from zero
        return f64::NAN;
    }
    if x >= LARGE {
        return large_ln_gamma_delta(x, a);
    }
    if a > 0.5 {
        return ln_gamma(x + a) - ln_gamma(x);
    }
    let mut sum = 0.0;
    let mut x = x;
    while x < LARGE {
        sum += (a / x).ln_1p();
        x += 1.0;
    }
    large_ln_gamma_delta(x, a) - sum
}

fn large_ln_gamma_delta(x: f64, a: f64) -> f64 {
    let end = x + a;
    let (u, w) = (1.0 / x, 1.0 / end);
    // S(end) - S(x) for S = u P(u²)
    let remainder = odd_difference(&STIRLING, u, w) * (-a * u * w);
    (x - 0.5) * (a * u).ln_1p() + a * (end.ln() - 1.0) + remainder
}

/// `ψ(x + a) - ψ(x)` for `x > 0`, `x + a > 0`.
#[must_use]
pub fn digamma_delta(x: f64, a: f64) -> f64 {
    if a < 0.0 {
        return -digamma_delta(x + a, -a);
    }
    if x <= 0.0 {
        return digamma(x + a) - digamma(x);
    }
    // in this order the product of two small numbers does not underflow
    let (x, sum) = shifted(x, |x| a / (x + a) / x);
    let (u, w) = (1.0 / x, 1.0 / (x + a));
    // ln x - u/2 - u·(u Q(u²)) with Q's coefficients B₂ₖ/(2k)
    let coefficients: [f64; 10] = std::array::from_fn(|i| BERNOULLI[i] / (2 * (i + 1)) as f64);
    let even = even_difference(&coefficients, u, w);
    sum + (a * u).ln_1p() + a * u * w * (0.5 + even)
}

/// `ψ'(x + a) - ψ'(x)` for `x > 0`, `x + a > 0`.
#[must_use]
pub fn trigamma_delta(x: f64, a: f64) -> f64 {
    if a < 0.0 {
        return -trigamma_delta(x + a, -a);
    }
    if x < 1e-8 {
        return trigamma(x + a) - trigamma(x);
    }
    let (x, sum) = shifted(x, |x| -a * (2.0 * x + a) / (x * (x + a)).powi(2));
    let (u, w) = (1.0 / x, 1.0 / (x + a));
    // u + u²/2 + u³ B(u²): the last term written as u·(u² B(u²))
    let mut coefficients = [0.0; 11];
    coefficients[1..].copy_from_slice(&BERNOULLI);
    let odd = odd_difference(&coefficients, u, w);
    sum - a * u * w * (1.0 + 0.5 * (u + w) + odd)
}

/// Steps `x` up until it is large, and sums `step` on the way.
fn shifted(mut x: f64, step: impl Fn(f64) -> f64) -> (f64, f64) {
    let mut sum = 0.0;
    while x < LARGE {
        sum += step(x);
        x += 1.0;
    }
    (x, sum)
}

/// `(w P(w²) - u P(u²)) / (w - u)`.
fn odd_difference<const K: usize>(coefficients: &[f64; K], u: f64, w: f64) -> f64 {
    let (value, difference) = divided(coefficients, u * u, w * w);
    // w P(w²) - u P(u²) = (w - u) P(u²) + w (P(w²) - P(u²))
    value + w * difference * (u + w)
}

/// `(w² P(w²) - u² P(u²)) / (w - u)`.
fn even_difference<const K: usize>(coefficients: &[f64; K], u: f64, w: f64) -> f64 {
    let (value, difference) = divided(coefficients, u * u, w * w);
    (value + w * w * difference) * (u + w)
}

/// `P(s)` and `(P(t) - P(s))/(t - s)` by Horner's rule for both.
fn divided<const K: usize>(coefficients: &[f64; K], s: f64, t: f64) -> (f64, f64) {
    coefficients
        .iter()
        .rev()
        .fold((0.0, 0.0), |(value, difference), c| {
            (value * s + c, difference * t + value)
        })
}
