//! The Gaussian reference measure N(mu0, Sigma0) of pCN.

use super::Prior;
use crate::dist::{CovarianceRoot, Gaussian};
use crate::error::Error;
use crate::model::DrawnPrior;
use crate::order;
use crate::rng::{Key, Purpose};
use serde::{Deserialize, Serialize};

/// `N(mean, F Fᵀ)` on the unconstrained coordinates, in independent blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// The blocks in the order of the coordinates.
    pub blocks: Vec<ReferenceBlock>,
    /// Whether every block is a Gaussian prior that is the same at every prior draw.
    pub is_gaussian_prior: bool,
}

/// An independent block of coordinates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReferenceBlock {
    /// First coordinate.
    pub offset: usize,
    /// Mean, `[size]`.
    pub mean: Vec<f64>,
    /// Square root of the covariance.
    pub factor: BlockFactor,
}

/// Square root of a block's covariance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum BlockFactor {
    /// Standard deviations, `[size]`.
    Diagonal(Vec<f64>),
    /// Lower Cholesky factor, `[size, size]` row-major.
    Lower(Vec<f64>),
}

/// Number of prior draws for the fit of a reference, if the prior is not known to be Gaussian.
pub(super) const REFERENCE_DRAWS: u64 = 400;

impl Reference {
    /// The reference of the prior of a density with this name, fitted to its finite draws.
    ///
    /// # Errors
    /// [`Error::NoFiniteDraw`] if there is none.
    pub fn of_draws(density: &str, prior: &dyn Prior, dim: usize) -> Result<Self, Error> {
        let mut panicked = None;
        let mut positions = Vec::new();
        for item in 0..REFERENCE_DRAWS {
            let key = Key::new(0, Purpose::Reference).item(item);
            let mut position = vec![0.0; dim];
            let drawn = prior.draw_or_nan(&mut key.stream(), &mut position);
            panicked = panicked.or(drawn.err());
            if position.iter().all(|x| x.is_finite()) {
                positions.push(position);
            }
        }
        if positions.is_empty() {
            let cause = panicked.map(|message| format!(", since the draw panicked: {message}"));
            return Err(Error::NoFiniteDraw {
                density: density.to_owned(),
                of: REFERENCE_DRAWS,
                cause: cause.unwrap_or_default(),
            });
        }
        Ok(Self {
            blocks: vec![ReferenceBlock::fitted(0, dim, &positions)],
            is_gaussian_prior: false,
        })
    }

    /// The prior of a density written by hand, if it is Gaussian with independent coordinates with these means and standard deviations,
    /// each `[dim]`.
    ///
    /// # Panics
    /// If the lengths differ.
    #[must_use]
    pub fn gaussian(mean: &[f64], sd: &[f64]) -> Self {
        assert_eq!(mean.len(), sd.len(), "a standard deviation for each mean");
        let block = ReferenceBlock {
            offset: 0,
            mean: mean.to_vec(),
            factor: BlockFactor::Diagonal(sd.to_vec()),
        };
        Self {
            blocks: vec![block],
            is_gaussian_prior: true,
        }
    }

    /// The reference of a model from draws of its prior.
    ///
    /// `priors[s]` has the distributions of the random quantities at draw `s`. A quantity whose distribution is Gaussian and the same at
    /// every draw keeps exactly this distribution. The others get the median and a robust standard deviation of their coordinates over
    /// the draws (`positions[s]`, `[dim]`), computed from quantiles because a Cauchy prior has no moments. Params have no prior and no
    /// block.
    #[must_use]
    pub fn from_prior(priors: &[Vec<DrawnPrior>], positions: &[Vec<f64>]) -> Self {
        let mut blocks = Vec::new();
        let mut offset = 0;
        let mut is_gaussian_prior = true;
        for (quantity, prior) in priors[0].iter().enumerate() {
            let DrawnPrior { dim, gaussian, .. } = prior;
            if prior.is_param {
                offset += dim;
                continue;
            }
            let constant = priors
                .iter()
                .all(|draw| draw[quantity].gaussian == *gaussian);
            match gaussian {
                Some(gaussian) if constant => blocks.push(ReferenceBlock::exact(offset, gaussian)),
                _ => {
                    is_gaussian_prior = false;
                    blocks.push(ReferenceBlock::fitted(offset, *dim, positions));
                }
            }
            offset += dim;
        }
        Self {
            blocks,
            is_gaussian_prior,
        }
    }

    /// Log density up to a constant, `-½ |F⁻¹(position - mean)|²`, given the whitened position.
    #[must_use]
    pub fn log_density(whitened: &[f64]) -> f64 {
        -0.5 * whitened.iter().map(|u| u * u).sum::<f64>()
    }

    /// `N(point, factor² F Fᵀ)`.
    pub(super) fn moved(&self, point: &[f64], factor: f64) -> Self {
        let block = |block: &ReferenceBlock| ReferenceBlock {
            offset: block.offset,
            mean: point[block.offset..][..block.mean.len()].to_vec(),
            factor: block.factor.scaled(factor),
        };
        Self {
            blocks: self.blocks.iter().map(block).collect(),
            is_gaussian_prior: self.is_gaussian_prior,
        }
    }

    /// The log density at a position, normalised; adds `weight` times its gradient to `gradient`.
    pub(super) fn add_log_density(
        &self,
        position: &[f64],
        weight: f64,
        gradient: &mut [f64],
    ) -> f64 {
        let of_block = |block: &ReferenceBlock| {
            let rows = block.offset..block.offset + block.mean.len();
            block.add_log_density(&position[rows.clone()], weight, &mut gradient[rows])
        };
        self.blocks.iter().map(of_block).sum()
    }

