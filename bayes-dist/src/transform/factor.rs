//! Lower triangular factors: `L Lᵀ` and back.

use bayes_autodiff::{Matrix, Mode, Real};

/// `L Lᵀ` for a lower triangle `[dim, dim]`; symmetric to the last bit.
#[inline(always)]
pub(super) fn product<M: Mode>(lower: &Matrix<M>) -> Matrix<M> {
    let dim = lower.nrows();
    let mut product = Matrix::zeros(dim, dim);
    for i in 0..dim {
        for k in 0..=i {
            let entry = M::dot_random(&lower.row(i)[..=k], &lower.row(k)[..=k]);
            product[(i, k)] = entry;
            product[(k, i)] = entry;
        }
    }
    product
}

/// `L` such that `L Lᵀ` is the matrix `[dim, dim]`, row-major. Only the lower triangle of the matrix is read.
///
/// A pivot that is zero or negative by rounding is replaced by the last digit of its diagonal entry. So a matrix that
/// is singular in double precision still has finite coordinates, which map back to it within rounding.
pub(super) fn factor(dim: usize, matrix: &[f64]) -> Vec<f64> {
    let mut lower = vec![0.0; dim * dim];
    for i in 0..dim {
        for k in 0..=i {
            let row = (0..k).map(|j| lower[i * dim + j] * lower[k * dim + j]);
            let rest = matrix[i * dim + k] - row.sum::<f64>();
            lower[i * dim + k] = if i == k {
                rest.max(f64::EPSILON * matrix[i * dim + i]).sqrt()
            } else {
                rest / lower[k * dim + k]
            };
        }
    }
    lower
}

/// `ln sech² u = 2 ln σ(2u) - 2u + ln 4`, the log slope of `tanh`; finite wherever `u` is.
#[inline(always)]
pub(super) fn log_sech_square<M: Mode>(u: Real<M>) -> Real<M> {
    let twice = u * 2.0;
    twice.ln_logistic() * 2.0 - twice + 4.0_f64.ln()
}
