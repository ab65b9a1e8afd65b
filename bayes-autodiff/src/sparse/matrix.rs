//! Sparse symmetric matrices of random numbers.

use super::pattern::SparsePattern;
use super::pencil::SparsePencil;
use super::plain::{SparseFactor, WrongPivot};
use crate::fault::{Fault, raise};
use crate::mode::Mode;
use crate::real::{PlainValue, Real};
use crate::vector::Vector;
use std::cell::OnceCell;

/// A sparse symmetric matrix with random entries at the places of a [`SparsePattern`]; all others are 0.
#[derive(Clone, Debug)]
pub struct SparseMatrix<M: Mode> {
    pattern: SparsePattern,
    /// In the order of the pattern.
    values: Vector<M>,
    pencil: Option<Multiple<M>>,
    log_determinant: OnceCell<Real<M>>,
    /// Of the plain entries.
    factor: OnceCell<Result<SparseFactor, WrongPivot>>,
}

/// A determinant that is known by a pencil: its logarithm is `power ln det (A + x B) + shift`.
#[derive(Clone, Debug)]
struct Multiple<M: Mode> {
    pencil: SparsePencil,
    x: Real<M>,
    power: f64,
    shift: Real<M>,
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
        let values = Vector::from_fn(
            entries.len(),
            #[inline(always)]
            |k| entry(entries[k][0] as usize, entries[k][1] as usize),
        );
        SparseMatrix::new(self, values)
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
            pencil: None,
            log_determinant: OnceCell::new(),
            factor: OnceCell::new(),
        }
    }

    /// The same matrix, whose log determinant the caller knows to be `power ln det (A + x B) + shift`. It takes no factorisation then.
    #[must_use]
    pub fn by_pencil(
        mut self,
        pencil: &SparsePencil,
        x: Real<M>,
        power: f64,
        shift: Real<M>,
    ) -> Self {
        self.pencil = Some(Multiple {
            pencil: pencil.clone(),
            x,
            power,
            shift,
        });
        self
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

    /// `ln det` to rounding, by a sparse Cholesky factorisation or by a [pencil](Self::by_pencil); NaN unless the matrix is positive
    /// definite. It is computed once.
    #[must_use]
    pub fn log_determinant(&self) -> Real<M> {
        *self.log_determinant.get_or_init(|| match &self.pencil {
            Some(of) => M::pencil_log_determinant(&of.pencil, of.x) * of.power + of.shift,
            None => M::sparse_log_determinant(&self.pattern, &self.values),
        })
    }

    /// The factor of the plain entries, which is computed once. Not for models: see [`PlainValue`].
    ///
    /// # Errors
    /// As [`SparseFactor::new`].
    pub fn factor(&self) -> Result<&SparseFactor, WrongPivot> {
        let found = self.factor.get_or_init(|| {
            let entries: Vec<f64> = self.values.iter().map(|x| x.plain_value()).collect();
            SparseFactor::new(&self.pattern, &entries)
        });
        found.as_ref().map_err(|wrong| *wrong)
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
