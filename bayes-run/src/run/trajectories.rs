//! Statistics of the trajectories of a chain's draws.

use crate::number;
use serde::{Deserialize, Serialize};

/// The trajectories of a Hamiltonian kernel between a chain's first and last draw.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trajectories {
    /// Number of transitions.
    pub transitions: u64,
    /// Number of leapfrog steps.
    pub leapfrogs: u64,
    /// Sum of the tree depths of all trajectories; 0 for HMC.
    pub tree_depth_sum: u64,
    /// Number of trajectories that reached the maximum tree depth.
    pub max_depth_hits: u64,
    /// Number of trajectories whose energy error was above 1000 or not a number.
    pub divergent: u64,
    /// Constrained values where divergent trajectories started, `[kept, layout.elements()]`: the
    /// first [`Trajectories::KEPT`] of them.
    #[serde(with = "number::many")]
    pub divergent_starts: Vec<f64>,
    /// Estimated Bayesian fraction of missing information of the energy (Betancourt 2016).
    #[serde(with = "number::one")]
    pub e_bfmi: f64,
}

impl Trajectories {
    /// Maximum number of divergent trajectories per chain whose starting points are kept.
    pub const KEPT: usize = 100;
    /// The smallest E-BFMI without a warning, as in Stan.
    pub(crate) const LOWEST_E_BFMI: f64 = 0.3;

    /// Whether a warning may suggest another parametrisation.
    #[doc(hidden)]
    #[must_use]
    pub fn is_troubled(&self) -> bool {
        self.divergent > 0 || self.e_bfmi < Self::LOWEST_E_BFMI
    }
}
