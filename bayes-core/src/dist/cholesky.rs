//! Lower Cholesky factors of random matrices.

use bayes_autodiff::{Mode, Real};

/// A lower triangular matrix `[dim, dim]`, row-major, with what solving needs of its diagonal.
pub(super) struct Lower<M: Mode> {
    dim: usize,
    entries: Vec<Real<M>>,
    reciprocals: Vec<Real<M>>,
}

impl<M: Mode> Lower<M> {
    /// From the lower triangle of a row-major matrix; what stands above is not read.
    pub(super) fn new(dim: usize, entries: Vec<Real<M>>) -> Self {
        let reciprocals = (0..dim).map(|i| entries[i * dim + i].recip()).collect();
        Self {
            dim,
            entries,
            reciprocals,
        }
    }

    /// The factor `L` of a symmetric matrix `L Lᵀ`, from its lower triangle; NaN unless positive definite.
    pub(super) fn of(dim: usize, mut entries: Vec<Real<M>>) -> Self {
        for i in 0..dim {
            for k in 0..=i {
                let mut sum = entries[i * dim + k];
                for j in 0..k {
                    sum -= entries[i * dim + j] * entries[k * dim + j];
                }
                entries[i * dim + k] = if i == k {
                    sum.sqrt()
                } else {
                    sum / entries[k * dim + k]
                };
            }
        }
        Self::new(dim, entries)
    }

    /// `ln det L`.
    pub(super) fn log_determinant(&self) -> Real<M> {
        (0..self.dim)
            .map(|i| self.entries[i * self.dim + i].ln())
            .sum()
    }

    /// Replaces `x` by `L⁻¹ x` and gives its squared length.
    pub(super) fn whiten(&self, x: &mut [Real<M>]) -> Real<M> {
        let mut square = Real::constant(0.0);
        for i in 0..self.dim {
            let (solved, rest) = x.split_at_mut(i);
            let row = &self.entries[i * self.dim..][..i];
            let dot: Real<M> = row.iter().zip(solved).map(|(l, z)| *l * *z).sum();
            rest[0] = (rest[0] - dot) * self.reciprocals[i];
            square += rest[0] * rest[0];
        }
        square
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
