//! Matrices of random scalars.

mod arithmetic;
pub(crate) mod function;
mod operators;
mod solve;
mod square;
mod triangular;

use crate::fault::{Fault, raise};
use crate::mode::Mode;
use crate::real::Real;
use crate::vector::{Vector, out_of_range, outside};
use nalgebra::{Dim, RawStorage};
use std::ops::{Index, IndexMut};

pub(crate) use arithmetic::{Arithmetic, Lanes, Scalars};
pub use function::MatrixFunction;
pub use solve::RightHandSide;

/// A matrix of random scalars, row-major.
#[derive(Clone, Debug)]
pub struct Matrix<M: Mode> {
    rows: usize,
    columns: usize,
    elements: Vector<M>,
}

impl<M: Mode> Matrix<M> {
    /// Zeros.
    #[inline(always)]
    #[must_use]
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self {
            rows,
            columns,
            elements: Vector::zeros(rows * columns),
        }
    }

    /// A matrix from its elements, row after row.
    ///
    /// # Panics
    /// With a [`Fault::Shape`] unless there are `rows * columns` elements.
    #[inline(always)]
    #[must_use]
    pub fn from_elements(rows: usize, columns: usize, elements: impl Into<Vector<M>>) -> Self {
        let elements = elements.into();
        if elements.len() != rows * columns {
            raise(Fault::Shape {
                operation: format!("matrix {rows} x {columns} of {} elements", elements.len()),
            });
        }
        Self {
            rows,
            columns,
            elements,
        }
    }

    /// A matrix from rows of equal length.
    ///
    /// # Panics
    /// With a [`Fault::Shape`] if the lengths differ.
    #[inline(always)]
    #[must_use]
    pub fn from_rows(rows: &[Vector<M>]) -> Self {
        let columns = rows.first().map_or(0, |row| row.len());
        let mut matrix = Self::zeros(rows.len(), columns);
        for (index, row) in rows.iter().enumerate() {
            if row.len() != columns {
                raise(Fault::Shape {
                    operation: format!(
                        "matrix of rows of length {columns} with row {index} of length {}",
                        row.len()
                    ),
                });
            }
            matrix.elements[index * columns..(index + 1) * columns].copy_from_slice(row);
        }
        matrix
    }

    /// A matrix from a function of row and column.
    #[inline(always)]
    #[must_use]
    pub fn from_fn(
        rows: usize,
        columns: usize,
        mut f: impl FnMut(usize, usize) -> Real<M>,
    ) -> Self {
        let mut matrix = Self::zeros(rows, columns);
        for i in 0..rows {
            for k in 0..columns {
                matrix[(i, k)] = f(i, k);
            }
        }
        matrix
    }

    /// The number of rows.
    #[inline(always)]
    #[must_use]
    pub fn nrows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    #[inline(always)]
    #[must_use]
    pub fn ncols(&self) -> usize {
        self.columns
    }

    /// The elements, row after row.
    #[inline(always)]
    #[must_use]
    pub fn elements(&self) -> &[Real<M>] {
        &self.elements
    }

    /// Row `i`.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline(always)]
    #[must_use]
    pub fn row(&self, i: usize) -> &[Real<M>] {
        &self.elements[i * self.columns..(i + 1) * self.columns]
    }

    /// The matrix of the rows at `places`, in that order; places may repeat.
    ///
    /// # Panics
    /// With a [`Fault::Shape`] that names the place if there is no such row.
    #[inline(always)]
    #[must_use]
    pub fn select_rows(&self, places: &[usize]) -> Self {
        if let Some(wrong) = out_of_range(places, self.rows) {
            outside("matrix", self.rows, "rows", &wrong);
        }
        Self::from_fn(
            places.len(),
            self.columns,
            #[inline(always)]
            |row, column| self[(places[row], column)],
        )
    }

    /// The rows in order.
    #[inline(always)]
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[Real<M>]> {
        (0..self.rows).map(
            #[inline(always)]
            |i| self.row(i),
        )
    }

    /// Column `k`.
    ///
    /// # Panics
    /// If there is no such column.
    #[inline(always)]
    #[must_use]
    pub fn column(&self, k: usize) -> Vector<M> {
        Vector::from_fn(
            self.rows,
            #[inline(always)]
            |i| self[(i, k)],
        )
    }

    /// Rows and columns exchanged.
    #[inline(always)]
    #[must_use]
    pub fn transpose(&self) -> Self {
        Self::from_fn(
            self.columns,
            self.rows,
            #[inline(always)]
            |i, k| self[(k, i)],
        )
    }

    /// `f` of every element.
    #[inline(always)]
    #[must_use]
    pub fn map(&self, f: impl FnMut(Real<M>) -> Real<M>) -> Self {
        Self {
            rows: self.rows,
            columns: self.columns,
            elements: self.elements.map(f),
        }
    }

    /// `f` of the elements of two matrices of the same shape.
    ///
    /// # Panics
    /// With a [`Fault::Shape`] if the shapes differ.
    #[inline(always)]
    #[must_use]
    pub fn zip_map(&self, other: &Self, f: impl FnMut(Real<M>, Real<M>) -> Real<M>) -> Self {
        if (self.rows, self.columns) != (other.rows, other.columns) {
            raise(Fault::Shape {
                operation: format!("{} paired with {}", self.words(), other.words()),
            });
        }
        Self {
            rows: self.rows,
            columns: self.columns,
            elements: self.elements.zip_map(&other.elements, f),
        }
    }

    /// The elementwise product.
    #[inline(always)]
    #[must_use]
    pub fn component_mul(&self, other: &Self) -> Self {
        self.zip_map(
            other,
            #[inline(always)]
            |a, b| a * b,
        )
    }

    /// The sum of all elements.
    #[inline(always)]
    #[must_use]
    pub fn sum(&self) -> Real<M> {
        self.elements.iter().sum()
    }

    /// Stops the model unless the matrix is square; returns the number of its rows.
    #[inline(always)]
    fn square(&self, operation: &str) -> usize {
        if self.rows != self.columns {
            raise(Fault::Shape {
                operation: format!("{operation} a {}", self.words()),
            });
        }
        self.rows
    }

    /// The shape in words, for messages.
    fn words(&self) -> String {
        format!("matrix {} x {}", self.rows, self.columns)
    }
}

impl<M: Mode> Index<(usize, usize)> for Matrix<M> {
    type Output = Real<M>;
    #[inline(always)]
    fn index(&self, (row, column): (usize, usize)) -> &Real<M> {
        &self.row(row)[column]
    }
}

impl<M: Mode> IndexMut<(usize, usize)> for Matrix<M> {
    #[inline(always)]
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut Real<M> {
        &mut self.elements[row * self.columns..(row + 1) * self.columns][column]
    }
}

/// The elements of a matrix of numbers in the order of its storage (column-major), if they are contiguous; `None` for views with steps
/// between them.
#[must_use]
pub fn contiguous<T, R: Dim, C: Dim, S: RawStorage<T, R, C>>(
    matrix: &nalgebra::Matrix<T, R, C, S>,
) -> Option<&[T]> {
    // SAFETY: the storage says that its elements are contiguous.
    (matrix.data.is_contiguous()).then(|| unsafe { matrix.data.as_slice_unchecked() })
}
