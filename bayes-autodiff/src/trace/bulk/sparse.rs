//! Determinants and squares of sparse symmetric matrices.

use super::Places;
use crate::matrix::Lanes;
use crate::simd::{LANES, Simd};
use crate::sparse::{self, SparsePattern, SparsePencil};

/// `ln det` of the matrix whose entries are the operands; the partial derivatives are entries of its inverse.
#[inline(always)]
pub(super) fn log_determinant<S: Simd, const SLOPES: bool>(
    pattern: &SparsePattern,
    places: &mut Places<'_>,
) {
    let mut entries = Vec::with_capacity(places.of.len());
    for k in 0..places.of.len() {
        entries.push(places.operand::<S>(k));
    }
    let found = sparse::log_determinant_of::<Lanes<S>, SLOPES>(
        pattern,
        #[inline(always)]
        |k| entries[k],
        #[inline(always)]
        |k, slope| places.set_slope::<S>(k, slope),
    );
    places.set::<S>(0, found);
}

/// `ln det (A + x B)` for the operand `x`, lane by lane: the numbers of most lanes lie in the same piece, and leftover lanes are equal.
#[inline(always)]
pub(super) fn pencil_log_determinant<S: Simd, const SLOPES: bool>(
    pencil: &SparsePencil,
    places: &mut Places<'_>,
) {
    let (mut x, mut values, mut slopes) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
    S::store(places.operand::<S>(0), &mut x);
    for lane in 0..LANES {
        (values[lane], slopes[lane]) = match lane > 0 && x[lane] == x[lane - 1] {
            true => (values[lane - 1], slopes[lane - 1]),
            false => pencil.value_and_slope(x[lane]),
        };
    }
    places.set::<S>(0, S::load(&values));
    if SLOPES {
        places.set_slope::<S>(0, S::load(&slopes));
    }
}

/// `xᵀ A x` for operands `A`, the entries of the pattern, followed by `x`.
#[inline(always)]
pub(super) fn square<S: Simd>(pattern: &SparsePattern, places: &mut Places<'_>) {
    let first = pattern.entries().len();
    let found = sparse::square_of::<Lanes<S>>(
        pattern,
        #[inline(always)]
        |k| places.operand::<S>(k),
        #[inline(always)]
        |i| places.operand::<S>(first + i),
    );
    places.set::<S>(0, found);
}

/// `Ā += s̄ x xᵀ`, `x̄ += 2 s̄ A x`.
#[inline(always)]
pub(super) fn reverse_square<S: Simd>(pattern: &SparsePattern, places: &mut Places<'_>) {
    let (first, adjoint) = (pattern.entries().len(), places.adjoint::<S>(0));
    let twice = S::add(adjoint, adjoint);
    for (k, [i, j]) in pattern.entries().iter().enumerate() {
        let (i, j) = (first + *i as usize, first + *j as usize);
        let (a, b) = (places.operand::<S>(i), places.operand::<S>(j));
        let entry = S::mul(twice, places.operand::<S>(k));
        if i == j {
            places.pass_on::<S>(k, S::mul(adjoint, S::mul(a, a)));
            places.pass_on::<S>(i, S::mul(entry, a));
        } else {
            places.pass_on::<S>(k, S::mul(twice, S::mul(a, b)));
            places.pass_on::<S>(i, S::mul(entry, b));
            places.pass_on::<S>(j, S::mul(entry, a));
        }
    }
}
