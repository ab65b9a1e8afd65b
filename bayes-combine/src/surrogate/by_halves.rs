//! The Cholesky factor of a positive definite matrix, its inverse and solutions by halves: nearly all of the work is in products of matrices, which
//! are several times as fast as loops over columns.
//!
//! A matrix is cut into two by two blocks. What is done to the whole is done to its diagonal blocks, by the same functions, and the rest
//! is products (Golub and Van Loan 2013, section 4.2). Only lower triangles are read and written.

use nalgebra::{DMatrix, DMatrixView, DMatrixViewMut, Dyn, U1};

/// Matrices up to this size are not cut.
const WHOLE: usize = 48;

type View<'a> = DMatrixViewMut<'a, f64, U1, Dyn>;

/// L of `L Lᵀ` in place of a matrix; `false` if it is not positive definite.
pub fn factor(matrix: &mut DMatrix<f64>) -> bool {
    factor_block(matrix.as_view_mut())
}

/// `(L Lᵀ)⁻¹`, whole, in place of L.
pub fn inverse(lower: &mut DMatrix<f64>) {
    invert_triangle(lower.as_view_mut());
    square(lower.as_view_mut());
    lower.fill_upper_triangle_with_lower_triangle();
}

/// `L⁻¹ B` in place of B.
pub fn solve(lower: &DMatrix<f64>, b: &mut DMatrix<f64>) {
    solve_block(lower.as_view(), b.as_view_mut());
}

/// `L⁻ᵀ B` in place of B.
pub fn solve_transposed(lower: &DMatrix<f64>, b: &mut DMatrix<f64>) {
    solve_transposed_block(lower.as_view(), b.as_view_mut());
}

/// Where a matrix of n rows is cut.
fn half(n: usize) -> usize {
    (n / 2).next_multiple_of(8)
}

fn factor_block(mut a: View<'_>) -> bool {
    let n = a.nrows();
    if n <= WHOLE {
        return factor_columns(a);
    }
    let h = half(n);
    let (mut left, mut right) = a.columns_range_pair_mut(..h, h..);
    if !factor_block(left.rows_mut(0, h)) {
        return false;
    }
    let (first, mut below) = left.rows_range_pair_mut(..h, h..);
    divide(first.as_view(), below.as_view_mut());
    let mut last = right.rows_mut(h, n - h);
    last.gemm(-1.0, &below, &below.transpose(), 1.0);
    factor_block(last)
}

fn factor_columns(mut a: View<'_>) -> bool {
    let n = a.nrows();
    for j in 0..n {
        for k in 0..j {
            let by = a[(j, k)];
            for i in j..n {
                let x = a[(i, k)];
                a[(i, j)] -= by * x;
            }
        }
        let pivot = a[(j, j)];
        if pivot.is_nan() || pivot <= 0.0 {
            return false;
        }
        let root = pivot.sqrt();
        (j..n).for_each(|i| a[(i, j)] /= root);
    }
    true
}

/// `B L⁻ᵀ` in place of B.
fn divide(lower: DMatrixView<'_, f64, U1, Dyn>, mut b: View<'_>) {
    let n = lower.nrows();
    if n <= WHOLE {
        for j in 0..n {
            for k in 0..j {
                let by = lower[(j, k)];
                let (from, mut to) = b.columns_range_pair_mut(k..k + 1, j..j + 1);
                to.zip_apply(&from, |to, from| *to -= by * from);
            }
            b.column_mut(j).unscale_mut(lower[(j, j)]);
        }
        return;
    }
    let h = half(n);
    let (mut left, mut right) = b.columns_range_pair_mut(..h, h..);
    divide(lower.view((0, 0), (h, h)), left.as_view_mut());
    right.gemm(
        -1.0,
        &left,
        &lower.view((h, 0), (n - h, h)).transpose(),
        1.0,
    );
    divide(lower.view((h, h), (n - h, n - h)), right);
}

/// `L⁻¹` in place of L.
fn invert_triangle(mut l: View<'_>) {
    let n = l.nrows();
    if n <= WHOLE {
        for j in 0..n {
            l[(j, j)] = 1.0 / l[(j, j)];
            for i in j + 1..n {
                let sum: f64 = (j..i).map(|k| l[(i, k)] * l[(k, j)]).sum();
                l[(i, j)] = -sum / l[(i, i)];
            }
        }
        return;
    }
    let h = half(n);
    let (mut left, mut right) = l.columns_range_pair_mut(..h, h..);
    let mut last = right.rows_mut(h, n - h);
    invert_triangle(left.rows_mut(0, h));
    invert_triangle(last.as_view_mut());
    let (mut first, mut below) = left.rows_range_pair_mut(..h, h..);
    // the upper triangles, which products of whole blocks read, hold what was there before
    first.fill_upper_triangle(0.0, 1);
    last.fill_upper_triangle(0.0, 1);
    let product = &below * &first;
    below.gemm(-1.0, &last, &product, 0.0);
}

