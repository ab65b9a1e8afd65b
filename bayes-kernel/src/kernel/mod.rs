//! Markov kernels: moves of a block of particles that leave the tempered posterior invariant.
//!
//! A kernel has no state. Its adapted parameters are in [`Tuning`], plain data that an engine updates between temperatures (or during
//! burn-in) and freezes during moves.

mod adjustable;
mod boxed;
mod covariance;
mod factor;
mod fisher;
mod halving;
mod leapfrog;
mod lockstep;
mod low_rank;
mod macro_step;
mod metric;
mod microcanonical;
mod moments;
mod no_u_turn;
mod population;
mod rough;
mod tree;
mod tuning;
mod workspace;

pub use adjustable::{Adjustable, names_with};
pub use factor::{Factor, Triangle};
pub use low_rank::LowRank;
pub use metric::{Mass, Metric};
pub use moments::Moments;
pub use population::Population;
pub use tuning::{FIRST_LEAPFROG_LIMIT, Shape, Tuning};
pub use workspace::{Fall, Scratch, Trajectory, Workspace};

use crate::density::{Block, LogDensity, Target};
use crate::error::Error;
use crate::model::{AllSampled, Differentiable, GaussianReference};
use crate::rng::Stream;
use std::fmt::Debug;
use std::sync::Arc;

/// A block of chains with their streams and memory.
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
    /// Its position, `[dim]`.
    pub position: &'a [f64],
    /// The start of the transition's trajectory, `[dim]`.
    pub start: &'a [f64],
    /// Gradient of the log target at the position, `[dim]`; empty if the kernel needs none, or if the engine evaluates it later.
    pub gradient: &'a [f64],
    /// Log prior at the position, with the log Jacobian.
    pub log_prior: f64,
    /// Log likelihood at the position.
    pub log_likelihood: f64,
    /// Its acceptance probability; for NUTS the mean over the states of the trajectory.
    pub acceptance: f64,
    /// The acceptance probability that tunes a step size. It is smaller than `acceptance` where steps were divided: these were too long
    /// even if their end is accepted.
    pub tuning_acceptance: f64,
    /// Its trajectory.
    pub trajectory: Trajectory,
}

/// Builder methods; each sets the field of its name: `step_size(step_size: f64) => Some(step_size);`.
macro_rules! setters {
    ($($(#[$doc:meta])+ $field:ident($value:ident: $Type:ty) => $set:expr;)+) => {
        $(
            $(#[$doc])+
            #[must_use]
            pub fn $field(mut self, $value: $Type) -> Self {
                self.$field = $set;
                self
            }
        )+
    };
}

/// A Markov kernel that leaves the tempered posterior invariant, on blocks of particles.
pub trait Kernel: Debug + Send + Sync + 'static {
    /// The name of the kernel's file, such as `nuts` or `hmc`.
    fn name(&self) -> &'static str;

    /// Whether [`Kernel::step`] expects the block's gradient of the target.
    fn needs_gradient(&self) -> bool {
        false
    }

    /// The reason in words why the kernel needs a proper prior; `None` if it does not.
    fn needs_proper_prior(&self) -> Option<&'static str> {
        None
    }

    /// The target acceptance of the step size; `None` if the user fixed the step size.
    fn target_acceptance(&self) -> Option<f64>;

    /// The largest sensible step size with the present scales.
    fn max_step_size(&self, _tuning: &Tuning) -> f64 {
        f64::INFINITY
    }

    /// The kernel whose single steps find the initial step size, if it is not this one; it uses the same tuning.
    fn pilot(&self) -> Option<Box<dyn Kernel>> {
        None
    }

    /// The kernel for chains, if its defaults differ from its defaults for SMC.
    fn for_chains(&self) -> Option<Box<dyn Kernel>> {
        None
    }

    /// A random walk that moves the particles of SMC where its moves need fewer calls of the density; `None` if there is none.
    fn walk(&self) -> Option<Box<dyn Kernel>> {
        None
    }

    /// Leapfrog steps of a trajectory at the tuned step size; 0 for a kernel without trajectories of fixed length.
    fn trajectory_steps(&self, _tuning: &Tuning) -> usize {
        0
    }

    /// The maximum tree depth, for a kernel that doubles trajectories.
    fn max_depth(&self) -> Option<u32> {
        None
    }

    /// Whether [`Kernel::fit`] needs the gradients of the population, which only chains keep.
    fn fits_gradients(&self) -> bool {
        false
    }

    /// Whether all particles of a block make the same number of steps, which SMC requires.
    fn moves_together(&self) -> bool {
        true
    }

    /// The settings that programs change by name, such as `--mass`; none by default.
    fn adjustable(&mut self) -> Adjustable<'_> {
        Adjustable::default()
    }

    /// Checks the settings, and that the kernel can move this density.
    ///
    /// # Errors
    /// [`Error::Setting`] naming the builder method, the value and what is allowed.
    fn validate(&self, density: &dyn LogDensity) -> Result<(), Error>;

    /// The initial tuning.
    ///
    /// # Errors
    /// [`Error::NoPrior`] if the kernel needs a prior and the density has none.
    fn init(&self, density: &dyn LogDensity) -> Result<Tuning, Error>;

    /// Fits the proposal's shape to a population.
    fn fit(&self, tuning: &mut Tuning, population: Population<'_>);

    /// Restores the type of the shape of a tuning that was read from a file: `tuning.restore::<T>()`.
    ///
    /// # Errors
    /// [`Error::Saved`] if the shape belongs to another kernel.
    fn restore(&self, tuning: &mut Tuning) -> Result<(), Error>;

    /// Moves every particle of the block once, each by its own stream; fills `workspace.acceptance`.
    ///
    /// The block has the cached densities of its positions (and the gradient, if needed), before and after.
    fn step(
        &self,
        tuning: &Tuning,
        target: Target<'_>,
        block: &mut Block<'_>,
        streams: &mut [Stream],
        workspace: &mut Workspace,
    );

    /// Every chain makes `count` transitions. Calls `visit` after each one; `visit` returns the step size of transitions that begin
    /// later.
    ///
    /// Chains need not be synchronised: a kernel whose transitions differ in length lets each chain continue on its own.
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
                let gradient = if self.needs_gradient() {
                    block.row(chain)
                } else {
                    0..0
                };
                tuning.step_size = visit(Visit {
                    chain,
                    position,
                    // the start is only needed for a rejected trajectory
                    start: position,
                    gradient: &block.gradient[gradient],
                    log_prior: block.log_prior[chain],
                    log_likelihood: block.log_likelihood[chain],
                    acceptance: workspace.acceptance[chain],
                    tuning_acceptance: workspace.acceptance[chain],
                    trajectory: workspace.trajectories[chain],
                });
            }
        }
    }
}

