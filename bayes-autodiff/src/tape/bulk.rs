//! Bulk operations: one record for many numbers, each with its own adjoint.
//!
//! A new operation is one variant of [`Operation`], one function that records it and one arm of `sweep`.

use super::record::{CONSTANT, Lane, Payload, Record};
use super::{Node, Tape};
use crate::lanes;
use crate::real::Real;
use crate::simd::Simd;
use crate::vector::Vector;
use nalgebra::DMatrix;

/// What a bulk operation needs to hand its adjoints down. Ranges are those of the payload.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operation {
    /// One output, `Σ c_k v_k`, with the same coefficients in every lane.
    Linear {
        parents: usize,
        numbers: usize,
        len: usize,
    },
    /// One output with the partial derivative `lanes[k]` in parent `k`.
    Weighted {
        parents: usize,
        lanes: usize,
        len: usize,
    },
    /// `rows` outputs, a data matrix times a vector.
    MatrixVector {
        matrix: Matrix,
        rows: usize,
        columns: usize,
        parents: usize,
    },
}

/// Where a matrix lies, column by column.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Matrix {
    /// In the program's data.
    Data(*const f64),
    /// Copied to the payload, since nothing says how long the original lives.
    Copied(usize),
}

impl Operation {
    /// Adds to the adjoints of the parents what those of the outputs, from slot `first` on, hand down.
    #[inline(always)]
    pub(super) fn sweep<S: Simd>(self, first: usize, adjoints: &mut [Lane], payload: &Payload) {
        let (below, own) = adjoints.split_at_mut(first);
        match self {
            Self::Linear {
                parents,
                numbers,
                len,
            } => {
                let adjoint = S::load(&own[0].0);
                let coefficients = &payload.numbers[numbers..numbers + len];
                for (parent, c) in payload.parents[parents..parents + len]
                    .iter()
                    .zip(coefficients)
                {
                    hand_down::<S>(below, *parent, S::mul(adjoint, S::splat(*c)));
                }
            }
            Self::Weighted {
                parents,
                lanes,
                len,
            } => {
                let adjoint = S::load(&own[0].0);
                let partials = &payload.lanes[lanes..lanes + len];
                for (parent, partial) in
                    payload.parents[parents..parents + len].iter().zip(partials)
                {
                    hand_down::<S>(below, *parent, S::mul_or_zero(adjoint, S::load(&partial.0)));
                }
            }
            Self::MatrixVector {
                matrix,
                rows,
                columns,
                parents,
            } => {
                let entries = match matrix {
                    // SAFETY: `is_data` has seen that the matrix lies within the program's data, which its owner
                    // keeps alive and unchanged for the whole evaluation.
                    Matrix::Data(start) => unsafe {
                        std::slice::from_raw_parts(start, rows * columns)
                    },
                    Matrix::Copied(start) => &payload.numbers[start..start + rows * columns],
                };
                let parents = &payload.parents[parents..parents + columns];
                transposed::<S>(entries, rows, &own[..rows], |k, sum| {
                    hand_down::<S>(below, parents[k], sum)
                });
            }
        }
    }
}

/// `adjoint[parent] += slope`.
#[inline(always)]
fn hand_down<S: Simd>(adjoints: &mut [Lane], parent: u32, slope: S::Float) {
    if parent != CONSTANT {
        let to = &mut adjoints[parent as usize];
        S::store(S::add(S::load(&to.0), slope), &mut to.0);
    }
}

/// Columns of a transposed product that are summed side by side, in registers.
const COLUMNS: usize = 8;

