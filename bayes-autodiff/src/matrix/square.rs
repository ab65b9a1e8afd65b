//! Functions of square matrices, and matrices made from others.

use super::{Matrix, MatrixFunction, RightHandSide};
use crate::fault::{Fault, raise};
use crate::mode::Mode;
use crate::real::Real;
use crate::vector::Vector;
use nalgebra::DMatrix;

impl<M: Mode> Matrix<M> {
    /// The identity matrix, `[dim, dim]`.
    #[must_use]
    pub fn identity(dim: usize) -> Self {
        Self::from_diagonal(&Vector::constant(&vec![1.0; dim]))
    }

    /// The matrix with this diagonal, and zeros beside it.
    #[must_use]
    pub fn from_diagonal(diagonal: &[Real<M>]) -> Self {
        let mut matrix = Self::zeros(diagonal.len(), diagonal.len());
        for (i, x) in diagonal.iter().enumerate() {
            matrix[(i, i)] = *x;
        }
        matrix
    }

    /// A matrix that does not depend on any random value.
    #[must_use]
    pub fn constant(data: &DMatrix<f64>) -> Self {
        Self::from_fn(data.nrows(), data.ncols(), |i, k| {
            Real::constant(data[(i, k)])
        })
    }

    /// The diagonal, as long as the shorter side.
    #[must_use]
    pub fn diagonal(&self) -> Vector<M> {
        Vector::from_fn(self.rows.min(self.columns), |i| self[(i, i)])
    }

    /// The sum of the diagonal.
    ///
    /// # Panics
    /// With a [`Fault::Shape`] unless the matrix is square.
    #[must_use]
    pub fn trace(&self) -> Real<M> {
        self.square("trace of");
        M::sum(&self.diagonal())
    }

    /// The Kronecker product: `self[(i, k)]` times `other` is the block at row `i` and column `k`.
    #[must_use]
    pub fn kronecker(&self, other: &Self) -> Self {
        let (rows, columns) = (other.rows, other.columns);
        Self::from_fn(self.rows * rows, self.columns * columns, |i, k| {
            self[(i / rows, k / columns)] * other[(i % rows, k % columns)]
        })
    }

    /// The quadratic form `xᵀ A x` of this matrix `A`. For `xᵀ A⁻¹ x` of a covariance write `a.cholesky().solve_lower(&x).norm_squared()`.
    ///
    /// # Panics
    /// With a [`Fault::Shape`] unless the matrix is square and `x` has the same length.
    #[must_use]
    pub fn quadratic_form(&self, x: &[Real<M>]) -> Real<M> {
        if self.columns != self.rows || x.len() != self.rows {
            raise(Fault::Shape {
                operation: format!(
                    "quadratic form of a {} and a vector {}",
                    self.words(),
                    x.len()
                ),
            });
        }
        let rows: Vector<M> = self.rows().map(|row| M::dot_random(row, x)).collect();
        M::dot_random(&rows, x)
    }

    /// The inverse of this matrix. For a singular matrix its elements are infinite or NaN, and the particle has no density.
    ///
    /// # Panics
    /// With a [`Fault::Shape`] unless the matrix is square.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let dim = self.square("inverse of");
        let mut found = M::matrix_function(MatrixFunction::Inverse, dim, &self.elements);
        found.truncate(dim * dim);
        Self::from_elements(dim, dim, found)
    }

    /// `ln |det A|`, of any square matrix; minus infinity if it is singular.
    ///
    /// # Panics
    /// With a [`Fault::Shape`] unless the matrix is square.
    #[must_use]
    pub fn log_determinant(&self) -> Real<M> {
        let dim = self.square("log determinant of");
        M::matrix_function(MatrixFunction::Inverse, dim, &self.elements)[dim * dim]
    }

    /// `A⁻¹ x`: the solution of the equations with this matrix and `x` on the right, a vector or a matrix, random or data. For a
    /// covariance `L Lᵀ` with `L` from [`cholesky`](Self::cholesky), `lower.transpose().solve_upper(&lower.solve_lower(&x))` is the same.
    ///
    /// # Panics
    /// With a [`Fault::Shape`] unless the matrix is square and `x` has as many rows.
    #[must_use]
    pub fn solve<X: RightHandSide<M> + ?Sized>(&self, x: &X) -> X::Solution {
        self.fits(x.words());
        let inverse = self.inverse();
        x.solved(|column| {
            let solution = &inverse * Vector::from(&*column);
            column.copy_from_slice(&solution);
        })
    }

    /// The exponential of a matrix, `I + A + A²/2 + A³/6 + ...`, not that of its elements. For rates of change `q` of a Markov chain in
    /// continuous time, `(time * &q).matrix_exp()` has the probabilities of each state (column) after each other one (row).
    ///
    /// Errors are about 1e-16 times the 1-norm of the matrix, relative to the largest element; a probability far below that is rounding. Not
    /// finite if the matrix is not.
    ///
    /// # Panics
    /// With a [`Fault::Shape`] unless the matrix is square.
    #[must_use]
    pub fn matrix_exp(&self) -> Self {
        let dim = self.square("exponential of");
        let found = M::matrix_function(MatrixFunction::Exponential, dim, &self.elements);
        Self::from_elements(dim, dim, found)
    }

    /// The eigenvalues of this symmetric matrix in increasing order; only its lower triangle is read.
    ///
    /// Two eigenvalues that are equal, to about 1e-12 of the largest, have no slopes of their own: the gradient is then NaN, which a run
    /// counts as a rejected move, unless the model treats the two alike, as a sum or a product does.
    ///
    /// # Panics
    /// With a [`Fault::Shape`] unless the matrix is square.
    #[must_use]
    pub fn symmetric_eigenvalues(&self) -> Vector<M> {
        let dim = self.square("eigenvalues of");
        let mut found = M::matrix_function(MatrixFunction::Eigen, dim, &self.elements);
        found.truncate(dim);
        found.into()
    }

    /// The [eigenvalues](Self::symmetric_eigenvalues) of this symmetric matrix in increasing order, and their eigenvectors of length 1, the
    /// columns of a matrix `V`: the matrix is `V diag(values) Vᵀ`.
    ///
    /// The sign of an eigenvector is not determined. Here its product with the numbers √1, √2, √3, ... is not negative, so it changes where that is 0:
    /// use vectors where the sign does not matter.
    ///
    /// # Panics
    /// With a [`Fault::Shape`] unless the matrix is square.
    #[must_use]
    pub fn symmetric_eigen(&self) -> (Vector<M>, Self) {
        let dim = self.square("eigenvectors of");
        let mut values = M::matrix_function(MatrixFunction::Eigen, dim, &self.elements);
        let vectors = values.split_off(dim);
        (values.into(), Self::from_elements(dim, dim, vectors))
    }
}
