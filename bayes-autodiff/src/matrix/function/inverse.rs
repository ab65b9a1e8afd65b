//! The inverse and the logarithm of the determinant, by the method of Gauss and Jordan with the largest pivot of each column.

use super::{Arithmetic, product, transposed};

/// `A⁻¹` and `ln |det A|`; infinite or NaN if the matrix is singular.
#[inline(always)]
pub(super) fn inverse<A: Arithmetic>(dim: usize, of: &[A::X]) -> Vec<A::X> {
    let (zero, one) = (A::constant(0.0), A::constant(1.0));
    // the rows of `A` with those of the identity beside them
    let width = 2 * dim;
    let mut rows = vec![zero; dim * width];
    for i in 0..dim {
        rows[i * width..i * width + dim].copy_from_slice(&of[i * dim..(i + 1) * dim]);
        rows[i * width + dim + i] = one;
    }
    let mut log_determinant = zero;
    for k in 0..dim {
        for i in k + 1..dim {
            // without `map`, which is a call: the operations of lanes would not be compiled into it
            let sizes = [A::abs(rows[k * width + k]), A::abs(rows[i * width + k])];
            for j in k..width {
                let pair = [rows[k * width + j], rows[i * width + j]];
                let [a, b] = A::swap_where_less(sizes, pair);
                (rows[k * width + j], rows[i * width + j]) = (a, b);
            }
        }
        let pivot = rows[k * width + k];
        log_determinant = A::add(log_determinant, A::ln(A::abs(pivot)));
        for j in k..width {
            rows[k * width + j] = A::div(rows[k * width + j], pivot);
        }
        for i in (0..dim).filter(|i| *i != k) {
            let factor = rows[i * width + k];
            for j in k..width {
                let term = A::mul(factor, rows[k * width + j]);
                rows[i * width + j] = A::sub(rows[i * width + j], term);
            }
        }
    }
    let mut results = Vec::with_capacity(dim * dim + 1);
    for i in 0..dim {
        results.extend_from_slice(&rows[i * width + dim..(i + 1) * width]);
    }
    results.push(log_determinant);
    results
}

/// `d̄ Xᵀ - Xᵀ X̄ Xᵀ` for `X = A⁻¹` and `d = ln |det A|` (Giles 2008, section 2).
#[inline(always)]
pub(super) fn adjoint<A: Arithmetic>(dim: usize, results: &[A::X], adjoints: &[A::X]) -> Vec<A::X> {
    let across = transposed(dim, &results[..dim * dim]);
    let left = product::<A>(dim, &across, &adjoints[..dim * dim]);
    let mut all = product::<A>(dim, &left, &across);
    for (all, x) in all.iter_mut().zip(&across) {
        *all = A::sub(A::mul(adjoints[dim * dim], *x), *all);
    }
    all
}
