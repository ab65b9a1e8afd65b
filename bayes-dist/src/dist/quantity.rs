//! Random quantities: scalars, vectors and matrices.

use bayes_autodiff::{Matrix, Mode, Real, Vector};
use serde::{Deserialize, Serialize};

/// The shape of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shape {
    /// A single number.
    Scalar,
    /// A vector and its length.
    Vector(usize),
    /// A matrix: rows, columns.
    Matrix(usize, usize),
}

impl Shape {
    /// Number of elements.
    #[must_use]
    #[inline(always)]
    pub fn elements(self) -> usize {
        match self {
            Self::Scalar => 1,
            Self::Vector(n) => n,
            Self::Matrix(rows, columns) => rows * columns,
        }
    }

    /// The length of each dimension, rows first; empty for a scalar.
    pub fn lengths(self) -> Vec<usize> {
        match self {
            Self::Scalar => Vec::new(),
            Self::Vector(n) => vec![n],
            Self::Matrix(rows, columns) => vec![rows, columns],
        }
    }

    /// `a matrix of 3 x 2`.
    pub(crate) fn words(self) -> String {
        match self {
            Self::Scalar => "a single number".to_owned(),
            Self::Vector(n) => format!("a vector of length {n}"),
            Self::Matrix(rows, columns) => format!("a matrix of {rows} x {columns}"),
        }
    }

    /// The shape of the output of a statement that ran `executions` times: a scalar in a loop is a vector.
    #[doc(hidden)]
    #[must_use]
    pub fn repeated(self, executions: usize) -> Self {
        match (self, executions) {
            (shape, 1) => shape,
            (Self::Scalar, n) => Self::Vector(n),
            (Self::Vector(k), n) => Self::Matrix(n, k),
            (Self::Matrix(rows, columns), n) => Self::Matrix(n * rows, columns),
        }
    }
}

/// A value that a model can hold: [`Real`], [`Vector`] or [`Matrix`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a random quantity",
    label = "expected a `Real`, a `Vector` or a `Matrix`",
    note = "write `deterministic(Real::from(value))` to keep a number, `deterministic(Vector::from(list))` to keep a `Vec<Real>`; \
            of complex numbers keep the parts, `z.re` and `z.im`, or `m.real()` and `m.imaginary()`",
    note = "a distribution is no quantity: `generate(distribution)` draws from it after the run, as in `let next = generate(series.after(y, 12));`"
)]
pub trait Quantity<M: Mode>: Clone {
    /// Its shape.
    fn shape(&self) -> Shape;
    /// Its elements, row by row.
    fn elements(&self) -> &[Real<M>];
    /// A quantity of the given shape; `elements` row by row.
    fn from_elements(shape: Shape, elements: Vector<M>) -> Self;
    /// A quantity of the given shape; `element(i)` is the `i`-th of its elements row by row.
    fn from_fn(shape: Shape, element: impl FnMut(usize) -> Real<M>) -> Self;
}

impl<M: Mode> Quantity<M> for Real<M> {
    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape::Scalar
    }
    #[inline(always)]
    fn elements(&self) -> &[Real<M>] {
        std::slice::from_ref(self)
    }
    #[inline(always)]
    fn from_elements(_: Shape, elements: Vector<M>) -> Self {
        elements[0]
    }
    #[inline(always)]
    fn from_fn(_: Shape, mut element: impl FnMut(usize) -> Real<M>) -> Self {
        element(0)
    }
}

impl<M: Mode> Quantity<M> for Vector<M> {
    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape::Vector(self.len())
    }
    #[inline(always)]
    fn elements(&self) -> &[Real<M>] {
        Vector::elements(self)
    }
    #[inline(always)]
    fn from_elements(_: Shape, elements: Vector<M>) -> Self {
        elements
    }
    #[inline(always)]
    fn from_fn(shape: Shape, element: impl FnMut(usize) -> Real<M>) -> Self {
        Vector::from_fn(shape.elements(), element)
    }
}

impl<M: Mode> Quantity<M> for Matrix<M> {
    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape::Matrix(self.nrows(), self.ncols())
    }
    #[inline(always)]
    fn elements(&self) -> &[Real<M>] {
        Matrix::elements(self)
    }
    #[inline(always)]
    fn from_elements(shape: Shape, elements: Vector<M>) -> Self {
        let (rows, columns) = match shape {
            Shape::Matrix(rows, columns) => (rows, columns),
            Shape::Vector(n) => (1, n),
            Shape::Scalar => (1, 1),
        };
        Self::from_elements(rows, columns, elements)
    }
    #[inline(always)]
    fn from_fn(shape: Shape, element: impl FnMut(usize) -> Real<M>) -> Self {
        let elements = Vector::from_fn(shape.elements(), element);
        <Self as Quantity<M>>::from_elements(shape, elements)
    }
}
