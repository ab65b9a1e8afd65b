//! Weighted particles of the random coordinates.

use crate::density::Particles;
use crate::engine::smc::resample::Resampling;
use crate::numeric::log_sum_exp;
use crate::rng::Stream;

/// Particles with their log weights, which sum to 1.
#[derive(Clone, Debug)]
pub(super) struct Population {
    /// The random coordinates.
    pub(super) particles: Particles,
    /// `[particles]`.
    pub(super) log_weights: Vec<f64>,
}

impl Population {
    /// Particles of equal weight.
    pub(super) fn new(particles: Particles) -> Self {
        let n = particles.len();
        Self {
            log_weights: vec![-(n as f64).ln(); n],
            particles,
        }
    }

    /// Multiplies the weights by the likelihoods of the particles, and normalises them; returns `ln Σ_j w_j p(y | φ_j)`.
    ///
    /// If all likelihoods are zero, the weights do not change.
    pub(super) fn reweight(&mut self) -> f64 {
        let likelihoods = self.particles.log_likelihood.iter();
        let weights: Vec<f64> = (self.log_weights.iter())
            .zip(likelihoods)
            .map(|(w, l)| w + l)
            .collect();
        let total = log_sum_exp(&weights);
        if total.is_finite() {
            self.log_weights = weights.into_iter().map(|w| w - total).collect();
        }
        total
    }

    pub(super) fn weights(&self) -> Vec<f64> {
        self.log_weights.iter().map(|w| w.exp()).collect()
    }

    /// `Σ_j w_j ln p(y | φ_j)`.
    pub(super) fn mean_log_likelihood(&self) -> f64 {
        let terms = self.weights().into_iter();
        terms
            .zip(&self.particles.log_likelihood)
            .map(|(w, l)| w * l)
            .sum()
    }

    /// The effective sample size as a share of the particles, `1 / (J Σ w²)`.
    pub(super) fn ess_share(&self) -> f64 {
        let squares: f64 = self.log_weights.iter().map(|w| (2.0 * w).exp()).sum();
        1.0 / (squares * self.log_weights.len() as f64)
    }

    /// The numbers of the ancestors, one per particle.
    pub(super) fn ancestors(&self, resampling: Resampling, stream: &mut Stream) -> Vec<u32> {
        let n = self.particles.len();
        resampling.ancestors(&self.weights(), n, stream)
    }

    /// These particles, with equal weights.
    pub(super) fn select(&mut self, ancestors: &[u32]) {
        *self = Self::new(self.particles.select(ancestors));
    }
}
