//! `ln Γ` and factorials.

use super::HALF_LN_TAU;

/// `ln |Γ(x)|`.
#[must_use]
pub fn ln_gamma(x: f64) -> f64 {
    libm::lgamma(x)
}

/// `ln x!` for `x > -1`: `ln Γ(x + 1)`.
///
/// Whole numbers up to 170 are the logarithm of the factorial itself, so the only errors are two roundings.
#[must_use]
pub fn ln_factorial(x: f64) -> f64 {
    if (0.0..=170.0).contains(&x) && x.fract() == 0.0 {
        // The guard bounds the index; 170! is the largest factorial below the largest f64.
        FACTORIAL[x as usize].ln()
    } else if x > 170.0 && x < f64::INFINITY {
        // Beside the large terms `Γ(x + 1) = x Γ(x)` avoids rounding `x + 1`.
        (x + 0.5) * x.ln() - x + (HALF_LN_TAU + super::stirling_error(x))
    } else {
        ln_gamma(x + 1.0)
    }
}

/// `0!` to `170!`, each the product of the one before.
static FACTORIAL: [f64; 171] = factorials();

const fn factorials() -> [f64; 171] {
    let mut table = [1.0; 171];
    let mut n = 1;
    while n < 171 {
        table[n] = table[n - 1] * n as f64;
        n += 1;
    }
    table
}