/// `add(k, Σ_i matrix[(i, k)] adjoints[i])` for every column.
#[inline(always)]
fn transposed<S: Simd>(
    matrix: &[f64],
    rows: usize,
    adjoints: &[Lane],
    mut add: impl FnMut(usize, S::Float),
) {
    let columns = matrix.len().checked_div(rows).unwrap_or(0);
    let mut start = 0;
    while start + COLUMNS <= columns {
        let mut sums = [S::splat(0.0); COLUMNS];
        let block: [&[f64]; COLUMNS] =
            std::array::from_fn(|j| &matrix[(start + j) * rows..(start + j + 1) * rows]);
        for (i, adjoint) in adjoints.iter().enumerate() {
            let adjoint = S::load(&adjoint.0);
            for j in 0..COLUMNS {
                sums[j] = S::mul_add(S::splat(block[j][i]), adjoint, sums[j]);
            }
        }
        for (j, sum) in sums.into_iter().enumerate() {
            add(start + j, sum);
        }
        start += COLUMNS;
    }
    for k in start..columns {
        let mut sum = S::splat(0.0);
        for (x, adjoint) in matrix[k * rows..(k + 1) * rows].iter().zip(adjoints) {
            sum = S::mul_add(S::splat(*x), S::load(&adjoint.0), sum);
        }
        add(k, sum);
    }
}

impl Record {
    /// Keeps the indices of the elements; gives where they begin, or nothing if no element depends on the inputs.
    #[inline(always)]
    fn keep_parents<S: Simd>(&mut self, elements: &[Real<Tape<S>>]) -> Option<usize> {
        let start = self.payload.parents.len();
        let mut depends = false;
        for x in elements {
            depends |= x.0.index != CONSTANT;
            self.payload.parents.push(x.0.index);
        }
        if !depends {
            self.payload.parents.truncate(start);
        }
        depends.then_some(start)
    }

    /// `Σ coefficients[k] elements[k]`.
    #[inline(always)]
    pub(super) fn linear<S: Simd>(
        &mut self,
        value: S::Float,
        elements: &[Real<Tape<S>>],
        coefficients: impl Iterator<Item = f64>,
    ) -> Node<S> {
        let Some(parents) = self.keep_parents(elements) else {
            return Node::constant(value);
        };
        let numbers = self.payload.numbers.len();
        self.payload.numbers.extend(coefficients);
        let len = elements.len();
        Node::new(
            value,
            self.bulk(
                1,
                Operation::Linear {
                    parents,
                    numbers,
                    len,
                },
                parents,
            ),
        )
    }

    /// A function of many elements with the partial derivative `partial(k)` in element `k`.
    #[inline(always)]
    pub(super) fn weighted<S: Simd>(
        &mut self,
        value: S::Float,
        elements: &[Real<Tape<S>>],
        partial: impl Fn(usize) -> S::Float,
    ) -> Node<S> {
        let Some(parents) = self.keep_parents(elements) else {
            return Node::constant(value);
        };
        let (lanes, len) = (self.payload.lanes.len(), elements.len());
        for k in 0..len {
            let mut lane = Lane::ZERO;
            S::store(partial(k), &mut lane.0);
            self.payload.lanes.push(lane);
        }
        Node::new(
            value,
            self.bulk(
                1,
                Operation::Weighted {
                    parents,
                    lanes,
                    len,
                },
                parents,
            ),
        )
    }

    /// `matrix * vector`.
    #[inline(always)]
    pub(super) fn matrix_vector<S: Simd>(
        &mut self,
        matrix: &DMatrix<f64>,
        vector: &[Real<Tape<S>>],
    ) -> Vector<Tape<S>> {
        let (rows, columns) = matrix.shape();
        let entries = matrix.as_slice();
        let first = match self.keep_parents(vector) {
            Some(parents) if rows > 0 => {
                let matrix = if self.is_data(entries) {
                    Matrix::Data(entries.as_ptr())
                } else {
                    let start = self.payload.numbers.len();
                    self.payload.numbers.extend_from_slice(entries);
                    Matrix::Copied(start)
                };
                self.bulk(
                    rows,
                    Operation::MatrixVector {
                        matrix,
                        rows,
                        columns,
                        parents,
                    },
                    parents,
                )
            }
            _ => CONSTANT,
        };
        let mut out = Vector::zeros(rows);
        let elements: &mut [Real<Tape<S>>] = &mut out;
        lanes::matrix_vector::<S>(
            entries,
            rows,
            columns,
            |k| vector[k].0.value,
            |i, value| {
                let index = if first == CONSTANT {
                    CONSTANT
                } else {
                    first + i as u32
                };
                elements[i] = Real(Node::new(value, index));
            },
        );
        out
    }
}
