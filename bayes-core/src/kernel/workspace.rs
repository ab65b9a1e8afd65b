//! Memory that a kernel needs while it moves a block.

use crate::density::{Counts, Particles};
use std::any::Any;

/// Memory for a block of particles; made once, used for every step.
#[derive(Debug)]
pub struct Workspace {
    /// Proposed states.
    pub proposal: Particles,
    /// Acceptance probability of the last step, `[particles]`.
    pub acceptance: Vec<f64>,
    /// The trajectory of the last step, `[particles]`; for Hamiltonian kernels.
    pub trajectories: Vec<Trajectory>,
    /// Work done so far.
    pub counts: Counts,
    /// The kernel's own memory.
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
            scratch: Scratch(Box::new(())),
        }
    }
}

/// Memory of a type that the kernel chooses.
#[derive(Debug)]
pub struct Scratch(Box<dyn Any + Send>);

impl Scratch {
    /// The memory of type `T`, made by `make` when it is first asked for.
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

/// What the trajectory of one transition was like; all zero for kernels without trajectories.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Trajectory {
    /// Minus the log density at its start, with the momenta's.
    pub energy: f64,
    /// Leapfrog steps made.
    pub leapfrogs: u64,
    /// Doublings, for NUTS.
    pub depth: u32,
    /// Whether the energy error was above 1000 or not a number.
    pub divergent: bool,
}
