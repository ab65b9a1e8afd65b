//! A data matrix times a vector.

use super::{Lane, Operation, Payload, Record, Tape, hand_down, output};
use crate::buffer::Buffer;
use crate::lanes;
use crate::real::Real;
use crate::simd::Simd;
use crate::vector::Vector;
use nalgebra::DMatrix;

/// `rows` outputs, `Σ_k matrix[(i, k)] v_k`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MatrixVector {
    matrix: Matrix,
    rows: usize,
    columns: usize,
    parents: usize,
}

/// Where a matrix is stored, column by column.
#[derive(Clone, Copy, Debug)]
pub(super) enum Matrix {
    /// In the program's data.
    Data(*const f64),
    /// Copied to the payload, because the lifetime of the original is unknown.
    Copied(usize),
}

impl Matrix {
    /// Its `len` entries; `len` is the length at recording.
    #[inline(always)]
    pub(super) fn entries(self, len: usize, payload: &Payload) -> &[f64] {
        match self {
            // SAFETY: `is_data` has seen that the matrix lies within numbers that `Program::data` showed. Those are borrowed
            // from the program, which `Tape::run` borrows longer than the record refers to them.
            Self::Data(start) => unsafe { std::slice::from_raw_parts(start, len) },
            Self::Copied(start) => &payload.numbers[start..start + len],
        }
    }
}

impl MatrixVector {
    #[inline(always)]
    pub(super) fn sweep<S: Simd>(self, own: &[Lane], below: &mut [Lane], payload: &Payload) {
        let Self {
            matrix,
            rows,
            columns,
            parents,
        } = self;
        let entries = matrix.entries(rows * columns, payload);
        let (own, parents) = (&own[..rows], &payload.parents[parents..parents + columns]);
        let mut start = 0;
        while start + S::SUMS <= columns {
            // columns that are summed side by side, in registers
            let (entries, parents) = (&entries[start * rows..], &parents[start..]);
            if const { S::SUMS == 6 } {
                columns_of::<S, 6>(entries, own, below, parents);
            } else {
                columns_of::<S, 8>(entries, own, below, parents);
            }
            start += S::SUMS;
        }
        // one pass over the adjoints for all remaining columns, because the adjoints may exceed the first-level cache
        let rest = &entries[start * rows..];
        let parents = &parents[start..];
        match columns - start {
            1 => columns_of::<S, 1>(rest, own, below, parents),
            2 => columns_of::<S, 2>(rest, own, below, parents),
            3 => columns_of::<S, 3>(rest, own, below, parents),
            4 => columns_of::<S, 4>(rest, own, below, parents),
            5 => columns_of::<S, 5>(rest, own, below, parents),
            6 => columns_of::<S, 6>(rest, own, below, parents),
            7 => columns_of::<S, 7>(rest, own, below, parents),
            _ => {}
        }
    }
}

/// Propagates the adjoints to the first `N` columns.
#[inline(always)]
fn columns_of<S: Simd, const N: usize>(
    columns: &[f64],
    own: &[Lane],
    below: &mut [Lane],
    parents: &[u32],
) {
    let sums = transposed::<S, N>(columns, own);
    for (parent, sum) in parents.iter().zip(sums) {
        hand_down::<S>(below, *parent, sum);
    }
}

/// `Σ_i columns[j][i] adjoints[i]` for the first `N` columns, which have a row for every adjoint.
#[inline(always)]
fn transposed<S: Simd, const N: usize>(columns: &[f64], adjoints: &[Lane]) -> [S::Float; N] {
    let rows = adjoints.len();
    let mut sums = [S::splat(0.0); N];
    let mut column: [&[f64]; N] = [&[]; N];
    for j in 0..N {
        column[j] = &columns[j * rows..(j + 1) * rows];
    }
    for i in 0..rows {
        let adjoint = S::load(&adjoints[i].0);
        for j in 0..N {
            sums[j] = S::mul_add(S::splat(column[j][i]), adjoint, sums[j]);
        }
    }
    sums
}

impl Record {
    /// `matrix * vector`.
    #[inline(always)]
    pub(in crate::tape) fn matrix_vector<S: Simd>(
        &mut self,
        matrix: &DMatrix<f64>,
        vector: &[Real<Tape<S>>],
    ) -> Vector<Tape<S>> {
        let (rows, columns) = matrix.shape();
        let entries = matrix.as_slice();
        let first = match self.keep_parents(vector) {
            Some(parents) if rows > 0 => {
                let matrix = self.keep_matrix(entries);
                let operation = MatrixVector {
                    matrix,
                    rows,
                    columns,
                    parents,
                };
                Some(self.bulk(rows, Operation::MatrixVector(operation)))
            }
            _ => None,
        };
        let mut out = Buffer::with_capacity(rows);
        lanes::matrix_vector::<S>(
            entries,
            rows,
            columns,
            |k| vector[k].0.value,
            |i, value| {
                let fits = out.push_within_capacity(output(value, first, i));
                debug_assert!(fits, "there is room for every row");
            },
        );
        Vector::from(out)
    }

    pub(super) fn keep_matrix(&mut self, entries: &[f64]) -> Matrix {
        if self.is_data(entries) {
            return Matrix::Data(entries.as_ptr());
        }
        let start = self.payload.numbers.len();
        self.payload.numbers.extend_from_slice(entries);
        Matrix::Copied(start)
    }
}
