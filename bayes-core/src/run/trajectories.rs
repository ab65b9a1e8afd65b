//! What the trajectories of a chain's draws were like.

use crate::number;
use serde::{Deserialize, Serialize};

/// The trajectories of a Hamiltonian kernel between a chain's first and last draw.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trajectories {
    /// Transitions made.
    pub transitions: u64,
    /// Leapfrog steps made.
    pub leapfrogs: u64,
    /// Doublings of all trajectories together; 0 for HMC.
    pub doublings: u64,
    /// Trajectories that reached the largest depth.
    pub saturated: u64,
    /// Trajectories whose energy error was above 1000 or not a number.
    pub divergent: u64,
    /// Constrained values where divergent trajectories started, `[kept, layout.elements()]`; the first
    /// [`Trajectories::KEPT`] of them.
    #[serde(with = "number::many")]
    pub divergent_starts: Vec<f64>,
    /// Estimated Bayesian fraction of missing information of the energy (Betancourt 2016).
    #[serde(with = "number::one")]
    pub e_bfmi: f64,
}

impl Trajectories {
    /// Divergent trajectories of a chain whose starts are kept.
    pub const KEPT: usize = 100;
}
