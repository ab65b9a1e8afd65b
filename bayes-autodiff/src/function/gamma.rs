//! The gamma function's relatives.

use super::function;
use crate::simd::math;
use crate::special::{
    digamma, ln_factorial, ln_gamma, pentagamma, stirling_error, stirling_error_derivatives,
    tetragamma, trigamma,
};

function! {
    /// `ln Γ(x)` for `x > 0`.
    LnGamma, "ln_gamma", |x|
    value: ln_gamma(x),
    first: (ln_gamma(x), digamma(x)),
    second: (ln_gamma(x), digamma(x), trigamma(x)),
    lanes: math::ln_gamma(x)
}

function! {
    /// `ψ(x) = d/dx ln Γ(x)`.
    Digamma, "digamma", |x|
    value: digamma(x),
    first: (digamma(x), trigamma(x)),
    second: (digamma(x), trigamma(x), tetragamma(x)),
    lanes: math::digamma(x)
}

function! {
    /// `ψ'(x)`.
    Trigamma, "trigamma", |x|
    value: trigamma(x),
    first: (trigamma(x), tetragamma(x)),
    second: (trigamma(x), tetragamma(x), pentagamma(x)),
    lanes: math::trigamma(x)
}

function! {
    /// `ln x!`, exact (to rounding) at whole numbers, `ln Γ(x + 1)` between them.
    LnFactorial, "ln_factorial", |x|
    value: ln_factorial(x),
    first: (ln_factorial(x), digamma(x + 1.0)),
    second: (ln_factorial(x), digamma(x + 1.0), trigamma(x + 1.0)),
    lanes: math::ln_gamma(x + 1.0)
}

function! {
    /// The error of Stirling's formula for `x!`, for `x > 0`.
    StirlingError, "stirling_error", |x|
    value: stirling_error(x),
    first: (stirling_error(x), stirling_error_derivatives(x).0),
    second: {
        let (d, dd) = stirling_error_derivatives(x);
        (stirling_error(x), d, dd)
    },
    lanes: math::stirling_error(x)
}