/// The lower triangle of `Lᵀ L` in place of L.
fn square(mut l: View<'_>) {
    let n = l.nrows();
    if n <= WHOLE {
        for j in 0..n {
            for i in j..n {
                let sum: f64 = (i..n).map(|k| l[(k, i)] * l[(k, j)]).sum();
                l[(i, j)] = sum;
            }
        }
        return;
    }
    let h = half(n);
    let (mut left, mut right) = l.columns_range_pair_mut(..h, h..);
    let mut last = right.rows_mut(h, n - h);
    let (mut first, mut below) = left.rows_range_pair_mut(..h, h..);
    square(first.as_view_mut());
    first.gemm(1.0, &below.transpose(), &below, 1.0);
    last.fill_upper_triangle(0.0, 1);
    let product = last.transpose() * &below;
    below.copy_from(&product);
    square(last);
}

fn solve_block(l: DMatrixView<'_, f64, U1, Dyn>, mut b: View<'_>) {
    let n = l.nrows();
    if n <= WHOLE {
        for mut column in b.column_iter_mut() {
            for j in 0..n {
                let x = column[j] / l[(j, j)];
                column[j] = x;
                (j + 1..n).for_each(|i| column[i] -= x * l[(i, j)]);
            }
        }
        return;
    }
    let h = half(n);
    let (mut first, mut last) = b.rows_range_pair_mut(..h, h..);
    solve_block(l.view((0, 0), (h, h)), first.as_view_mut());
    last.gemm(-1.0, &l.view((h, 0), (n - h, h)), &first, 1.0);
    solve_block(l.view((h, h), (n - h, n - h)), last);
}

fn solve_transposed_block(l: DMatrixView<'_, f64, U1, Dyn>, mut b: View<'_>) {
    let n = l.nrows();
    if n <= WHOLE {
        for mut column in b.column_iter_mut() {
            for j in (0..n).rev() {
                let sum: f64 = (j + 1..n).map(|i| column[i] * l[(i, j)]).sum();
                column[j] = (column[j] - sum) / l[(j, j)];
            }
        }
        return;
    }
    let h = half(n);
    let (mut first, mut last) = b.rows_range_pair_mut(..h, h..);
    solve_transposed_block(l.view((h, h), (n - h, n - h)), last.as_view_mut());
    // of B the transpose is small, of L it is not
    let product = last.transpose() * l.view((h, 0), (n - h, h));
    first -= product.transpose();
    solve_transposed_block(l.view((0, 0), (h, h)), first);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A positive definite matrix with eigenvalues from about 0.01 to n.
    fn matrix(n: usize) -> DMatrix<f64> {
        let x = |i: usize| (i as f64 * 0.7).sin() * 3.0;
        DMatrix::from_fn(n, n, |i, j| {
            let noise = if i == j { 0.01 } else { 0.0 };
            (-0.5 * (x(i) - x(j)).powi(2)).exp() + noise
        })
    }

    /// Sizes below, at and above that of a matrix that is not cut, odd ones, and such as are cut more than once.
    #[test]
    fn factor_inverse_and_solutions_are_those_of_a_matrix() {
        for n in [1, 2, 47, 48, 49, 97, 130, 251] {
            let matrix = matrix(n);
            let mut lower = matrix.clone();
            assert!(factor(&mut lower));
            let wanted = nalgebra::Cholesky::new(matrix.clone()).expect("it is positive definite");
            let found = lower.lower_triangle();
            assert!((&found - wanted.l()).amax() < 1e-12, "{n}");
            let right = DMatrix::from_fn(n, 3, |i, j| ((i + 5 * j) as f64).cos());
            let (mut once, mut both) = (right.clone(), right.clone());
            solve(&lower, &mut once);
            assert!((&found * &once - &right).amax() < 1e-9, "{n}");
            solve(&lower, &mut both);
            solve_transposed(&lower, &mut both);
            assert!((&matrix * both - right).amax() < 1e-9, "{n}");
            inverse(&mut lower);
            let identity = DMatrix::identity(n, n);
            assert!((&lower * &matrix - &identity).amax() < 1e-9, "{n}");
            assert_eq!(lower, lower.transpose());
        }
    }

    #[test]
    fn what_is_not_positive_definite_has_no_factor() {
        for at in [0, 47, 60, 129] {
            let mut negative = matrix(130);
            negative[(at, at)] = -1.0;
            assert!(!factor(&mut negative), "{at}");
            let mut missing = matrix(130);
            missing[(at, at)] = f64::NAN;
            assert!(!factor(&mut missing), "{at}");
        }
    }
}
