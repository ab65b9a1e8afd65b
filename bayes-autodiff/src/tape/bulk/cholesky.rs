//! Cholesky factors and triangular systems of random matrices.

use super::{Lane, Operation, Payload, Record, Tape, hand_down, output};
use crate::real::Real;
use crate::simd::Simd;

/// The factor `L` of `A = L Lᵀ`, `[dim, dim]` row-major; its values are kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cholesky {
    dim: usize,
    parents: usize,
    lanes: usize,
}

/// `z = L⁻¹ x`; the values of `L` and `z` are kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Solve {
    dim: usize,
    parents: usize,
    lanes: usize,
}

#[inline(always)]
fn at<S: Simd>(lanes: &[Lane], i: usize) -> S::Float {
    S::load(&lanes[i].0)
}

/// `lanes[i] -= a * b`.
#[inline(always)]
fn subtract<S: Simd>(lanes: &mut [Lane], i: usize, a: S::Float, b: S::Float) {
    let to = &mut lanes[i];
    S::store(S::sub(S::load(&to.0), S::mul(a, b)), &mut to.0);
}

impl Cholesky {
    /// The steps of the factorisation backwards (Murray 2016, section 3.2): with `s` the number under the root or over
    /// the pivot, `s̄ = L̄_ii / 2 L_ii` or `L̄_ik / L_kk`.
    #[inline(always)]
    pub(super) fn sweep<S: Simd>(self, own: &mut [Lane], below: &mut [Lane], payload: &Payload) {
        let Self {
            dim,
            parents,
            lanes,
        } = self;
        let parents = &payload.parents[parents..parents + dim * dim];
        let factor = &payload.lanes[lanes..lanes + dim * dim];
        for i in (0..dim).rev() {
            for k in (0..=i).rev() {
                let pivot = at::<S>(factor, k * dim + k);
                let mut slope = S::div(at::<S>(own, i * dim + k), pivot);
                if i == k {
                    slope = S::mul(slope, S::splat(0.5));
                } else {
                    subtract::<S>(own, k * dim + k, slope, at::<S>(factor, i * dim + k));
                }
                hand_down::<S>(below, parents[i * dim + k], slope);
                for j in 0..k {
                    subtract::<S>(own, i * dim + j, slope, at::<S>(factor, k * dim + j));
                    subtract::<S>(own, k * dim + j, slope, at::<S>(factor, i * dim + j));
                }
            }
        }
    }
}

impl Solve {
    /// `x̄ += y` and `L̄ -= y zᵀ` below the diagonal and on it, where `Lᵀ y = z̄`.
    #[inline(always)]
    pub(super) fn sweep<S: Simd>(self, own: &mut [Lane], below: &mut [Lane], payload: &Payload) {
        let Self {
            dim,
            parents,
            lanes,
        } = self;
        let (factor, z) = payload.lanes[lanes..lanes + dim * dim + dim].split_at(dim * dim);
        let (of_factor, of_x) =
            payload.parents[parents..parents + dim * dim + dim].split_at(dim * dim);
        for i in (0..dim).rev() {
            let y = S::div(at::<S>(own, i), at::<S>(factor, i * dim + i));
            hand_down::<S>(below, of_x[i], y);
            for k in 0..=i {
                hand_down::<S>(
                    below,
                    of_factor[i * dim + k],
                    S::neg(S::mul(y, at::<S>(z, k))),
                );
                if k < i {
                    subtract::<S>(own, k, y, at::<S>(factor, i * dim + k));
                }
            }
        }
    }
}

impl Record {
    /// Replaces the lower triangle of a symmetric matrix, `[dim, dim]` row-major, by its factor.
    #[inline(always)]
    pub(in crate::tape) fn cholesky<S: Simd>(&mut self, dim: usize, entries: &mut [Real<Tape<S>>]) {
        let parents = self.keep_parents(entries);
        let lanes = self.payload.lanes.len();
        let first = parents.filter(|_| dim > 0).map(|parents| {
            let operation = Cholesky {
                dim,
                parents,
                lanes,
            };
            self.bulk(dim * dim, Operation::Cholesky(operation))
        });
        for i in 0..dim {
            for k in 0..=i {
                let mut rest = entries[i * dim + k].0.value;
                for j in 0..k {
                    let (a, b) = (entries[i * dim + j].0.value, entries[k * dim + j].0.value);
                    rest = S::sub(rest, S::mul(a, b));
                }
                entries[i * dim + k].0.value = if i == k {
                    S::sqrt(rest)
                } else {
                    S::div(rest, entries[k * dim + k].0.value)
                };
            }
        }
        for (i, entry) in entries.iter_mut().enumerate() {
            let value = entry.0.value;
            if first.is_some() {
                self.keep_value::<S>(value);
            }
            *entry = output(value, first.filter(|_| i % dim <= i / dim), i);
        }
    }

    /// Replaces `x` by `L⁻¹ x` for a lower triangle `[dim, dim]` row-major.
    #[inline(always)]
    pub(in crate::tape) fn solve<S: Simd>(
        &mut self,
        factor: &[Real<Tape<S>>],
        x: &mut [Real<Tape<S>>],
    ) {
        let dim = x.len();
        let parents = self.payload.parents.len();
        let mut depends = false;
        for element in factor.iter().chain(x.iter()) {
            depends |= self.keep_parent(element.0.form);
        }
        let lanes = self.payload.lanes.len();
        let first = (depends && dim > 0).then(|| {
            let operation = Solve {
                dim,
                parents,
                lanes,
            };
            self.bulk(dim, Operation::Solve(operation))
        });
        if first.is_none() {
            self.payload.parents.truncate(parents);
        } else {
            for entry in factor {
                self.keep_value::<S>(entry.0.value);
            }
        }
        for i in 0..dim {
            let mut rest = x[i].0.value;
            for k in 0..i {
                rest = S::sub(rest, S::mul(factor[i * dim + k].0.value, x[k].0.value));
            }
            let value = S::div(rest, factor[i * dim + i].0.value);
            if first.is_some() {
                self.keep_value::<S>(value);
            }
            x[i] = output(value, first, i);
        }
    }
}
