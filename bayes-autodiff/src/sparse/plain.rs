//! The factor of a sparse matrix of plain numbers: systems of equations, draws, variances.

use super::factor;
use super::pattern::SparsePattern;
use crate::matrix::Scalars;
use crate::real::Real;
use crate::value::Value;

/// A matrix that is not positive definite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WrongPivot {
    /// The row of the matrix at which the factorisation ended.
    pub place: usize,
    /// What is left of its diagonal entry, which must be above its rounding error.
    pub pivot: f64,
}

/// The Cholesky factor of a sparse symmetric positive definite matrix of numbers.
#[derive(Clone, Debug)]
pub struct SparseFactor {
    pattern: SparsePattern,
    /// `L` below the diagonal and `D` on it, in the order of elimination.
    entries: Vec<f64>,
}

impl SparseFactor {
    /// The factor of the matrix with these entries, in the order of [`SparsePattern::entries`].
    ///
    /// # Errors
    /// If the matrix is not positive definite, or if a pivot is no larger than its rounding error, at most `10 n ε` times the diagonal
    /// entry: of such a matrix, as of one that is singular, neither the determinant nor the inverse has a digit.
    ///
    /// # Panics
    /// If there are not as many entries as the pattern has.
    pub fn new(pattern: &SparsePattern, values: &[f64]) -> Result<Self, WrongPivot> {
        assert_eq!(values.len(), pattern.entries().len(), "entries");
        let at = |k: usize| Real::<Value>::constant(values[k]);
        let factor = factor::factor::<Scalars<Value>>(pattern, at);
        let found = Self {
            pattern: pattern.clone(),
            entries: factor.iter().map(|x| x.0).collect(),
        };
        let mut diagonal = vec![0.0; pattern.len()];
        for ([i, j], value) in pattern.entries().iter().zip(values) {
            if i == j {
                diagonal[*i as usize] = *value;
            }
        }
        let rounding = 10.0 * pattern.len() as f64 * f64::EPSILON;
        for (j, place) in pattern.order().iter().enumerate() {
            let (place, pivot) = (*place as usize, found.entries[pattern.column(j).0]);
            // written so that NaN is refused too
            let is_allowed = pivot > rounding * diagonal[place] && pivot > 0.0 && pivot.is_finite();
            if !is_allowed {
                return Err(WrongPivot { place, pivot });
            }
        }
        Ok(found)
    }

    /// `ln det` of the matrix.
    #[must_use]
    pub fn log_determinant(&self) -> f64 {
        let pivots = (0..self.pattern.len()).map(|j| self.entries[self.pattern.column(j).0]);
        pivots.map(f64::ln).sum()
    }

    /// Replaces `b` by the solution of `A x = b`.
    ///
    /// # Panics
    /// If `b` is not as long as the matrix has rows.
    pub fn solve(&self, b: &mut [f64]) {
        let mut x: Vec<f64> = self
            .pattern
            .order()
            .iter()
            .map(|i| b[*i as usize])
            .collect();
        for j in 0..x.len() {
            let (_, below) = self.pattern.column(j);
            for p in below {
                x[self.pattern.rows()[p] as usize] -= self.entries[p] * x[j];
            }
        }
        for (j, x) in x.iter_mut().enumerate() {
            *x /= self.entries[self.pattern.column(j).0];
        }
        self.solve_above(x, b);
    }

    /// Replaces standard normal numbers by a draw of the normal distribution about 0 whose precision is the matrix.
    ///
    /// # Panics
    /// If there are not as many numbers as the matrix has rows.
    pub fn draw(&self, z: &mut [f64]) {
        let pivot = |j: usize| self.entries[self.pattern.column(j).0];
        let x = z.iter().enumerate().map(|(j, z)| z / pivot(j).sqrt());
        self.solve_above(x.collect(), z);
    }

    /// The solution of `Lᵀ y = x`, in the order of the matrix.
    fn solve_above(&self, mut x: Vec<f64>, to: &mut [f64]) {
        for j in (0..x.len()).rev() {
            let (_, below) = self.pattern.column(j);
            let rows = &self.pattern.rows()[below.clone()];
            let terms = rows.iter().zip(&self.entries[below]);
            x[j] -= terms
                .map(|(row, entry)| entry * x[*row as usize])
                .sum::<f64>();
        }
        for (place, x) in self.pattern.order().iter().zip(x) {
            to[*place as usize] = x;
        }
    }

    /// The diagonal of the inverse: the variances of a normal distribution with this precision.
    #[must_use]
    pub fn variances(&self) -> Vec<f64> {
        let entries: Vec<Real<Value>> = self.entries.iter().map(|x| Real::constant(*x)).collect();
        let inverse = factor::selected_inverse::<Scalars<Value>>(&self.pattern, &entries);
        let mut found = vec![0.0; self.pattern.len()];
        for (j, place) in self.pattern.order().iter().enumerate() {
            found[*place as usize] = inverse[self.pattern.column(j).0].0;
        }
        found
    }
}
