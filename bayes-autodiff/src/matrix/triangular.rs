//! The Cholesky factor of a random matrix, and systems of equations with it.

use super::Matrix;
use crate::fault::{Fault, raise};
use crate::mode::Mode;
use crate::real::Real;
use crate::vector::Vector;

impl<M: Mode> Matrix<M> {
    /// The Cholesky factor: the lower triangular `L` such that `L Lᵀ` is this symmetric matrix; only its lower triangle is read. NaN
    /// unless the matrix is positive definite; for a covariance of many close places add a small number to the diagonal.
    ///
    /// # Panics
    /// With a [`Fault::Shape`] unless the matrix is square.
    #[inline(always)]
    #[must_use]
    pub fn cholesky(&self) -> Self {
        let dim = self.rows;
        if self.columns != dim {
            raise(Fault::Shape {
                operation: format!("Cholesky factor of a {}", self.words()),
            });
        }
        let mut factor = self.clone();
        M::cholesky(dim, &mut factor.elements);
        for i in 0..dim {
            for k in i + 1..dim {
                factor.elements[i * dim + k] = Real::constant(0.0);
            }
        }
        factor
    }

    /// `L⁻¹ x` for this lower triangular matrix `L`, such as a [`cholesky`](Self::cholesky) factor.
    ///
    /// # Panics
    /// With a [`Fault::Shape`] unless the matrix is square and `x` has the same length.
    #[inline(always)]
    #[must_use]
    pub fn solve_lower(&self, x: &Vector<M>) -> Vector<M> {
        if self.columns != self.rows || x.len() != self.rows {
            raise(Fault::Shape {
                operation: format!("{} \\ vector {}", self.words(), x.len()),
            });
        }
        let mut solved = x.clone();
        M::solve_lower(&self.elements, &mut solved);
        solved
    }
}