/// A kernel that can move this model; all unknowns of the model are sampled.
pub trait Moves<Mo>: Kernel {}

/// A kernel for the mutation steps of SMC, whose particles move together.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a kernel for SMC",
    label = "not a mutation kernel",
    note = "use `Hmc::new()`, `Pcn::new()` or `RandomWalk::new()`; NUTS is for chains: `Inference::nuts()`"
)]
pub trait Mutation: Kernel {}

impl Mutation for Box<dyn Kernel> {}
impl Mutation for Arc<dyn Kernel> {}

/// The kernel is known only at run time, so the check of whether it can move the model happens there too.
impl<Mo> Moves<Mo> for Box<dyn Kernel> {}
impl<Mo> Moves<Mo> for Arc<dyn Kernel> {}

type Make = fn() -> Box<dyn Kernel>;

/// Declares the module of each kernel, makes its type public, and states which models it moves and whether SMC can use it.
macro_rules! kernels {
    ($($file:ident: $kernel:ident moves $models:ident, for $($engine:ident)and+;)*) => {
        $(mod $file;)*
        $(pub use $file::$kernel;)*

        /// Every kernel.
        pub mod all {
            $(pub use super::$kernel;)*
        }

        $(kernels!(@moves $kernel $models);)*
        $($(kernels!(@$engine $kernel);)+)*

        /// Every kernel with its default settings, by the name of its file.
        const KERNELS: &[(&str, Make)] = &[$((stringify!($file), || Box::new($kernel::new()))),*];
    };
    (@moves $kernel:ident AnyModel) => {
        impl<Mo: AllSampled> Moves<Mo> for $kernel {}
    };
    (@moves $kernel:ident $models:ident) => {
        impl<Mo: $models + AllSampled> Moves<Mo> for $kernel {}
    };
    (@smc $kernel:ident) => {
        impl Mutation for $kernel {}
    };
    (@chains $kernel:ident) => {};
}

