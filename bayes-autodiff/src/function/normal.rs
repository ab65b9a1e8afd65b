//! The error function and the standard normal distribution function.

use super::function;
use crate::simd::math;
use crate::special::{inverse_mills, ln_norm_cdf, norm_cdf, norm_pdf, norm_quantile};
use std::f64::consts::FRAC_2_SQRT_PI;

function! {
    /// Error function.
    Erf, "erf", |x|
    value: libm::erf(x),
    first: (libm::erf(x), FRAC_2_SQRT_PI * (-x * x).exp()),
    second: {
        let d = FRAC_2_SQRT_PI * (-x * x).exp();
        (libm::erf(x), d, -2.0 * x * d)
    },
    lanes: math::erf(x)
}

function! {
    /// Complementary error function `1 - erf(x)`.
    Erfc, "erfc", |x|
    value: libm::erfc(x),
    first: (libm::erfc(x), -FRAC_2_SQRT_PI * (-x * x).exp()),
    second: {
        let d = -FRAC_2_SQRT_PI * (-x * x).exp();
        (libm::erfc(x), d, -2.0 * x * d)
    },
    lanes: math::erfc(x)
}

function! {
    /// Standard normal distribution function `Φ(x)`.
    NormCdf, "norm_cdf", |x|
    value: norm_cdf(x),
    first: (norm_cdf(x), norm_pdf(x)),
    second: {
        let d = norm_pdf(x);
        (norm_cdf(x), d, -x * d)
    },
    lanes: math::norm_cdf(x)
}

function! {
    /// `ln Φ(x)`, accurate in both tails.
    LnNormCdf, "ln_norm_cdf", |x|
    value: ln_norm_cdf(x),
    first: (ln_norm_cdf(x), inverse_mills(x).0),
    second: {
        let (d, dd) = inverse_mills(x);
        (ln_norm_cdf(x), d, dd)
    },
    lanes: math::ln_norm_cdf(x)
}

function! {
    /// `Φ⁻¹(p)`, the standard normal quantile.
    NormQuantile, "norm_quantile", |p|
    value: norm_quantile(p),
    first: {
        let z = norm_quantile(p);
        (z, quantile_slope(p, z))
    },
    second: {
        let z = norm_quantile(p);
        let d = quantile_slope(p, z);
        (z, d, z * d * d)
    }
}

/// `1/φ(z)` for `Φ(z) = p`: in the tails `φ(z)` magnifies the rounding of `z` by `z²`, but `φ(z)/p` does not.
#[inline(always)]
fn quantile_slope(p: f64, z: f64) -> f64 {
    if p < 0.5 {
        1.0 / (p * inverse_mills(z).0)
    } else {
        1.0 / ((1.0 - p) * inverse_mills(-z).0)
    }
}
