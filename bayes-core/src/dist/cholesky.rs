//! Lower Cholesky factors of random matrices.

use bayes_autodiff::{Mode, Real, Vector};

/// A lower triangular matrix `[dim, dim]`, row-major.
pub(super) struct Lower<M: Mode> {
    dim: usize,
    entries: Vector<M>,
}

impl<M: Mode> Lower<M> {
    /// From the lower triangle of a row-major matrix; what stands above is not read.
    pub(super) fn new(dim: usize, entries: Vector<M>) -> Self {
        Self { dim, entries }
    }

    /// The factor `L` of a symmetric matrix `L Lᵀ`, from its lower triangle; NaN unless positive definite.
    #[inline(always)]
    pub(super) fn of(dim: usize, mut entries: Vector<M>) -> Self {
        M::cholesky(dim, &mut entries);
        Self { dim, entries }
    }

    /// `ln det L`.
    #[inline(always)]
    pub(super) fn log_determinant(&self) -> Real<M> {
        let mut sum = Real::constant(0.0);
        for i in 0..self.dim {
            sum += self.entries[i * self.dim + i].ln();
        }
        sum
    }

    /// Replaces `x` by `L⁻¹ x` and gives its squared length.
    #[inline(always)]
    pub(super) fn whiten(&self, x: &mut [Real<M>]) -> Real<M> {
        M::solve_lower(&self.entries, x);
        M::dot_random(x, x)
    }

    /// The entries by value, row-major, zeros above the diagonal.
    pub(super) fn values(&self) -> Vec<f64> {
        let entry = |i: usize| {
            if i % self.dim <= i / self.dim {
                self.entries[i].primal()
            } else {
                0.0
            }
        };
        (0..self.dim * self.dim).map(entry).collect()
    }

    /// The same factor in another mode, without derivatives.
    #[inline(always)]
    pub(super) fn constant<N: Mode>(&self) -> Lower<N> {
        Lower::new(
            self.dim,
            self.entries
                .iter()
                .map(|x| Real::constant(x.primal()))
                .collect(),
        )
    }
}