// file: type moves the models with this trait, for these engines;
kernels! {
    hmc: Hmc moves Differentiable, for chains and smc;
    mala: Mala moves Differentiable, for chains and smc;
    nuts: Nuts moves Differentiable, for chains;
    walnuts: Walnuts moves Differentiable, for chains;
    mams: Mams moves Differentiable, for chains;
    pcn: Pcn moves GaussianReference, for chains and smc;
    elliptical_slice: EllipticalSlice moves GaussianReference, for chains and smc;
    random_walk: RandomWalk moves AnyModel, for chains and smc;
}

/// The names of all kernels.
pub fn names() -> impl Iterator<Item = &'static str> {
    KERNELS.iter().map(|kernel| kernel.0)
}

/// The kernel with this name and its default settings.
///
/// # Errors
/// [`Error::Setting`] with the valid names.
pub fn by_name(name: &str) -> Result<Box<dyn Kernel>, Error> {
    named("kernel", KERNELS, name).map(|make| make())
}

/// The entry of a table with this name, for a setting.
///
/// # Errors
/// [`Error::Setting`] with the names of the table.
#[doc(hidden)]
pub fn named<'a, T>(
    setting: &'static str,
    table: &'a [(&str, T)],
    name: &str,
) -> Result<&'a T, Error> {
    let known = table.iter().find(|(known, _)| *known == name);
    known.map(|(_, entry)| entry).ok_or_else(|| {
        let names: Vec<&str> = table.iter().map(|(name, _)| *name).collect();
        Error::Setting {
            setting,
            value: name.to_owned(),
            allowed: format!("one of {}", names.join(", ")),
        }
    })
}

/// `min(1, exp(log_ratio))`; a ratio that is NaN rejects.
#[must_use]
fn acceptance_probability(log_ratio: f64) -> f64 {
    if log_ratio.is_nan() {
        0.0
    } else {
        log_ratio.min(0.0).exp()
    }
}

/// Checks that a kernel can be fitted to positions alone, by engines that do not keep gradients.
///
/// # Errors
/// [`Error::Setting`] if its mass is learnt from gradients.
#[doc(hidden)]
pub fn fits_positions(kernel: &dyn Kernel) -> Result<(), Error> {
    let holds = !kernel.fits_gradients();
    let allowed = "`Mass::Identity`, `Mass::Diagonal(..)`, `Mass::Variance` or `Mass::Covariance`: only chains keep the gradients of their burn-in";
    Error::setting("mass", "learnt from gradients", holds, allowed)
}

/// Checks a step size that the user fixed.
fn validate_step_size(step_size: Option<f64>) -> Result<(), Error> {
    let Some(step) = step_size else {
        return Ok(());
    };
    let holds = step > 0.0 && step.is_finite();
    Error::setting("step_size", step, holds, "a finite number above 0")
}

/// Checks the largest change of the energy within a step, in the same way for every kernel that divides steps.
fn validate_energy_tolerance(tolerance: f64) -> Result<(), Error> {
    let holds = tolerance > 0.0 && tolerance.is_finite();
    let allowed = "a finite number above 0";
    Error::setting("energy_tolerance", tolerance, holds, allowed)
}

/// Checks the target acceptance of a step size, in the same way for every kernel.
fn validate_target_acceptance(probability: f64) -> Result<(), Error> {
    let holds = probability > 0.0 && probability < 1.0;
    Error::setting("target_acceptance", probability, holds, "between 0 and 1")
}

/// Checks that no coordinate of the density is a whole number.
fn require_continuous(kernel: &'static str, density: &dyn LogDensity) -> Result<(), Error> {
    require_gradient(density, ["kernel", kernel, "`random_walk`"])
}

/// Refuses a density without a gradient in some coordinate; with the setting, its value, and what it must be instead.
///
/// # Errors
/// [`Error::Setting`].
#[doc(hidden)]
pub fn require_gradient(
    density: &dyn LogDensity,
    [setting, value, instead]: [&'static str; 3],
) -> Result<(), Error> {
    let description = density.describe();
    let holds = !description.discrete.contains(&true);
    let name = description.name;
    let allowed = format!("{instead} for `{name}`, which has discrete random values");
    Error::setting(setting, value, holds, &allowed)
}

/// Takes each proposal with its acceptance probability.
fn accept_or_reject(block: &mut Block<'_>, streams: &mut [Stream], workspace: &mut Workspace) {
    use rand::RngExt;
    let proposal = workspace.proposal.block();
    for (i, stream) in streams.iter_mut().enumerate() {
        // Also drawn if the outcome is certain, so that every step uses the same number of random numbers.
        let uniform: f64 = stream.random();
        if uniform < workspace.acceptance[i] {
            block.accept(i, &proposal);
        }
    }
}
