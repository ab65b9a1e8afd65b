//! Cholesky factors and triangular systems of random matrices.

use super::Places;
use crate::simd::Simd;

/// The factor of a symmetric matrix, `[dim, dim]` row-major; only its lower triangle is used.
#[inline(always)]
pub(super) fn cholesky<S: Simd>(dim: usize, places: &mut Places<'_>) {
    for i in 0..dim {
        for k in 0..=i {
            let mut rest = places.operand::<S>(i * dim + k);
            for j in 0..k {
                let (a, b) = (
                    places.output::<S>(i * dim + j),
                    places.output::<S>(k * dim + j),
                );
                rest = S::sub(rest, S::mul(a, b));
            }
            let entry = if i == k {
                S::sqrt(rest)
            } else {
                S::div(rest, places.output::<S>(k * dim + k))
            };
            places.set::<S>(i * dim + k, entry);
        }
        for k in i + 1..dim {
            places.set::<S>(i * dim + k, S::splat(0.0));
        }
    }
}

/// The steps of the factorisation backwards (Murray 2016, section 3.2): with `s` the number under the root or over
/// the pivot, `s̄ = L̄_ii / 2 L_ii` or `L̄_ik / L_kk`.
#[inline(always)]
pub(super) fn reverse_cholesky<S: Simd>(dim: usize, places: &mut Places<'_>) {
    for i in (0..dim).rev() {
        for k in (0..=i).rev() {
            let pivot = places.output::<S>(k * dim + k);
            let mut slope = S::div(places.adjoint::<S>(i * dim + k), pivot);
            if i == k {
                slope = S::mul(slope, S::splat(0.5));
            } else {
                let entry = places.output::<S>(i * dim + k);
                places.subtract::<S>(k * dim + k, slope, entry);
            }
            places.pass_on::<S>(i * dim + k, slope);
            for j in 0..k {
                let (a, b) = (
                    places.output::<S>(k * dim + j),
                    places.output::<S>(i * dim + j),
                );
                places.subtract::<S>(i * dim + j, slope, a);
                places.subtract::<S>(k * dim + j, slope, b);
            }
        }
    }
}

/// `z = L⁻¹ x` for operands `L`, `[dim, dim]` row-major, and `x`.
#[inline(always)]
pub(super) fn solve<S: Simd>(dim: usize, places: &mut Places<'_>) {
    for i in 0..dim {
        let mut rest = places.operand::<S>(dim * dim + i);
        for k in 0..i {
            let (entry, z) = (places.operand::<S>(i * dim + k), places.output::<S>(k));
            rest = S::sub(rest, S::mul(entry, z));
        }
        let pivot = places.operand::<S>(i * dim + i);
        places.set::<S>(i, S::div(rest, pivot));
    }
}

/// `x̄ += y` and `L̄ -= y zᵀ` on and below the diagonal, where `Lᵀ y = z̄`.
#[inline(always)]
pub(super) fn reverse_solve<S: Simd>(dim: usize, places: &mut Places<'_>) {
    for i in (0..dim).rev() {
        let pivot = places.operand::<S>(i * dim + i);
        let y = S::div(places.adjoint::<S>(i), pivot);
        places.pass_on::<S>(dim * dim + i, y);
        for k in 0..=i {
            let z = places.output::<S>(k);
            places.pass_on::<S>(i * dim + k, S::neg(S::mul(y, z)));
            if k < i {
                let entry = places.operand::<S>(i * dim + k);
                places.subtract::<S>(k, y, entry);
            }
        }
    }
}
