//! A group made of particles.

use super::{Group, Statistics};
use crate::density::{Counts, Particles, Quantities};
use rayon::prelude::*;

impl Group {
    /// Group `index` without draws, log evidence and statistics.
    #[must_use]
    pub fn new(index: u64) -> Self {
        Self {
            index,
            log_evidence: None,
            draws: Vec::new(),
            positions: Vec::new(),
            log_prior: Vec::new(),
            log_likelihood: Vec::new(),
            log_weights: Vec::new(),
            log_approximation: Vec::new(),
            statistics: Statistics::default(),
            ancestors: Vec::new(),
            gains: Vec::new(),
            ancestor_island: None,
            superchain: None,
            history: Vec::new(),
            counts: Counts::default(),
            trajectories: None,
            exchanges: None,
        }
    }

    /// Group `index` of evaluated particles, with equal weights and without history.
    #[must_use]
    pub fn of_particles(index: u64, particles: Particles, quantities: &dyn Quantities) -> Self {
        let draws: Vec<Vec<f64>> = particles
            .positions
            .par_chunks(particles.dim)
            .map(|position| quantities.output(position))
            .collect();
        Self {
            draws: draws.concat(),
            positions: particles.positions,
            log_prior: particles.log_prior,
            log_likelihood: particles.log_likelihood,
            ..Self::new(index)
        }
    }
}
