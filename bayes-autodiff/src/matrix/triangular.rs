//! The Cholesky factor of a random matrix, and triangular systems of equations.

use super::{Matrix, RightHandSide};
use crate::mode::Mode;
use crate::real::Real;

impl<M: Mode> Matrix<M> {
    /// The Cholesky factor: the lower triangular `L` such that `L Lᵀ` is this symmetric matrix; only its lower triangle is read. NaN
    /// unless the matrix is positive definite; for a covariance of many close places add a small number to the diagonal.
    ///
    /// # Panics
    /// With a [`Fault::Shape`](crate::fault::Fault::Shape) unless the matrix is square.
    #[inline(always)]
    #[must_use]
    pub fn cholesky(&self) -> Self {
        let dim = self.square("Cholesky factor of");
        let mut factor = self.clone();
        M::cholesky(dim, &mut factor.elements);
        for i in 0..dim {
            for k in i + 1..dim {
                factor.elements[i * dim + k] = Real::constant(0.0);
            }
        }
        factor
    }

    /// `L⁻¹ x` for this lower triangular matrix `L`, such as a [`cholesky`](Self::cholesky) factor; only its lower triangle is read. `x` is
    /// a vector, random or data, or a matrix, whose columns are solved one by one.
    ///
    /// # Panics
    /// With a [`Fault::Shape`](crate::fault::Fault::Shape) unless the matrix is square and `x` has as many rows.
    #[inline(always)]
    #[must_use]
    pub fn solve_lower<X: RightHandSide<M> + ?Sized>(&self, x: &X) -> X::Solution {
        self.fits(x.words());
        x.solved(
            #[inline(always)]
            |column| M::solve_lower(&self.elements, column),
        )
    }

    /// `U⁻¹ x` for this upper triangular matrix `U`, such as `lower.transpose()`; only its upper triangle is read. `x` is as for
    /// [`solve_lower`](Self::solve_lower).
    ///
    /// # Panics
    /// As for [`solve_lower`](Self::solve_lower).
    #[inline(always)]
    #[must_use]
    pub fn solve_upper<X: RightHandSide<M> + ?Sized>(&self, x: &X) -> X::Solution {
        self.fits(x.words());
        let dim = self.rows;
        // in the opposite order it is lower triangular
        let lower = Self::from_fn(
            dim,
            dim,
            #[inline(always)]
            |i, k| self[(dim - 1 - i, dim - 1 - k)],
        );
        x.solved(
            #[inline(always)]
            |column| {
                column.reverse();
                M::solve_lower(&lower.elements, column);
                column.reverse();
            },
        )
    }
}
