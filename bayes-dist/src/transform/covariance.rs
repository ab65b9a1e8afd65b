//! Covariance matrices: symmetric and positive definite.

use super::covariance_cholesky;
use super::factor::{factor, product};
use bayes_autodiff::{Matrix, Mode, Real};

/// `Σ = L Lᵀ` with the factor of [`covariance_cholesky::constrain`].
///
/// ```text
/// ln |dΣ/du| = d ln 2 + Σ_i (d - i + 2) u_ii        i = 1..d
/// ```
///
/// The Jacobian is for the lower triangle with the diagonal; `coordinates` has `dim (dim + 1) / 2` elements.
#[must_use]
#[inline(always)]
pub fn constrain<M: Mode>(dim: usize, coordinates: &[Real<M>]) -> (Matrix<M>, Real<M>) {
    let (lower, mut log_jacobian) = covariance_cholesky::constrain(dim, coordinates);
    for i in 0..dim {
        let diagonal = coordinates[i * (i + 1) / 2 + i];
        log_jacobian += diagonal * (dim - i) as f64 + 2.0_f64.ln();
    }
    (product(&lower), log_jacobian)
}

/// The coordinates of the factor of a matrix `[dim, dim]`, row-major.
#[must_use]
pub fn unconstrain(dim: usize, covariance: &[f64]) -> Vec<f64> {
    covariance_cholesky::unconstrain(dim, &factor(dim, covariance))
}
