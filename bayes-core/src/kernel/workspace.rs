//! Memory for a kernel to move a block.

use crate::density::{Counts, Particles};
use serde::{Deserialize, Serialize};
use std::any::Any;

/// Memory for a block of particles; allocated once and reused in every step.
///
/// A file keeps only the counts, because nothing else lasts from one step to the next; [`Workspace::restored`] allocates the rest again.
#[derive(Debug, Serialize, Deserialize)]
pub struct Workspace {
    /// Proposed states.
    #[serde(skip)]
    pub proposal: Particles,
    /// Acceptance probability of the last step, `[particles]`.
    #[serde(skip)]
    pub acceptance: Vec<f64>,
    /// The trajectory of the last step, `[particles]`; for Hamiltonian kernels.
    #[serde(skip)]
    pub trajectories: Vec<Trajectory>,
    /// Numbers of evaluations so far.
    #[serde(deserialize_with = "Counts::read")]
    pub counts: Counts,
    /// The kernel's own memory.
    #[serde(skip)]
    pub scratch: Scratch,
}

impl Workspace {
    /// Memory for blocks of `n` particles.
    #[must_use]
    pub fn new(n: usize, dim: usize) -> Self {
        Self {
            proposal: Particles::new(n, dim),
            acceptance: vec![0.0; n],
            trajectories: vec![Trajectory::default(); n],
            counts: Counts::default(),
            scratch: Scratch::default(),
        }
    }

    /// This workspace, read from a file, with memory for blocks of `n` particles.
    #[must_use]
    pub fn restored(self, n: usize, dim: usize) -> Self {
        Self {
            counts: self.counts,
            ..Self::new(n, dim)
        }
    }
}

/// Memory of a type chosen by the kernel.
#[derive(Debug)]
pub struct Scratch(Box<dyn Any + Send>);

impl Default for Scratch {
    fn default() -> Self {
        Self(Box::new(()))
    }
}

impl Scratch {
    /// The memory of type `T`, made by `make` when it is first needed.
    ///
    /// # Panics
    /// Never: memory of another type is replaced.
    pub fn of<T: Any + Send>(&mut self, make: impl FnOnce() -> T) -> &mut T {
        if !self.0.is::<T>() {
            self.0 = Box::new(make());
        }
        let scratch = self.0.downcast_mut();
        scratch.expect("it was made of this type")
    }
}

/// Statistics of the trajectory of one transition; all zero for kernels without trajectories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trajectory {
    /// The energy at its start: minus the log density of position and momentum.
    pub energy: f64,
    /// Number of leapfrog steps, including steps that were tried and repeated with half the size.
    pub leapfrogs: u64,
    /// Number of steps that were taken with at most half their size.
    pub halvings: u32,
    /// Tree depth, for NUTS.
    pub depth: u32,
    /// Whether the energy error was above 1000 or NaN, or still too large for a step of HMC after all halvings.
    pub divergent: bool,
    /// Whether the energy error of a state, without jumps of the density, was above 3 and finite, so that the state had hardly a chance to be
    /// selected; for NUTS.
    pub rough: bool,
}
