//! Matrices of random scalars.

mod operators;

use crate::fault::{Fault, raise};
use crate::mode::Mode;
use crate::real::Real;
use crate::vector::Vector;
use std::ops::{Index, IndexMut};

/// A matrix of random scalars, row-major.
#[derive(Clone, Debug)]
pub struct Matrix<M: Mode> {
    rows: usize,
    columns: usize,
    elements: Vec<Real<M>>,
}

impl<M: Mode> Matrix<M> {
    /// Zeros.
    #[must_use]
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self {
            rows,
            columns,
            elements: vec![Real::constant(0.0); rows * columns],
        }
    }

    /// A matrix from its elements, row after row.
    ///
    /// # Panics
    /// With a [`Fault::Shape`] unless there are `rows * columns` elements.
    #[must_use]
    pub fn from_elements(rows: usize, columns: usize, elements: Vec<Real<M>>) -> Self {
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

    /// A matrix from rows of one length.
    ///
    /// # Panics
    /// With a [`Fault::Shape`] if the lengths differ.
    #[must_use]
    pub fn from_rows(rows: &[Vector<M>]) -> Self {
        let columns = rows.first().map_or(0, |row| row.len());
        let mut elements = Vec::with_capacity(rows.len() * columns);
        for (index, row) in rows.iter().enumerate() {
            if row.len() != columns {
                raise(Fault::Shape {
                    operation: format!(
                        "matrix of rows of length {columns} with row {index} of length {}",
                        row.len()
                    ),
                });
            }
            elements.extend_from_slice(row);
        }
        Self {
            rows: rows.len(),
            columns,
            elements,
        }
    }

    /// A matrix from a function of row and column.
    #[must_use]
    pub fn from_fn(
        rows: usize,
        columns: usize,
        mut f: impl FnMut(usize, usize) -> Real<M>,
    ) -> Self {
        let mut elements = Vec::with_capacity(rows * columns);
        for i in 0..rows {
            elements.extend((0..columns).map(|k| f(i, k)));
        }
        Self {
            rows,
            columns,
            elements,
        }
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

    /// The rows in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[Real<M>]> {
        (0..self.rows).map(|i| self.row(i))
    }

    /// Column `k`.
    ///
    /// # Panics
    /// If there is no such column.
    #[must_use]
    pub fn column(&self, k: usize) -> Vector<M> {
        (0..self.rows).map(|i| self[(i, k)]).collect()
    }

    /// Rows and columns exchanged.
    #[must_use]
    pub fn transpose(&self) -> Self {
        Self::from_fn(self.columns, self.rows, |i, k| self[(k, i)])
    }

    /// `f` of every element.
    #[must_use]
    pub fn map(&self, f: impl FnMut(Real<M>) -> Real<M>) -> Self {
        let elements = self.elements.iter().copied().map(f).collect();
        Self {
            rows: self.rows,
            columns: self.columns,
            elements,
        }
    }

    /// `f` of the elements of two matrices of one shape.
    ///
    /// # Panics
    /// With a [`Fault::Shape`] if the shapes differ.
    #[must_use]
    pub fn zip_map(&self, other: &Self, mut f: impl FnMut(Real<M>, Real<M>) -> Real<M>) -> Self {
        if (self.rows, self.columns) != (other.rows, other.columns) {
            raise(Fault::Shape {
                operation: format!("{} paired with {}", self.words(), other.words()),
            });
        }
        let elements = self
            .elements
            .iter()
            .zip(&other.elements)
            .map(|(a, b)| f(*a, *b))
            .collect();
        Self {
            rows: self.rows,
            columns: self.columns,
            elements,
        }
    }

    /// The product element by element.
    #[must_use]
    pub fn component_mul(&self, other: &Self) -> Self {
        self.zip_map(other, |a, b| a * b)
    }

    /// The sum of all elements.
    #[must_use]
    pub fn sum(&self) -> Real<M> {
        self.elements.iter().sum()
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
