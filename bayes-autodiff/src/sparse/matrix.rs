//! Sparse symmetric matrices of random numbers.

use super::pattern::SparsePattern;
use crate::fault::{Fault, raise};
use crate::mode::Mode;
use crate::real::Real;
use crate::vector::Vector;

/// A sparse symmetric matrix with random entries at the places of a [`SparsePattern`]; all others are 0.
#[derive(Clone, Debug)]
pub struct SparseMatrix<M: Mode> {
    pattern: SparsePattern,
    /// In the order of the pattern.
    values: Vector<M>,
}

impl SparsePattern {
    /// The matrix whose entry in row `i` and column `j`, `i ≥ j`, is `entry(i, j)`. It is called once for each entry on and below the
    /// diagonal; those above are equal.
    #[inline(always)]
    pub fn matrix<M: Mode>(
        &self,
        mut entry: impl FnMut(usize, usize) -> Real<M>,
    ) -> SparseMatrix<M> {
        let entries = self.entries();
        SparseMatrix {
            values: Vector::from_fn(
                entries.len(),
                #[inline(always)]
                |k| entry(entries[k][0] as usize, entries[k][1] as usize),
            ),
            pattern: self.clone(),
        }
    }
}

impl<M: Mode> SparseMatrix<M> {
    /// The matrix with these entries on and below the diagonal, in the order of [`SparsePattern::entries`].
    ///
    /// # Panics
    /// With a [`Fault::Shape`] if there are not as many entries as the pattern has.
    #[must_use]
    pub fn new(pattern: &SparsePattern, entries: Vector<M>) -> Self {
        if entries.len() != pattern.entries().len() {
            raise(Fault::Shape {
                operation: format!(
                    "sparse matrix of {} entries, given {}",
                    pattern.entries().len(),
                    entries.len()
                ),
            });
        }
        Self {
            pattern: pattern.clone(),
            values: entries,
        }
    }

    /// The places of the entries.
    #[inline(always)]
    pub fn pattern(&self) -> &SparsePattern {
        &self.pattern
    }

    /// The entries on and below the diagonal, in the order of the pattern.
    #[inline(always)]
    pub fn values(&self) -> &[Real<M>] {
        &self.values
    }

    /// The number of rows.
    #[inline(always)]
    #[must_use]
    pub fn nrows(&self) -> usize {
        self.pattern.len()
    }

    /// `ln det`, exactly, by a sparse Cholesky factorisation; NaN unless the matrix is positive definite.
    #[must_use]
    pub fn log_determinant(&self) -> Real<M> {
        M::sparse_log_determinant(&self.pattern, &self.values)
    }

    /// `xᵀ A x`.
    ///
    /// # Panics
    /// With a [`Fault::Shape`] if `x` is not as long as the matrix has rows.
    #[must_use]
    pub fn quadratic_form(&self, x: &[Real<M>]) -> Real<M> {
        if x.len() != self.nrows() {
            raise(Fault::Shape {
                operation: format!(
                    "quadratic form of a sparse matrix of {n} x {n} and a vector of {}",
                    x.len(),
                    n = self.nrows()
                ),
            });
        }
        M::sparse_square(&self.pattern, &self.values, x)
    }
}
