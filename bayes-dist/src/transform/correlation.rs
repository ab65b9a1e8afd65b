//! Correlation matrices: symmetric, positive definite, with a diagonal of ones.

use super::correlation_cholesky;
use super::factor::{factor, product};
use bayes_autodiff::{Matrix, Mode, Real};

/// `R = L Lᵀ` with the factor of [`correlation_cholesky::constrain`].
///
/// ```text
/// ln |dR/du| = ln |dL/du| + Σ_k (d - k) ln L_kk        k = 1..d
/// ```
///
/// The Jacobian is for the strictly lower entries; `coordinates` has `dim (dim - 1) / 2` elements.
#[must_use]
#[inline(always)]
pub fn constrain<M: Mode>(dim: usize, coordinates: &[Real<M>]) -> (Matrix<M>, Real<M>) {
    let (lower, mut log_jacobian) = correlation_cholesky::constrain(dim, coordinates);
    let mut correlation = product(&lower);
    for k in 0..dim {
        // the last row does not contribute, even if its diagonal rounds to 0
        if k + 1 < dim {
            log_jacobian += lower[(k, k)].ln() * (dim - 1 - k) as f64;
        }
        correlation[(k, k)] = Real::constant(1.0);
    }
    (correlation, log_jacobian)
}

/// The coordinates of the factor of a matrix `[dim, dim]`, row-major.
#[must_use]
pub fn unconstrain(dim: usize, correlation: &[f64]) -> Vec<f64> {
    correlation_cholesky::unconstrain(dim, &factor(dim, correlation))
}
