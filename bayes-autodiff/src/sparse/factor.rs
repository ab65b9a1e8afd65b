//! The factorisation `L D Lᵀ` of a sparse matrix and the entries of its inverse, for numbers of any mode and for lanes.

use super::pattern::SparsePattern;
use crate::matrix::Arithmetic;

/// Visits the pairs of entries `p ≤ q` below the diagonal of column `j`, with the entry of the factor in the column of `p`'s row and the
/// row of `q`. The factor has it, because the rows of a column are neighbours once it is eliminated.
#[inline(always)]
fn for_each_pair(
    pattern: &SparsePattern,
    p: usize,
    end: usize,
    mut visit: impl FnMut(usize, usize),
) {
    let rows = pattern.rows();
    let (mut at, _) = pattern.column(rows[p] as usize);
    for q in p..end {
        while rows[at] != rows[q] {
            at += 1;
        }
        visit(q, at);
    }
}

/// The factor of the matrix with these entries, in the order of the pattern; NaN or negative on its diagonal unless the matrix is positive
/// definite.
#[inline(always)]
pub(super) fn factor<A: Arithmetic>(
    pattern: &SparsePattern,
    value: impl Fn(usize) -> A::X,
) -> Vec<A::X> {
    let mut factor = vec![A::constant(0.0); pattern.factor_len()];
    for (k, place) in pattern.places().iter().enumerate() {
        factor[*place as usize] = value(k);
    }
    for j in 0..pattern.len() {
        let (diagonal, below) = pattern.column(j);
        let inverse = A::div(A::constant(1.0), factor[diagonal]);
        for p in below.clone() {
            let share = A::mul(factor[p], inverse);
            for_each_pair(
                pattern,
                p,
                below.end,
                #[inline(always)]
                |q, at| factor[at] = A::sub(factor[at], A::mul(share, factor[q])),
            );
            factor[p] = share;
        }
    }
    factor
}

/// `ln det` of the factored matrix; NaN unless it is positive definite.
#[inline(always)]
pub(super) fn log_determinant<A: Arithmetic>(pattern: &SparsePattern, factor: &[A::X]) -> A::X {
    let mut sum = A::constant(0.0);
    for j in 0..pattern.len() {
        let (diagonal, _) = pattern.column(j);
        sum = A::add(sum, A::ln(factor[diagonal]));
    }
    sum
}

/// The entries of the inverse where the factor has entries (Takahashi, Fagan and Chin 1973; Rue and Martino 2007, section 2.2), from the
/// last column to the first:
///
/// ```text
/// Z_ij = -Σ_k L_kj Z_ki,    Z_jj = 1/D_j - Σ_k L_kj Z_kj
/// ```
#[inline(always)]
pub(super) fn selected_inverse<A: Arithmetic>(
    pattern: &SparsePattern,
    factor: &[A::X],
) -> Vec<A::X> {
    let zero = A::constant(0.0);
    let mut inverse = vec![zero; factor.len()];
    let mut sums = Vec::new();
    for j in (0..pattern.len()).rev() {
        let (diagonal, below) = pattern.column(j);
        sums.clear();
        sums.resize(below.len(), zero);
        for p in below.clone() {
            for_each_pair(
                pattern,
                p,
                below.end,
                #[inline(always)]
                |q, at| {
                    let (a, b) = (p - below.start, q - below.start);
                    sums[a] = A::add(sums[a], A::mul(factor[q], inverse[at]));
                    if a != b {
                        sums[b] = A::add(sums[b], A::mul(factor[p], inverse[at]));
                    }
                },
            );
        }
        let mut own = A::div(A::constant(1.0), factor[diagonal]);
        for p in below.clone() {
            let entry = A::sub(zero, sums[p - below.start]);
            own = A::sub(own, A::mul(factor[p], entry));
            inverse[p] = entry;
        }
        inverse[diagonal] = own;
    }
    inverse
}

/// `xᵀ A x` for a matrix `A` with these entries.
#[inline(always)]
pub(super) fn square<A: Arithmetic>(
    pattern: &SparsePattern,
    value: impl Fn(usize) -> A::X,
    x: impl Fn(usize) -> A::X,
) -> A::X {
    let mut sum = A::constant(0.0);
    for (k, [i, j]) in pattern.entries().iter().enumerate() {
        let term = A::mul(value(k), A::mul(x(*i as usize), x(*j as usize)));
        sum = A::add(sum, term);
        if i != j {
            sum = A::add(sum, term);
        }
    }
    sum
}
