//! Special functions of plain `f64` that `std` lacks.
//!
//! Arguments are not checked: outside its domain a function gives NaN or an infinity.

mod beta;
mod delta;
mod gamma;
mod log_sum;
mod normal;
mod polygamma;
pub mod slopes;
mod stirling;

pub use beta::{ln_beta, ln_choose};
pub use delta::{digamma_delta, ln_gamma_delta, trigamma_delta};
pub use gamma::{ln_factorial, ln_gamma};
pub use log_sum::{FAR, LogTotal, is_far, log_add_exp, log_sum_exp};
pub use normal::{erfcx, inverse_mills, ln_norm_cdf, norm_cdf, norm_pdf, norm_quantile};
pub use polygamma::{digamma, pentagamma, tetragamma, trigamma};
pub use stirling::{deviance, deviance_near, stirling_error, stirling_error_derivatives};

/// `½ ln 2π`.
pub const HALF_LN_TAU: f64 = 0.918_938_533_204_672_7;

/// From here on the asymptotic series below are used; smaller arguments are shifted up.
const LARGE: f64 = 10.0;

/// Coefficients of `S(x) = Σₖ B₂ₖ/(2k(2k-1)) x¹⁻²ᵏ`, the remainder of Stirling's formula (NIST DLMF 5.11.1).
///
/// Ten terms leave less than 1e-19 at `x = 10`.
const STIRLING: [f64; 10] = [
    1.0 / 12.0,
    -1.0 / 360.0,
    1.0 / 1260.0,
    -1.0 / 1680.0,
    1.0 / 1188.0,
    -691.0 / 360_360.0,
    1.0 / 156.0,
    -3617.0 / 122_400.0,
    43_867.0 / 244_188.0,
    -174_611.0 / 125_400.0,
];

/// The Bernoulli numbers `B₂, B₄, ..., B₂₀`.
const BERNOULLI: [f64; 10] = [
    1.0 / 6.0,
    -1.0 / 30.0,
    1.0 / 42.0,
    -1.0 / 30.0,
    5.0 / 66.0,
    -691.0 / 2730.0,
    7.0 / 6.0,
    -3617.0 / 510.0,
    43_867.0 / 798.0,
    -174_611.0 / 330.0,
];

/// `Σₖ cₖ xᵏ` by Horner's rule.
#[inline]
fn polynomial<const K: usize>(coefficients: &[f64; K], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}
