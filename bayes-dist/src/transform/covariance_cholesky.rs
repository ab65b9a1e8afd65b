//! Lower triangular matrices with a positive diagonal: the Cholesky factors of covariance matrices.

use bayes_autodiff::{Matrix, Mode, Real};

/// `L_ik = u_ik` below the diagonal, `L_ii = e^{u_ii}` on it; log Jacobian `Σ_i u_ii`.
///
/// `coordinates` are the lower triangle row by row, `[dim (dim + 1) / 2]`; the measure is on the
/// same entries.
#[must_use]
#[inline(always)]
pub fn constrain<M: Mode>(dim: usize, coordinates: &[Real<M>]) -> (Matrix<M>, Real<M>) {
    let mut lower = Matrix::zeros(dim, dim);
    let mut log_jacobian = Real::constant(0.0);
    for i in 0..dim {
        let row = &coordinates[i * (i + 1) / 2..][..=i];
        for k in 0..i {
            lower[(i, k)] = row[k];
        }
        lower[(i, i)] = row[i].exp();
        log_jacobian += row[i];
    }
    (lower, log_jacobian)
}

/// The lower triangle of a matrix `[dim, dim]`, row-major, with the logarithm of the diagonal.
#[must_use]
pub fn unconstrain(dim: usize, lower: &[f64]) -> Vec<f64> {
    let entry = |i: usize, k: usize| {
        let x = lower[i * dim + k];
        if i == k { x.ln() } else { x }
    };
    (0..dim)
        .flat_map(|i| (0..=i).map(move |k| entry(i, k)))
        .collect()
}
