//! The state of an SMC sampler between two temperatures.

use crate::density::{Counts, Particles};
use crate::kernel::Tuning;
use crate::number;
use crate::run::Stage;
use serde::{Deserialize, Serialize};

/// An island on its way from the prior (λ = 0) to the posterior (λ = 1): all that its next temperature depends on, as plain
/// data. Random streams are keyed by island and temperature, so that none is part of it.
///
/// Written to a file and read back, [`Sampler::restore`](super::Sampler::restore) makes it ready to go on, with the same
/// bits.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Island {
    /// Number of the island.
    pub index: u64,
    /// The particles, each with the same weight.
    pub particles: Particles,
    /// For each particle the index of the initial particle that it descends from, `[particles]`.
    pub ancestors: Vec<u32>,
    /// How far along the path.
    #[serde(with = "number::one")]
    pub lambda: f64,
    /// Log of the evidence so far; minus infinity where all particles have a density of zero.
    #[serde(with = "number::one")]
    pub log_evidence: f64,
    /// How each half of the particles is moved, as the other half has taught.
    pub tunings: [Tuning; 2],
    /// Mean acceptance probability of each particle's moves at the last temperature, `[particles]`.
    #[serde(with = "number::many")]
    pub acceptance: Vec<f64>,
    /// What happened at each temperature.
    pub history: Vec<Stage>,
    /// Work done so far.
    pub counts: Counts,
}

impl Island {
    /// Whether it has reached the end of the path, or will never.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.lambda >= 1.0 || self.log_evidence == f64::NEG_INFINITY
    }
}
