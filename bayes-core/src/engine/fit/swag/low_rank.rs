//! A Gaussian whose covariance is a diagonal matrix plus a matrix of low rank.

use super::iterates::Iterates;
use crate::engine::fit::approximation::Approximation;
use crate::rng::Stream;
use nalgebra::{DMatrix, DVector};
use rand::RngExt;
use rand_distr::StandardNormal;

/// `N(mean, diag(sd²) + B Bᵀ)`.
pub(super) struct LowRank {
    mean: DVector<f64>,
    sd: DVector<f64>,
    /// B, `[dim, rank]`.
    columns: DMatrix<f64>,
    /// The inverse of `I + Bᵀ diag(sd⁻²) B`, `[rank, rank]`.
    inverse: DMatrix<f64>,
    log_normaliser: f64,
}

impl LowRank {
    /// The Gaussian of the iterates: half of it diagonal, half of low rank; all of it diagonal for rank 0.
    pub(super) fn of(iterates: &Iterates) -> Self {
        let (dim, rank) = (iterates.mean.len(), iterates.deviations.len());
        let share: f64 = if rank == 0 { 1.0 } else { 0.5 };
        let variances = iterates.variances();
        let scale = (2.0 * (rank as f64 - 1.0)).sqrt();
        let columns = DMatrix::from_fn(dim, rank, |i, k| iterates.deviations[k][i] / scale);
        let sd = DVector::from_iterator(dim, variances.iter().map(|v| (share * v).sqrt()));
        Self::new(DVector::from_column_slice(&iterates.mean), sd, columns)
    }

    fn new(mean: DVector<f64>, sd: DVector<f64>, columns: DMatrix<f64>) -> Self {
        let (dim, rank) = columns.shape();
        let scaled = DMatrix::from_fn(dim, rank, |i, k| columns[(i, k)] / sd[i]);
        let inner = DMatrix::identity(rank, rank) + scaled.transpose() * scaled;
        // all eigenvalues are at least 1
        let eigen = inner.symmetric_eigen();
        let log_determinant: f64 = eigen.eigenvalues.iter().map(|x| x.ln()).sum();
        let inverse = DMatrix::from_diagonal(&eigen.eigenvalues.map(|x| 1.0 / x));
        let inverse = &eigen.eigenvectors * inverse * eigen.eigenvectors.transpose();
        let log_scale: f64 = sd.iter().map(|x| x.ln()).sum();
        let log_normaliser =
            -0.5 * (dim as f64 * std::f64::consts::TAU.ln() + log_determinant) - log_scale;
        Self {
            mean,
            sd,
            columns,
            inverse,
            log_normaliser,
        }
    }

    /// The log density, normalised: by the identity of Woodbury, with the inverse of a matrix `[rank, rank]`.
    fn log_density_at(&self, position: &DVector<f64>) -> f64 {
        let whitened = (position - &self.mean).component_div(&self.sd);
        let along = self.columns.tr_mul(&whitened.component_div(&self.sd));
        let square = whitened.norm_squared() - along.dot(&(&self.inverse * &along));
        self.log_normaliser - 0.5 * square
    }
}

impl Approximation for LowRank {
    fn draw(&self, stream: &mut Stream, position: &mut [f64]) -> f64 {
        let mut normal = |_| stream.sample::<f64, _>(StandardNormal);
        let (dim, rank) = self.columns.shape();
        let own = DVector::from_iterator(dim, (0..dim).map(&mut normal));
        let shared = DVector::from_iterator(rank, (0..rank).map(&mut normal));
        let drawn = &self.mean + own.component_mul(&self.sd) + &self.columns * shared;
        position.copy_from_slice(drawn.as_slice());
        self.log_density_at(&drawn)
    }

    fn log_density(&self, position: &[f64]) -> f64 {
        self.log_density_at(&DVector::from_column_slice(position))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Key, Purpose};

    fn gaussian() -> LowRank {
        let mean = DVector::from_vec(vec![1.0, -2.0, 0.5]);
        let sd = DVector::from_vec(vec![0.5, 1.5, 0.1]);
        let columns = DMatrix::from_row_slice(3, 2, &[1.0, 0.3, -0.7, 0.2, 0.4, -1.1]);
        LowRank::new(mean, sd, columns)
    }

    fn covariance(gaussian: &LowRank) -> DMatrix<f64> {
        let diagonal = DMatrix::from_diagonal(&gaussian.sd.map(|sd| sd * sd));
        diagonal + &gaussian.columns * gaussian.columns.transpose()
    }

    #[test]
    fn the_log_density_is_that_of_the_full_covariance() {
        let gaussian = gaussian();
        let covariance = covariance(&gaussian);
        let precision = covariance.clone().try_inverse().expect("it is regular");
        for x in [[1.0, -2.0, 0.5], [0.0, 0.3, 2.0], [4.0, -7.0, 0.1]] {
            let x = DVector::from_column_slice(&x);
            let rest = &x - &gaussian.mean;
            let square = rest.dot(&(&precision * &rest));
            let log_determinant = covariance.determinant().ln();
            let wanted = -0.5 * (square + log_determinant + 3.0 * std::f64::consts::TAU.ln());
            let found = gaussian.log_density_at(&x);
            assert!((found - wanted).abs() < 1e-11, "{found}, want {wanted}");
        }
    }

    // The standard error of a covariance entry over n draws is sqrt((S_ii S_jj + S_ij²) / n).
    #[test]
    fn draws_have_the_covariance() {
        let gaussian = gaussian();
        let n = 40_000;
        let mut stream = Key::new(3, Purpose::Validation).stream();
        let mut sums = DMatrix::zeros(3, 3);
        for _ in 0..n {
            let mut x = [0.0; 3];
            gaussian.draw(&mut stream, &mut x);
            let rest = DVector::from_column_slice(&x) - &gaussian.mean;
            sums += &rest * rest.transpose();
        }
        let (found, wanted) = (sums / f64::from(n), covariance(&gaussian));
        for i in 0..3 {
            for j in 0..3 {
                let variance = wanted[(i, i)] * wanted[(j, j)] + wanted[(i, j)].powi(2);
                let se = (variance / f64::from(n)).sqrt();
                let error = found[(i, j)] - wanted[(i, j)];
                assert!(error.abs() < 4.5 * se, "{i} {j}: {error}, se {se}");
            }
        }
    }
}
