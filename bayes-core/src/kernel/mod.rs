//! Markov kernels: how a block of particles moves, leaving the tempered posterior invariant.
//!
//! A kernel is a pure rule; what it has learnt lies in [`Tuning`], plain data that an engine updates between
//! temperatures (or during burn-in) and freezes in between.

mod covariance;
mod factor;
mod flow;
mod forest;
mod hmc;
mod nuts;
mod pcn;
mod random_walk;
mod tree;
mod tuning;

pub use factor::{Factor, Triangle};
pub use hmc::{Hmc, Mass};
pub use nuts::Nuts;
pub use pcn::Pcn;
pub use random_walk::RandomWalk;
pub use tuning::{Moments, Tuning};

use crate::density::{Block, Counts, Density, Particles};
use crate::error::Error;
use crate::model::{Differentiable, GaussianReference};
use crate::rng::Stream;
use std::fmt::Debug;

/// The tempered posterior `log_prior + lambda * log_likelihood`.
#[derive(Clone, Copy)]
pub struct Target<'a> {
    /// The posterior.
    pub density: &'a dyn Density,
    /// Power of the likelihood, 0 to 1.
    pub lambda: f64,
}

/// Memory that a kernel needs while it moves a block; made once, used for every step.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// Proposed states.
    pub proposal: Particles,
    /// Momenta, noise or whitened positions, `[particles, dim]`.
    pub auxiliary: Vec<f64>,
    /// Step size of each particle, `[particles]`.
    pub step_sizes: Vec<f64>,
    /// Numbers of each coordinate that are the same for all particles of a step, `[2, dim]`.
    pub coefficients: Vec<f64>,
    /// The log density that the proposal's is compared with, in the kernel's own terms, `[particles]`.
    pub log_before: Vec<f64>,
    /// Acceptance probability of the last step, `[particles]`.
    pub acceptance: Vec<f64>,
    /// The trajectory of the last step, `[particles]`; for Hamiltonian kernels.
    pub trajectories: Vec<Trajectory>,
    forest: forest::Forest,
    /// Work done so far.
    pub counts: Counts,
}

impl Workspace {
    /// Memory for blocks of `n` particles.
    #[must_use]
    pub fn new(n: usize, dim: usize) -> Self {
        Self {
            proposal: Particles::new(n, dim),
            auxiliary: vec![0.0; n * dim],
            step_sizes: vec![0.0; n],
            coefficients: vec![0.0; 2 * dim],
            log_before: vec![0.0; n],
            acceptance: vec![0.0; n],
            trajectories: vec![Trajectory::default(); n],
            forest: forest::Forest::default(),
            counts: Counts::default(),
        }
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

/// A block of chains with what they need to move.
#[derive(Debug)]
pub struct ChainBlock<'a, 'b> {
    /// The chains.
    pub block: &'a mut Block<'b>,
    /// The stream of each chain.
    pub streams: &'a mut [Stream],
    /// Memory for this block.
    pub workspace: &'a mut Workspace,
}

/// A chain after one of its transitions.
#[derive(Clone, Copy, Debug)]
pub struct Visit<'a> {
    /// Index of the chain in its block.
    pub chain: usize,
    /// Where it stands, `[dim]`.
    pub position: &'a [f64],
    /// Where the trajectory of the transition started, `[dim]`.
    pub start: &'a [f64],
    /// Its acceptance probability; for NUTS the mean over the states of the trajectory.
    pub acceptance: f64,
    /// Its trajectory.
    pub trajectory: Trajectory,
}

/// A Markov kernel that leaves the tempered posterior invariant, on blocks of particles.
pub trait Kernel: Debug + Send + Sync {
    /// `nuts`, `hmc`, `pcn` or `random_walk`.
    fn name(&self) -> &'static str;

    /// Whether [`Kernel::step`] expects the block's gradient at the target's lambda.
    fn needs_gradient(&self) -> bool {
        false
    }

    /// Where the kernel needs a prior that is a probability distribution: what for, in words.
    fn needs_proper_prior(&self) -> Option<&'static str> {
        None
    }

    /// The acceptance probability that the step size is tuned to; `None` where the user fixed the step size.
    fn target_acceptance(&self) -> Option<f64>;

