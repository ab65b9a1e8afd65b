//! Gaussians with full covariance: fitted to draws, multiplied, evaluated and sampled.

use super::{CombineError, PartDraws};
use bayes_core::rng::{RngExt, Stream};
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};
use rand_distr::StandardNormal;

/// A Gaussian with the Cholesky factor of its covariance.
#[derive(Clone, Debug)]
pub(super) struct Gaussian {
    pub mean: DVector<f64>,
    pub covariance: Cholesky<f64, Dyn>,
}

impl Gaussian {
    /// Mean and covariance, if the covariance is positive definite.
    pub fn new(mean: DVector<f64>, covariance: DMatrix<f64>) -> Option<Self> {
        let covariance = Cholesky::new(covariance)?;
        // a singular matrix may leave a pivot that is only rounding: compare it with the sd of its coordinate, the norm of its row
        let l = covariance.l();
        let holds = (0..l.nrows()).all(|k| l[(k, k)] > 1e-6 * l.row(k).norm());
        holds.then_some(Self { mean, covariance })
    }

    /// The moments of equally weighted positions `[n, dim]`, with the divisor n - 1.
    pub fn of_draws(draws: &PartDraws) -> Option<Self> {
        if draws.len() <= draws.dim {
            return None;
        }
        let (mean, covariance) = moments(draws.rows(), &vec![1.0; draws.len()], draws.dim);
        let n = draws.len() as f64;
        Self::new(mean, covariance * (n / (n - 1.0)))
    }

    /// One for the draws of each part.
    pub fn of_parts(parts: &[PartDraws]) -> Result<Vec<Self>, CombineError> {
        let fit = |(part, draws): (usize, &PartDraws)| {
            let needed = draws.dim + 2;
            let found = draws.distinct().len();
            if found < needed {
                return Err(CombineError::TooFewDraws {
                    part,
                    found,
                    needed,
                });
            }
            Self::of_draws(draws).ok_or(CombineError::Degenerate { part })
        };
        parts.iter().enumerate().map(fit).collect()
    }

    /// The product, normalised (Neiswanger et al. 2014, section 3.1).
    pub fn product(factors: &[Self]) -> Option<Self> {
        let dim = factors.first()?.mean.len();
        let mut precision = DMatrix::zeros(dim, dim);
        let mut weighted = DVector::zeros(dim);
        for factor in factors {
            precision += factor.precision();
            weighted += factor.covariance.solve(&factor.mean);
        }
        let precision = Cholesky::new(precision)?;
        Self::new(precision.solve(&weighted), precision.inverse())
    }

    pub fn precision(&self) -> DMatrix<f64> {
        self.covariance.inverse()
    }

    /// The normalised log density.
    pub fn log_density(&self, x: &[f64]) -> f64 {
        let mut z = DVector::from_column_slice(x) - &self.mean;
        let l = self.covariance.l_dirty();
        l.solve_lower_triangular_mut(&mut z);
        let log_scale: f64 = l.diagonal().iter().map(|pivot| pivot.ln()).sum();
        -0.5 * z.norm_squared() - log_scale - 0.5 * x.len() as f64 * std::f64::consts::TAU.ln()
    }

    /// A draw, `[dim]`.
    pub fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let z = DVector::from_fn(self.mean.len(), |_, _| {
            stream.sample::<f64, _>(StandardNormal)
        });
        (&self.mean + self.covariance.l() * z).as_slice().to_vec()
    }
}

/// Mean and covariance of weighted rows; the divisor of the covariance is the sum of the weights.
pub(super) fn moments<'r>(
    rows: impl Iterator<Item = &'r [f64]> + Clone,
    weights: &[f64],
    dim: usize,
) -> (DVector<f64>, DMatrix<f64>) {
    let total: f64 = weights.iter().sum();
    let mut mean = DVector::zeros(dim);
    for (row, weight) in rows.clone().zip(weights) {
        mean += DVector::from_column_slice(row) * (weight / total);
    }
    let mut covariance = DMatrix::zeros(dim, dim);
    for (row, weight) in rows.zip(weights) {
        let d = DVector::from_column_slice(row) - &mean;
        covariance.ger(weight / total, &d, &d, 1.0);
    }
    (mean, covariance)
}
