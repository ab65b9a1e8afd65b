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

/// `ln det (A + x B)` for the operand `x`. Lanes in a piece come one by one: most lie in the same piece, and leftover lanes are equal. For
/// lanes beyond the pieces, one factorisation in lanes has them all.
#[inline(always)]
pub(super) fn pencil_log_determinant<S: Simd, const SLOPES: bool>(
    pencil: &SparsePencil,
    places: &mut Places<'_>,
) {
    let mut x = [0.0; LANES];
    S::store(places.operand::<S>(0), &mut x);
    let mut found = [None; LANES];
    for lane in 0..LANES {
        found[lane] = match lane > 0 && x[lane] == x[lane - 1] {
            true => found[lane - 1],
            false => pencil.in_piece(x[lane]),
        };
    }
    let (mut values, mut slopes) = ([0.0; LANES], [0.0; LANES]);
    if found.contains(&None) {
        let [value, slope] = by_factor::<S, SLOPES>(pencil, places.operand::<S>(0));
        S::store(value, &mut values);
        S::store(slope, &mut slopes);
    }
    for (lane, found) in found.into_iter().enumerate() {
        if let Some(found) = found {
            (values[lane], slopes[lane]) = found;
        }
    }
    places.set::<S>(0, S::load(&values));
    if SLOPES {
        places.set_slope::<S>(0, S::load(&slopes));
    }
}

/// The log determinant and its slope in `x` by a factorisation in lanes.
#[inline(always)]
fn by_factor<S: Simd, const SLOPES: bool>(pencil: &SparsePencil, x: S::Float) -> [S::Float; 2] {
    let entries = pencil.entries();
    let mut slope = S::splat(0.0);
    let value = sparse::log_determinant_of::<Lanes<S>, SLOPES>(
        pencil.pattern(),
        #[inline(always)]
        |k| {
            let [first, second] = entries[k];
            S::add(S::mul(x, S::splat(second)), S::splat(first))
        },
        #[inline(always)]
        |k, own| slope = S::add(slope, S::mul(own, S::splat(entries[k][1]))),
    );
    [value, slope]
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