    /// The largest step size that makes sense with the present scales.
    fn max_step_size(&self, _tuning: &Tuning) -> f64 {
        f64::INFINITY
    }

    /// The kernel whose single steps find the step size to begin with, where it is not this one; it has the same tuning.
    fn pilot(&self) -> Option<Box<dyn Kernel>> {
        None
    }

    /// The most doublings of a trajectory, for a kernel that doubles them.
    fn max_depth(&self) -> Option<u32> {
        None
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// [`Error::Setting`] naming the builder method, the value and what is allowed.
    fn validate(&self, dim: usize) -> Result<(), Error>;

    /// Tuning before anything is known of the posterior.
    fn init(&self, density: &dyn Density) -> Tuning;

    /// Fits the proposal's shape to a population of positions `[particles, dim]`.
    fn fit(&self, tuning: &mut Tuning, density: &dyn Density, positions: &[f64]);

    /// Moves every particle of the block once, each by its own stream; fills `workspace.acceptance`.
    ///
    /// The cached densities of the block (and its gradient, if needed) are those of its positions, before and after.
    fn step(
        &self,
        tuning: &Tuning,
        target: Target<'_>,
        block: &mut Block<'_>,
        streams: &mut [Stream],
        workspace: &mut Workspace,
    );

    /// Every chain makes `count` transitions, and `visit` sees it after each one; what it returns is the step size of the
    /// transitions that begin from then on.
    ///
    /// Chains need not keep pace with each other: a kernel whose transitions differ in length lets each go on by itself.
    fn transitions(
        &self,
        tuning: &Tuning,
        target: Target<'_>,
        chains: ChainBlock<'_, '_>,
        count: usize,
        visit: &mut dyn FnMut(Visit<'_>) -> f64,
    ) {
        let mut tuning = tuning.clone();
        let ChainBlock {
            block,
            streams,
            workspace,
        } = chains;
        for _ in 0..count {
            self.step(&tuning, target, block, streams, workspace);
            for chain in 0..block.len() {
                let position = &block.positions[block.row(chain)];
                tuning.step_size = visit(Visit {
                    chain,
                    position,
                    // only a rejected trajectory is asked for its start
                    start: position,
                    acceptance: workspace.acceptance[chain],
                    trajectory: workspace.trajectories[chain],
                });
            }
        }
    }
}

/// A kernel that can move this model.
pub trait Moves<Mo>: Kernel {}

/// A kernel for the mutation steps of SMC, whose particles move together.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a kernel for SMC",
    label = "not a mutation kernel",
    note = "use `Hmc::new()`, `Pcn::new()` or `RandomWalk::new()`; NUTS is for chains: `Inference::nuts()`"
)]
pub trait Mutation: Kernel {}

impl Mutation for Hmc {}
impl Mutation for Pcn {}
impl Mutation for RandomWalk {}

impl<Mo: Differentiable> Moves<Mo> for Hmc {}
impl<Mo: Differentiable> Moves<Mo> for Nuts {}
impl<Mo: GaussianReference> Moves<Mo> for Pcn {}
impl<Mo> Moves<Mo> for RandomWalk {}

/// `min(1, exp(log_ratio))`; a ratio that is NaN rejects.
#[must_use]
fn acceptance_probability(log_ratio: f64) -> f64 {
    if log_ratio.is_nan() {
        0.0
    } else {
        log_ratio.min(0.0).exp()
    }
}

/// Checks the acceptance probability that a step size is tuned to, the same for every kernel.
fn validate_target_acceptance(probability: f64) -> Result<(), Error> {
    let holds = probability > 0.0 && probability < 1.0;
    Error::setting("target_acceptance", probability, holds, "between 0 and 1")
}

/// Takes each proposal with its acceptance probability.
fn accept_or_reject(block: &mut Block<'_>, streams: &mut [Stream], workspace: &mut Workspace) {
    use rand::RngExt;
    let proposal = workspace.proposal.block();
    for (i, stream) in streams.iter_mut().enumerate() {
        // Drawn also where the outcome is certain: every step uses the stream alike.
        let uniform: f64 = stream.random();
        if uniform < workspace.acceptance[i] {
            block.accept(i, &proposal);
        }
    }
}
