//! Lower Cholesky factors of correlation matrices: rows of unit length, a positive diagonal.

use super::factor::log_sech_square;
use bayes_autodiff::{Matrix, Mode, Real};

/// Partial correlations `z = tanh u`, row by row (Lewandowski, Kurowicka and Joe 2009; Stan Reference Manual,
/// section "Cholesky factors of correlation matrices").
///
/// ```text
/// L_ik = z_ik √r_ik        r_i1 = 1,  r_i,k+1 = r_ik (1 - z_ik²)        L_ii = √r_ii
/// ln |dL/du| = Σ_{k<i} ln(1 - z_ik²) + ½ ln r_ik
/// ```
///
/// The Jacobian is for the strictly lower entries. `coordinates` are the strictly lower triangle row by row,
/// `[dim (dim - 1) / 2]`.
#[must_use]
#[inline(always)]
pub fn constrain<M: Mode>(dim: usize, coordinates: &[Real<M>]) -> (Matrix<M>, Real<M>) {
    let mut lower = Matrix::zeros(dim, dim);
    let mut log_jacobian = Real::constant(0.0);
    let mut next = 0;
    for i in 0..dim {
        // The rest is kept as its logarithm: 1 - tanh² u is 0 in doubles from u = 19 on.
        let mut log_rest = Real::constant(0.0);
        for k in 0..i {
            let u = coordinates[next];
            let log_slope = log_sech_square(u);
            let half = log_rest * 0.5;
            lower[(i, k)] = u.tanh() * half.exp();
            log_jacobian += log_slope + half;
            log_rest += log_slope;
            next += 1;
        }
        lower[(i, i)] = (log_rest * 0.5).exp();
    }
    (lower, log_jacobian)
}

/// `u_ik = asinh(L_ik / |(L_i,k+1 ... L_ii)|)`, from the rows of a matrix `[dim, dim]`.
#[must_use]
pub fn unconstrain(dim: usize, lower: &[f64]) -> Vec<f64> {
    let mut coordinates = vec![0.0; dim * dim.saturating_sub(1) / 2];
    for i in 1..dim {
        let row = &lower[i * dim..];
        let mut rest = row[i];
        // from the end: the rest is exact where subtracting from 1 would cancel
        for k in (0..i).rev() {
            coordinates[i * (i - 1) / 2 + k] = (row[k] / rest).asinh();
            rest = rest.hypot(row[k]);
        }
    }
    coordinates
}