    /// The constant to add to [`Reference::log_density`] for a density that integrates to 1: `-½ ln |2π F Fᵀ|`.
    #[must_use]
    pub fn log_normaliser(&self) -> f64 {
        let of_block = |block: &ReferenceBlock| {
            let n = block.mean.len();
            let diagonal = |k: usize| match &block.factor {
                BlockFactor::Diagonal(sd) => sd[k],
                BlockFactor::Lower(lower) => lower[k * n + k],
            };
            let logs: f64 = (0..n).map(|k| diagonal(k).ln()).sum();
            -0.5 * n as f64 * std::f64::consts::TAU.ln() - logs
        };
        self.blocks.iter().map(of_block).sum()
    }

    /// The standard deviation of each coordinate, `[dim]`.
    #[must_use]
    pub fn sd(&self) -> Vec<f64> {
        let of_block = |block: &ReferenceBlock| match &block.factor {
            BlockFactor::Diagonal(sd) => sd.clone(),
            BlockFactor::Lower(lower) => {
                let rows = lower.chunks_exact(block.mean.len().max(1));
                let norm = |row: &[f64]| row.iter().map(|x| x * x).sum::<f64>().sqrt();
                rows.map(norm).collect()
            }
        };
        self.blocks.iter().flat_map(of_block).collect()
    }

    /// `u = F⁻¹ (position - mean)`.
    pub fn whiten(&self, position: &[f64], whitened: &mut [f64]) {
        for block in &self.blocks {
            let rows = block.offset..block.offset + block.mean.len();
            block.whiten(&position[rows.clone()], &mut whitened[rows]);
        }
    }

    /// `position = mean + F u`.
    pub fn unwhiten(&self, whitened: &[f64], position: &mut [f64]) {
        for block in &self.blocks {
            let rows = block.offset..block.offset + block.mean.len();
            block.unwhiten(&whitened[rows.clone()], &mut position[rows]);
        }
    }
}

impl BlockFactor {
    fn scaled(&self, factor: f64) -> Self {
        let scaled = |entries: &[f64]| entries.iter().map(|x| factor * x).collect();
        match self {
            Self::Diagonal(sd) => Self::Diagonal(scaled(sd)),
            Self::Lower(lower) => Self::Lower(scaled(lower)),
        }
    }
}

impl ReferenceBlock {
    /// [`Reference::add_log_density`] of this block.
    fn add_log_density(&self, position: &[f64], weight: f64, gradient: &mut [f64]) -> f64 {
        let n = self.mean.len();
        let mut log_density = -0.5 * n as f64 * std::f64::consts::TAU.ln();
        match &self.factor {
            BlockFactor::Diagonal(sd) => {
                for k in 0..n {
                    let z = (position[k] - self.mean[k]) / sd[k];
                    log_density -= 0.5 * z * z + sd[k].ln();
                    gradient[k] -= weight * z / sd[k];
                }
            }
            BlockFactor::Lower(lower) => {
                let mut z = vec![0.0; n];
                self.whiten(position, &mut z);
                for k in 0..n {
                    log_density -= 0.5 * z[k] * z[k] + lower[k * n + k].ln();
                }
                // the gradient is minus the solution of Fᵀ v = z
                for k in (0..n).rev() {
                    let known: f64 = (k + 1..n).map(|i| lower[i * n + k] * z[i]).sum();
                    z[k] = (z[k] - known) / lower[k * n + k];
                    gradient[k] -= weight * z[k];
                }
            }
        }
        log_density
    }

    fn exact(offset: usize, gaussian: &Gaussian) -> Self {
        let factor = match &gaussian.factor {
            CovarianceRoot::Diagonal(sd) => BlockFactor::Diagonal(sd.clone()),
            CovarianceRoot::Lower(lower) => BlockFactor::Lower(lower.clone()),
        };
        Self {
            offset,
            mean: gaussian.mean.clone(),
            factor,
        }
    }

    fn fitted(offset: usize, size: usize, positions: &[Vec<f64>]) -> Self {
        let (mean, sd) = (offset..offset + size)
            .map(|k| {
                let mut column: Vec<f64> = positions.iter().map(|p| p[k]).collect();
                order::sort(&mut column);
                let at = |q: f64| column[((column.len() - 1) as f64 * q).round() as usize];
                // For a normal distribution these quantiles are one standard deviation from the median.
                let sd = 0.5 * (at(0.8413) - at(0.1587));
                (at(0.5), if sd > 0.0 && sd.is_finite() { sd } else { 1.0 })
            })
            .unzip();
        Self {
            offset,
            mean,
            factor: BlockFactor::Diagonal(sd),
        }
    }

    fn whiten(&self, position: &[f64], whitened: &mut [f64]) {
        match &self.factor {
            BlockFactor::Diagonal(sd) => {
                for k in 0..sd.len() {
                    whitened[k] = (position[k] - self.mean[k]) / sd[k];
                }
            }
            BlockFactor::Lower(lower) => {
                let n = self.mean.len();
                for i in 0..n {
                    let known: f64 = (0..i).map(|j| lower[i * n + j] * whitened[j]).sum();
                    whitened[i] = (position[i] - self.mean[i] - known) / lower[i * n + i];
                }
            }
        }
    }

    fn unwhiten(&self, whitened: &[f64], position: &mut [f64]) {
        match &self.factor {
            BlockFactor::Diagonal(sd) => {
                for k in 0..sd.len() {
                    position[k] = self.mean[k] + sd[k] * whitened[k];
                }
            }
            BlockFactor::Lower(lower) => {
                let n = self.mean.len();
                for i in 0..n {
                    let sum: f64 = (0..=i).map(|j| lower[i * n + j] * whitened[j]).sum();
                    position[i] = self.mean[i] + sum;
                }
            }
        }
    }
}
