//! Matrices of complex numbers.

mod operators;
mod qr;

use super::operators::sum_of_products;
use super::vector::norm_squared;
use super::{Complex, Complex64, ComplexVector};
use crate::buffer::Buffer;
use crate::fault::{Fault, raise};
use crate::matrix::Matrix;
use crate::mode::Mode;
use crate::real::Real;
use nalgebra::DMatrix;
use std::ops::{Index, IndexMut};

/// A matrix of complex numbers, row-major.
#[derive(Clone, Debug)]
pub struct ComplexMatrix<M: Mode> {
    rows: usize,
    columns: usize,
    elements: Buffer<Complex<M>>,
}

impl<M: Mode> ComplexMatrix<M> {
    /// Zeros.
    #[must_use]
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self {
            rows,
            columns,
            elements: Buffer::filled(rows * columns, Complex::default()),
        }
    }

    /// The identity matrix, `[dim, dim]`.
    #[must_use]
    pub fn identity(dim: usize) -> Self {
        let entry = |i, k| f64::from(u8::from(i == k));
        Self::from_fn(dim, dim, |i, k| entry(i, k).into())
    }

    /// A matrix from a function of row and column.
    #[must_use]
    pub fn from_fn(
        rows: usize,
        columns: usize,
        mut f: impl FnMut(usize, usize) -> Complex<M>,
    ) -> Self {
        let mut matrix = Self::zeros(rows, columns);
        for i in 0..rows {
            for k in 0..columns {
                matrix[(i, k)] = f(i, k);
            }
        }
        matrix
    }

    /// A matrix from its real and imaginary parts, each row after row.
    ///
    /// # Panics
    /// With a [`Fault::Shape`] unless both have `rows * columns` elements.
    #[must_use]
    pub fn from_parts(rows: usize, columns: usize, re: &[Real<M>], im: &[Real<M>]) -> Self {
        if re.len() != rows * columns || im.len() != rows * columns {
            raise(Fault::Shape {
                operation: format!(
                    "complex matrix {rows} x {columns} of {} real and {} imaginary parts",
                    re.len(),
                    im.len()
                ),
            });
        }
        Self {
            rows,
            columns,
            elements: Buffer::from_fn(rows * columns, |n| Complex::new(re[n], im[n])),
        }
    }

    /// A matrix that does not depend on any random value.
    #[must_use]
    pub fn constant(data: &DMatrix<Complex64>) -> Self {
        Self::from_fn(data.nrows(), data.ncols(), |i, k| data[(i, k)].into())
    }

    /// The number of rows.
    #[must_use]
    pub fn nrows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    #[must_use]
    pub fn ncols(&self) -> usize {
        self.columns
    }

    /// The elements, row after row.
    #[must_use]
    pub fn elements(&self) -> &[Complex<M>] {
        &self.elements
    }

    /// Row `i`.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn row(&self, i: usize) -> &[Complex<M>] {
        &self.elements[i * self.columns..(i + 1) * self.columns]
    }

    /// Column `k`.
    ///
    /// # Panics
    /// If there is no such column.
    #[must_use]
    pub fn column(&self, k: usize) -> ComplexVector<M> {
        ComplexVector::from_fn(self.rows, |i| self[(i, k)])
    }

    /// The real parts.
    #[must_use]
    pub fn real(&self) -> Matrix<M> {
        Matrix::from_fn(self.rows, self.columns, |i, k| self[(i, k)].re)
    }

    /// The imaginary parts.
    #[must_use]
    pub fn imaginary(&self) -> Matrix<M> {
        Matrix::from_fn(self.rows, self.columns, |i, k| self[(i, k)].im)
    }

    /// `f` of every element.
    #[must_use]
    pub fn map(&self, mut f: impl FnMut(Complex<M>) -> Complex<M>) -> Self {
        Self {
            elements: Buffer::from_fn(self.elements.len(), |n| f(self.elements[n])),
            ..*self
        }
    }

    /// The adjoint, also called Hermitian conjugate: rows and columns exchanged, every element conjugated.
    #[must_use]
    pub fn adjoint(&self) -> Self {
        Self::from_fn(self.columns, self.rows, |i, k| self[(k, i)].conj())
    }

    /// `A Aᴴ`, in half the time of a product: exactly Hermitian, with a real diagonal.
    #[must_use]
    pub fn hermitian_square(&self) -> Self {
        let mut square = Self::zeros(self.rows, self.rows);
        for i in 0..self.rows {
            square[(i, i)] = norm_squared(self.row(i)).into();
            for k in 0..i {
                let pairs = self.row(i).iter().zip(self.row(k));
                let entry = sum_of_products(pairs.map(|(a, b)| (*a, b.conj())));
                square[(i, k)] = entry;
                square[(k, i)] = entry.conj();
            }
        }
        square
    }

    /// Rows and columns exchanged, without conjugation.
    #[must_use]
    pub fn transpose(&self) -> Self {
        Self::from_fn(self.columns, self.rows, |i, k| self[(k, i)])
    }

    /// The sum of the diagonal.
    ///
    /// # Panics
    /// With a [`Fault::Shape`] unless the matrix is square.
    #[must_use]
    pub fn trace(&self) -> Complex<M> {
        self.square("trace of");
        (0..self.rows).map(|i| self[(i, i)]).sum()
    }

    /// The sum of the squared moduli of all elements, `Tr(A Aᴴ)`. Of a density matrix it is the purity.
    #[must_use]
    pub fn norm_squared(&self) -> Real<M> {
        norm_squared(&self.elements)
    }

    /// `⟨v|A|v⟩` of this Hermitian matrix `A`: the expectation of an observable, or the probability of an outcome. The real part, if the
    /// matrix is not Hermitian.
    ///
    /// # Panics
    /// With a [`Fault::Shape`] unless the matrix is square and `v` has the same length.
    #[must_use]
    pub fn hermitian_form(&self, v: &ComplexVector<M>) -> Real<M> {
        self.square("Hermitian form of");
        v.inner(&(self * v)).re
    }

    /// `Tr(A B)`, without the product: the expectation of an observable `B` in a state `A`.
    ///
    /// # Panics
    /// With a [`Fault::Shape`] unless `B` has as many rows as this matrix has columns, and vice versa.
    #[must_use]
    pub fn trace_of_product(&self, other: &Self) -> Complex<M> {
        if (self.rows, self.columns) != (other.columns, other.rows) {
            raise(Fault::Shape {
                operation: format!("trace of {} times {}", self.words(), other.words()),
            });
        }
        let places = (0..self.rows).flat_map(|i| (0..self.columns).map(move |k| (i, k)));
        sum_of_products(places.map(|(i, k)| (self[(i, k)], other[(k, i)])))
    }

    /// The Kronecker product: `self[(i, k)]` times `other` is the block at row `i` and column `k`.
    #[must_use]
    pub fn kronecker(&self, other: &Self) -> Self {
        let (rows, columns) = (other.rows, other.columns);
        Self::from_fn(self.rows * rows, self.columns * columns, |i, k| {
            self[(i / rows, k / columns)] * other[(i % rows, k % columns)]
        })
    }

    /// Stops the model unless the matrix is square.
    fn square(&self, operation: &str) {
        if self.rows != self.columns {
            raise(Fault::Shape {
                operation: format!("{operation} a {}", self.words()),
            });
        }
    }

    /// The shape in words, for messages.
    fn words(&self) -> String {
        format!("complex matrix {} x {}", self.rows, self.columns)
    }
}

/// A real matrix.
impl<M: Mode> From<&Matrix<M>> for ComplexMatrix<M> {
    fn from(re: &Matrix<M>) -> Self {
        Self::from_fn(re.nrows(), re.ncols(), |i, k| re[(i, k)].into())
    }
}

impl<M: Mode> Index<(usize, usize)> for ComplexMatrix<M> {
    type Output = Complex<M>;
    fn index(&self, (row, column): (usize, usize)) -> &Complex<M> {
        &self.row(row)[column]
    }
}

impl<M: Mode> IndexMut<(usize, usize)> for ComplexMatrix<M> {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut Complex<M> {
        &mut self.elements[row * self.columns..(row + 1) * self.columns][column]
    }
}
