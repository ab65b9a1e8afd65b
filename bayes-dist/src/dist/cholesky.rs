//! Lower Cholesky factors of random matrices.

use super::Parameter;
use bayes_autodiff::{Mode, PlainValue, Real, Value, Vector};

/// A lower triangular matrix `L`, `[dim, dim]`.
pub(super) struct Lower<M: Mode> {
    dim: usize,
    /// `L`, or its inverse, row-major.
    entries: Vector<M>,
    is_inverse: bool,
}

impl<M: Mode> Lower<M> {
    /// A factor from the lower triangle of a row-major matrix; the upper triangle is not read.
    #[inline(always)]
    pub(super) fn new(dim: usize, entries: Vector<M>) -> Self {
        Self {
            dim,
            entries,
            is_inverse: false,
        }
    }

    /// The factor `L` of a symmetric matrix `L Lᵀ`, from its lower triangle; NaN unless positive definite.
    #[inline(always)]
    pub(super) fn of(dim: usize, mut entries: Vector<M>) -> Self {
        M::cholesky(dim, &mut entries);
        Self::new(dim, entries)
    }

    /// The factor `L` of the inverse `L Lᵀ` of a matrix, from the factor of the matrix with rows and columns in opposite order: `L⁻¹` is its
    /// transpose, in opposite order.
    #[inline(always)]
    pub(super) fn of_inverse(opposite: &Self) -> Self {
        let dim = opposite.dim;
        let mut entries = Vector::zeros(dim * dim);
        for i in 0..dim {
            for k in 0..=i {
                entries[i * dim + k] = opposite.entries[(dim - 1 - k) * dim + dim - 1 - i];
            }
        }
        Self {
            dim,
            entries,
            is_inverse: true,
        }
    }

    /// The factor of a symmetric matrix of data, without derivatives.
    #[inline(always)]
    pub(super) fn of_data(dim: usize, matrix: &[Real<M>]) -> Self {
        let mut plain = Vector::<Value>::zeros(dim * dim);
        for (plain, x) in plain.iter_mut().zip(matrix) {
            *plain = Real::constant(x.plain_value());
        }
        Value::cholesky(dim, &mut plain);
        let mut entries = Vector::zeros(dim * dim);
        for (entry, x) in entries.iter_mut().zip(&plain) {
            *entry = Real::constant(x.primal());
        }
        Self::new(dim, entries)
    }

    /// The number of rows.
    #[inline(always)]
    pub(super) fn dim(&self) -> usize {
        self.dim
    }

    /// Entry `(i, i)`.
    #[inline(always)]
    pub(super) fn pivot(&self, i: usize) -> Real<M> {
        self.entries[i * self.dim + i]
    }

    /// `ln det L`.
    #[inline(always)]
    pub(super) fn log_determinant(&self) -> Real<M> {
        let mut sum = Real::constant(0.0);
        for i in 0..self.dim {
            sum += self.pivot(i).ln();
        }
        if self.is_inverse { -sum } else { sum }
    }

    /// Replaces `x` by `L⁻¹ x` and returns its squared length.
    #[inline(always)]
    pub(super) fn whiten(&self, x: &mut [Real<M>]) -> Real<M> {
        if self.is_inverse {
            x.copy_from_slice(&self.entries_times(x));
        } else {
            M::solve_lower(&self.entries, x);
        }
        M::dot_random(x, x)
    }

    /// `L` by value, row-major, zeros above the diagonal.
    pub(super) fn values(&self) -> Vec<f64> {
        let entries = self.entry_values();
        if !self.is_inverse {
            return entries;
        }
        let dim = self.dim;
        let mut lower = vec![0.0; dim * dim];
        for k in 0..dim {
            let unit =
                Vector::<Value>::from_fn(dim, |i| Real::constant(f64::from(u8::from(i == k))));
            let column = solved(&entries, &unit);
            column
                .iter()
                .enumerate()
                .for_each(|(i, x)| lower[i * dim + k] = *x);
        }
        lower
    }

    /// The entries by value, row-major, zeros above the diagonal.
    fn entry_values(&self) -> Vec<f64> {
        let entry = |i: usize| {
            if i % self.dim <= i / self.dim {
                self.entries[i].plain_value()
            } else {
                0.0
            }
        };
        (0..self.dim * self.dim).map(entry).collect()
    }

    /// Visits `|L⁻¹(x - mean)|²` of each row `x`, where `fill` writes row `row` into its argument.
    #[inline(always)]
    pub(super) fn for_each_square<A: Parameter<M>>(
        &self,
        mean: &A,
        rows: usize,
        mut fill: impl FnMut(usize, &mut [Real<M>]),
        mut visit: impl FnMut(Real<M>),
    ) {
        let mut x = Vector::zeros(self.dim);
        for row in 0..rows {
            fill(row, &mut x);
            for (i, x) in x.iter_mut().enumerate() {
                *x -= mean.at(i);
            }
            visit(self.whiten(&mut x));
        }
    }

    /// The log determinant of `L Lᵀ` where its diagonal is 1; it keeps the digits of small correlations.
    #[inline(always)]
    pub(super) fn log_determinant_of_correlation(&self) -> Real<M> {
        let mut sum = Real::constant(0.0);
        for i in 1..self.dim {
            let row = &self.entries[i * self.dim..][..i];
            sum += (-M::dot_random(row, row)).ln_1p();
        }
        sum
    }

    /// `tr M Mᵀ - d ν - ν ln det(M Mᵀ/ν)` of `M = L⁻¹ F` for another factor `F`: the deviances of `ν` from the squares on the diagonal, and
    /// the squares below it.
    #[inline(always)]
    pub(super) fn deviance_ratio(&self, other: &Self, nu: Real<M>) -> Real<M> {
        let mut sum = Real::constant(0.0);
        let mut column = Vector::zeros(self.dim);
        for k in 0..self.dim {
            for (i, x) in column.iter_mut().enumerate() {
                *x = if i < k {
                    Real::constant(0.0)
                } else {
                    other.entries[i * self.dim + k]
                };
            }
            self.whiten(&mut column);
            let (diagonal, below) = (column[k], &column[k + 1..]);
            sum += nu.deviance(diagonal.square()) + M::dot_random(below, below);
        }
        sum
    }

    /// `L x`.
    #[inline(always)]
    pub(super) fn product(&self, x: &[Real<M>]) -> Vector<M> {
        if self.is_inverse {
            let mut product = Vector::from(x);
            M::solve_lower(&self.entries, &mut product);
            return product;
        }
        self.entries_times(x)
    }

    /// The product of the entries and `x`.
    #[inline(always)]
    fn entries_times(&self, x: &[Real<M>]) -> Vector<M> {
        let mut product = Vector::zeros(self.dim);
        for (i, sum) in product.iter_mut().enumerate() {
            *sum = M::dot_random(&self.entries[i * self.dim..][..=i], &x[..=i]);
        }
        product
    }

    /// `L x`, by value.
    pub(super) fn times(&self, x: &[f64]) -> Vec<f64> {
        let lower = self.values();
        let row = |i: usize| lower[i * self.dim..].iter().zip(&x[..=i]);
        (0..self.dim)
            .map(|i| row(i).map(|(l, x)| l * x).sum())
            .collect()
    }
}

/// `E⁻¹ x` for lower triangular entries `E`.
fn solved(entries: &[f64], x: &[Real<Value>]) -> Vec<f64> {
    let (entries, mut x) = (Vector::<Value>::constant(entries), Vector::from(x));
    Value::solve_lower(&entries, &mut x);
    x.iter().map(|x| x.primal()).collect()
}
