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
    /// The largest fall of the energy in a step so far; for Hamiltonian kernels that halve steps.
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

/// A place where a leapfrog step lost energy.
///
/// A step changes no volume and can be reversed, so at equilibrium the mean of exp(fall) is 1 (Crooks 1999), and a fall of more than 10 nats
/// happens once in 20,000 steps at most. A larger one says that the step hit a narrow and high part of the density that it did not come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fall {
    /// The energy at the start of the step minus the energy at its end, in nats.
    #[serde(with = "crate::number::one")]
    pub depth: f64,
    /// The end of the step, unconstrained, `[dim]`.
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
