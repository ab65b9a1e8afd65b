//! Statistics of the transitions to each draw.

use crate::number;
use serde::{Deserialize, Serialize};

/// Statistics of the transitions from one draw to the next; for islands, of the moves at the last temperature.
///
/// Every list has one entry per draw, or is empty where it does not apply: only Hamiltonian kernels have
/// trajectories.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// Mean acceptance probability.
    #[serde(with = "number::many")]
    pub acceptance: Vec<f64>,
    /// Energy at the start of the last trajectory: minus the log density of position and momentum.
    #[serde(with = "number::many")]
    pub energy: Vec<f64>,
    /// Leapfrog steps.
    pub leapfrogs: Vec<u64>,
    /// Largest tree depth; 0 for HMC.
    pub depth: Vec<u32>,
    /// Whether a trajectory diverged.
    pub divergent: Vec<bool>,
}

impl Statistics {
    /// Keeps the first draws.
    pub(super) fn truncate(&mut self, draws: usize) {
        self.acceptance.truncate(draws);
        self.energy.truncate(draws);
        self.leapfrogs.truncate(draws);
        self.depth.truncate(draws);
        self.divergent.truncate(draws);
    }

    /// The lengths of the nonempty lists.
    pub(super) fn lengths(&self) -> impl Iterator<Item = usize> {
        let lengths = [
            self.acceptance.len(),
            self.energy.len(),
            self.leapfrogs.len(),
            self.depth.len(),
            self.divergent.len(),
        ];
        lengths.into_iter().filter(|length| *length > 0)
    }
}
