//! Many particles and their densities.

use crate::gradient::{Program, value};

/// Particles, and memory for their densities.
#[derive(Debug)]
pub struct Batch<'a> {
    /// Number of coordinates of a particle.
    pub dim: usize,
    /// Positions, `[particles, dim]` row-major.
    pub positions: &'a [f64],
    /// Log priors, `[particles]`, to be filled.
    pub log_prior: &'a mut [f64],
    /// Log likelihoods, `[particles]`, to be filled.
    pub log_likelihood: &'a mut [f64],
}

impl Batch<'_> {
    /// Fills the log priors and log likelihoods, one particle after the other, by `densities`: `[log_prior, log_likelihood]` at a position.
    ///
    /// # Panics
    /// If the lengths do not match.
    pub fn fill(self, mut densities: impl FnMut(&[f64]) -> [f64; 2]) {
        self.check();
        let all = self.log_prior.iter_mut().zip(self.log_likelihood);
        for (i, (log_prior, log_likelihood)) in all.enumerate() {
            let position = &self.positions[i * self.dim..(i + 1) * self.dim];
            [*log_prior, *log_likelihood] = densities(position);
        }
    }

    pub(crate) fn check(&self) {
        assert_eq!(
            self.positions.len(),
            self.log_prior.len() * self.dim,
            "a row for every particle"
        );
        assert_eq!(
            self.log_prior.len(),
            self.log_likelihood.len(),
            "both densities of every particle"
        );
    }
}

/// Fills the log priors and log likelihoods of a batch, one particle after the other.
///
/// # Panics
/// If the lengths do not match.
pub fn values<P: Program>(program: &P, batch: Batch<'_>) {
    batch.fill(|position| value(program, position));
}
