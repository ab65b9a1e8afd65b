//! Memory for a kernel to move a block.

use crate::density::{Counts, Particles};
use serde::{Deserialize, Serialize};
use std::any::Any;

/// Memory for a block of particles; allocated once and reused in every step.
///
/// A file keeps only the counts. Of the rest only `deepest` lasts from one step to the next, for an engine that takes it before it saves
/// anything; [`Workspace::restored`] allocates the rest again.
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
    /// Whether falls of the energy are noted; they are not at first.
    #[serde(skip)]
    pub notes_falls: bool,
    /// The largest fall of the energy since it was last taken, if falls are noted; for Hamiltonian kernels that halve steps.
    #[serde(skip)]
    pub deepest: Option<Fall>,
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
            notes_falls: false,
            deepest: None,
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

/// A place where the parts of a step lost energy.
///
/// A step of a trajectory is taken in one or more leapfrog steps. After each, the fall is the highest energy since the first of them began
/// minus the present energy, also where the step is then halved or its trajectory turned away. A deep one can say that the step hit a narrow
/// and high part of the density that it did not come from. This is a heuristic for where climbs start, and has no probability: the particles
/// need not be at equilibrium.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fall {
    /// The highest energy on the way minus the energy at its end, in nats.
    #[serde(with = "crate::number::one")]
    pub depth: f64,
    /// The end of the leapfrog step, unconstrained, `[dim]`.
    #[serde(with = "crate::number::many")]
    pub position: Vec<f64>,
}

impl Fall {
    /// Replaces `deepest` by this fall if it is deeper and finite.
    pub(super) fn note(deepest: &mut Option<Self>, depth: f64, position: &[f64]) {
        let is_deeper = deepest.as_ref().is_none_or(|known| depth > known.depth);
        if depth > 0.0 && depth.is_finite() && is_deeper {
            *deepest = Some(Self {
                depth,
                position: position.to_vec(),
            });
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
    /// Number of steps that were taken with at most half their size; also one that then has no reverse, and for NUTS one whose energy changes
    /// too much after all halvings.
    pub halvings: u32,
    /// Tree depth, for NUTS.
    pub depth: u32,
    /// Whether the energy error was above 1000 or NaN, or still too large for a step of HMC after all halvings.
    pub divergent: bool,
    /// Whether the energy error of a state, without jumps of the density, was above 3 and finite, so that the state had hardly a chance to be
    /// selected; for NUTS.
    pub rough: bool,
}
