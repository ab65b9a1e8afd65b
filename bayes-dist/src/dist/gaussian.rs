//! Exact Gaussian distributions, the reference measures of pCN.

/// The exact Gaussian distribution of a prior's unconstrained coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Gaussian {
    /// Mean, `[dim]`.
    pub mean: Vec<f64>,
    /// The square root of the covariance.
    pub factor: CovarianceRoot,
}

/// A square root of a covariance matrix.
#[derive(Clone, Debug, PartialEq)]
pub enum CovarianceRoot {
    /// Standard deviations, `[dim]`.
    Diagonal(Vec<f64>),
    /// Lower Cholesky factor, `[dim, dim]` row-major.
    Lower(Vec<f64>),
}

impl Gaussian {
    /// The distribution of `copies` independent copies.
    pub(super) fn repeated(&self, copies: usize) -> Self {
        let factor = match &self.factor {
            CovarianceRoot::Diagonal(sd) => CovarianceRoot::Diagonal(sd.repeat(copies)),
            CovarianceRoot::Lower(lower) => {
                CovarianceRoot::Lower(block_diagonal(lower, self.mean.len(), copies))
            }
        };
        Self {
            mean: self.mean.repeat(copies),
            factor,
        }
    }
}

/// `copies` blocks `[dim, dim]` along the diagonal of a larger matrix, row-major.
fn block_diagonal(block: &[f64], dim: usize, copies: usize) -> Vec<f64> {
    let size = dim * copies;
    let mut out = vec![0.0; size * size];
    for row in 0..size {
        let first = row / dim * dim;
        let own = row % dim * dim;
        out[row * size + first..][..dim].copy_from_slice(&block[own..][..dim]);
    }
    out
}
