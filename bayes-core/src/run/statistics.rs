//! What is kept of the transitions that led to each draw.

use crate::number;
use serde::{Deserialize, Serialize};

/// Statistics of the transitions from one draw to the next, draw by draw; of the moves at the last temperature for islands.
///
/// Every list has one entry for each draw, or is empty where there is nothing to tell: trajectories are those of
/// Hamiltonian kernels.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// Mean acceptance probability.
    #[serde(with = "number::many")]
    pub acceptance: Vec<f64>,
    /// Energy at the start of the last trajectory: minus the log density, with the momentum's.
    #[serde(with = "number::many")]
    pub energy: Vec<f64>,
    /// Leapfrog steps.
    pub leapfrogs: Vec<u64>,
    /// Doublings of the deepest trajectory; 0 for HMC.
    pub depth: Vec<u32>,
    /// Whether a trajectory diverged.
    pub divergent: Vec<bool>,
}

impl Statistics {
    /// The lengths of the lists that are there.
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
