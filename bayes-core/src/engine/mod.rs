//! Engines: SMC, pSMC, AIS, Markov chains and parallel tempering, and the builder that chooses among them.
//!
//! `smc/`, `chains/` and `tempering/` have the samplers, `fit/` the engines that make a point or a Gaussian instead of draws, and `save/`
//! the files of a run. The files beside these folders serve several of them.

mod anchor;
mod ascent;
mod budget;
mod builder;
mod chains;
mod common;
mod drawn;
mod evidence;
mod fit;
#[doc(hidden)]
pub mod improper;
mod memory;
mod mover;
#[cfg(feature = "mpi")]
mod mpi;
mod nested;
#[doc(hidden)]
pub mod probe;
mod save;
mod smc;
mod tempering;
mod timed;
mod tune;

pub use anchor::{AnchoredPrior, OwnPrior, PriorChoice, ScaleMode, SuitsPriorOf};
pub(crate) use builder::{Algorithm, Runner};
pub use builder::{Builder, NoKernel};
pub use chains::{Chains, Starts};
pub use common::Common;
pub use evidence::EvidenceByTwo;
pub use fit::deep_ensemble::DeepEnsemble;
pub use fit::laplace::{ApproximateFit, Laplace};
pub use fit::map::{AllRows, Map, SomeRows};
pub use fit::marginal::{
    ColdStart, Expectation, FeynmanKac, MarginalLikelihood, OpenHorizon, PriorDraws,
    VariationalStep,
};
pub use fit::pathfinder::Pathfinder;
pub use fit::swag::Swag;
pub use fit::variational::Variational;
pub use mover::Mover;
#[cfg(feature = "mpi")]
pub use mpi::Mpi;
pub use nested::Nested;
pub(crate) use save::checkpoint::ROUND;
pub(crate) use save::outcome::Made;
pub use save::shard::Shard;
pub use smc::island::Island;
pub use smc::mutations::{MovePolicy, Mutations};
pub(crate) use smc::numbers::IslandNumbers;
pub use smc::path::Path;
pub(crate) use smc::psmc::ParallelSmc;
pub use smc::psmc::Smc;
pub use smc::resample::Resampling;
pub use smc::sampler::Sampler;
pub use smc::schedule::Schedule;
pub use smc::step_size_rule::StepSizeRule;
pub use tempering::Tempering;

use crate::density::LogDensity;
use crate::error::Error;
use crate::kernel::{self, Hmc, Kernel, Mams, Nuts, Pcn, RandomWalk, Walnuts};
use crate::model::Model;
use crate::observe::Memory;
use crate::run::{Objective, Run, RunFile};
use chains::MarkovChains;
use fit::deep_ensemble::Ensemble;
use fit::map::Optimisation;
use fit::pathfinder::PathSearch;
use fit::swag::WeightAveraging;
use fit::variational::VariationalInference;
use nested::NestedSampling;
use std::fmt::Debug;
use tempering::ParallelTempering;

/// An engine with its settings, which makes a run from a density.
///
/// The builders of [`Inference`] are engines; [`Inference::by_name`] chooses one at run time.
pub trait Engine: Debug + Send + Sync {
    /// `smc`, `psmc`, `ais`, `tempering`, `nested`, the kernel's name for chains, `mean_field`, `full_rank`, `pathfinder`, `swag`, `laplace`,
    /// `ensemble`, or the name of a user-defined engine.
    fn name(&self) -> &'static str {
        self.common().engine
    }

    /// The settings that all engines share.
    fn common(&self) -> &Common;

    /// The settings that all engines share, for changes.
    fn common_mut(&mut self) -> &mut Common;

    /// The number of islands, or of groups of chains that are tuned together: the maximum number of parts of a run. 1 by default.
    fn units(&self) -> usize {
        1
    }

    /// The approximate memory that a run of this process takes; `None` if the engine does not know.
    fn memory(&self, density: &dyn LogDensity) -> Option<Memory> {
        let _ = density;
        None
    }

    /// Runs on a density.
    ///
    /// # Errors
    /// A setting out of range, a density without a property that the engine or its kernel needs, or a density that is not
    /// finite at any starting point.
    fn run_on(&self, density: &dyn LogDensity) -> Result<Run, Error>;

    /// Runs on a density, with the draws in a file that has the bytes of [`Run::save`]. By default the run is in memory first. The
    /// engines of [`Inference`] with independent islands or chains need memory only for the running ones; a user-defined engine can do
    /// the same with a [`RunWriter`](crate::run::RunWriter).
    ///
    /// The file always holds a whole run. The finished groups of a stopped run are in the folder of checkpoints, and the error is
    /// [`Error::Stopped`]. Without such a folder they are in the file of [`Run::file_for`].
    ///
    /// # Errors
    /// As [`Engine::run_on`], and errors of the file: before the run, the errors of [`Run::may_save`]. If the file cannot be written at
    /// the end, nothing is lost: [`FileError::Unsaved`](crate::run::FileError::Unsaved) names the file with the draws, and
    /// [`Error::NotSaved`] has the run.
    fn run_to_file_on(
        &self,
        density: &dyn LogDensity,
        path: &std::path::Path,
    ) -> Result<RunFile, Error> {
        Run::may_save(path)?;
        save::outcome::saved(self.run_on(density)?, path, self.common())
    }
}

impl dyn Engine + '_ {
    /// Runs on a model.
    ///
    /// # Errors
    /// As [`Engine::run_on`], and data that do not fit the model. Combinations that the builders reject at compile
    /// time, such as HMC on a model with discrete random values, are errors here.
    pub fn run<Mo: Model>(&self, model: &Mo) -> Result<Run, Error> {
        let common = self.common();
        common.run_on_model(model, &|density| self.run_on(density))
    }

    /// Same as `run`, with the draws in a file; see [`Engine::run_to_file_on`].
    ///
    /// # Errors
    /// The errors of `run`, and errors of the file.
    pub fn run_to_file<Mo: Model>(
        &self,
        model: &Mo,
        path: impl AsRef<std::path::Path>,
    ) -> Result<RunFile, Error> {
        self.run_to_file_on(&self.common().posterior(model)?, path.as_ref())
    }
}

/// Makes an engine with a kernel.
type Make = fn(Box<dyn Kernel>) -> Box<dyn Engine>;

/// The engines that take a kernel, each with its default kernel. In addition every kernel's name stands for its chains.
const ENGINES: &[(&str, &str, Make)] = &[
    ("smc", "hmc", |kernel| {
        Box::new(Inference::smc().kernel(kernel))
    }),
    ("psmc", "hmc", |kernel| {
        Box::new(Inference::psmc().kernel(kernel))
    }),
    ("ais", "hmc", |kernel| {
        Box::new(Inference::ais().kernel(kernel))
    }),
    ("tempering", "hmc", |kernel| {
        Box::new(Inference::tempering().kernel(kernel))
    }),
    ("nested", "random_walk", |kernel| {
        Box::new(Inference::nested().kernel(kernel))
    }),
];

/// Makes an engine without a kernel.
type MakeAlone = fn() -> Box<dyn Engine>;

/// The engines that approximate the posterior, without a kernel.
const APPROXIMATIONS: &[(&str, MakeAlone)] = &[
    ("mean_field", || Box::new(Inference::vi())),
    ("full_rank", || Box::new(Inference::vi().full_rank())),
    ("pathfinder", || Box::new(Inference::pathfinder())),
];

/// Chooses an engine; every engine is a builder that ends in `run(&model)`.
///
/// | engine | what it is | defaults |
/// |---|---|---|
/// | [`Inference::smc`] | one SMC sampler | 1 island of 1024 particles |
/// | [`Inference::psmc`] | independent islands, weighted by their evidence | 8 islands of 256 particles |
/// | [`Inference::ais`] | annealed importance sampling | 1 island of 1024 particles, a pilot of 256 |
/// | [`Inference::tempering`] | chains of parallel tempering, with evidence | 8 chains, 1000 scans of burn-in, 1000 draws |
/// | [`Inference::nested`] | nested sampling: the evidence by levels of the likelihood | 4 islands of 512 particles, a quarter of whose states survive a level |
/// | [`Inference::nuts`] | chains of the No-U-Turn sampler | 4 chains, 1000 steps of burn-in, 1000 draws |
/// | [`Inference::walnuts`] | the same with steps that fit the place, for narrow parts of a posterior | as NUTS |
/// | [`Inference::mams`] | the Metropolis-adjusted microcanonical sampler | as NUTS |
/// | [`Inference::hmc`] | Hamiltonian Monte Carlo chains | 4 chains, 1000 steps of burn-in, 1000 draws |
/// | [`Inference::pcn`] | pCN chains | 4 chains, 5000 steps of burn-in, 1000 draws of every 10th step |
/// | [`Inference::random_walk`] | random-walk chains | as pCN |
///
/// [`Inference::map`] and [`Inference::mle`] are builders too; they make a [`Fit`](crate::run::Fit). [`Inference::ensemble`] makes a
/// [`Run`] from several fits, and [`Inference::vi`], [`Inference::pathfinder`] and [`Inference::swag`] make one from
/// Gaussians. [`Inference::sgsmc`] and
/// [`Inference::ohsmc`] learn the params of a model ([`Learnt`](crate::run::Learnt)).
#[derive(Clone, Copy, Debug)]
pub struct Inference;

impl Inference {
    /// A single SMC sampler ("SMC Is All You Need", Algorithm 1).
    pub fn smc() -> Smc<Hmc> {
        Builder::new("smc", ParallelSmc::new(1, 1024))
    }

    /// Parallel SMC: independent islands ("SMC Is All You Need", Algorithm 2).
    pub fn psmc() -> Smc<Hmc> {
        Builder::new("psmc", ParallelSmc::new(8, 256))
    }

    /// Annealed importance sampling (Neal 2001): particles that move from the prior to the posterior independently and are never
    /// resampled.
    ///
    /// It is [`Inference::smc`] with [`Resampling::Never`], a pilot of 256 particles, a ladder with an ESS target of 0.99, one move at
    /// each temperature and one kept state of each particle. Each particle's weight is an unbiased estimate of the evidence, and so is
    /// their mean. A coarser ladder makes the log weights vary more: where few particles have all the weight, raise the ESS target or
    /// resample.
    ///
    /// ```
    /// # use bayes_core::density::{Block, LogDensity, Prior};
    /// # use bayes_core::rng::{RngExt, Stream};
    /// # use bayes_core::engine::{Inference, Schedule};
    /// # struct Line;
    /// # impl LogDensity for Line {
    /// #     fn dim(&self) -> usize { 1 }
    /// #     fn evaluate(&self, block: &mut Block<'_>) { block.fill(|x| [if (0.0..1.0).contains(&x[0]) { 0.0 } else { f64::NEG_INFINITY }, -50.0 * (x[0] - 0.3).powi(2)]); }
    /// #     fn prior(&self) -> Option<&dyn Prior> { Some(self) }
    /// # }
    /// # impl Prior for Line {
    /// #     fn draw(&self, stream: &mut Stream, position: &mut [f64]) { position[0] = stream.random_range(0.0..1.0); }
    /// # }
    /// # let density = Line;
    /// // a ladder of 40 temperatures, dense near the prior
    /// let fine = (1..=4).map(|k| 0.00025 * f64::from(k));
    /// let middle = (1..=7).map(|k| 0.001 * 10f64.powf(f64::from(k) / 7.0));
    /// let coarse = (1..=29).map(|k| 0.01 * 100f64.powf(f64::from(k) / 29.0));
    /// let ladder = Schedule::fixed(fine.chain(middle).chain(coarse));
    ///
    /// let run = Inference::ais().particles(64).schedule(ladder).run_on(&density)?;
    /// assert!(run.is_evidence_unbiased());
    /// # Ok::<(), bayes_core::Error>(())
    /// ```
    pub fn ais() -> Smc<Hmc> {
        Smc::annealed_importance_sampling()
    }

    /// Non-reversible parallel tempering: chains that exchange states between the prior and the posterior, and a log evidence that is
    /// independent of SMC's.
    pub fn tempering() -> Tempering<Hmc> {
        Builder::new("tempering", ParallelTempering::new())
    }

    /// Nested sampling by sequential Monte Carlo: islands that climb levels of the likelihood. It finds narrow modes inside wide ones,
    /// which tempering misses, and needs no gradient.
    pub fn nested() -> Nested<RandomWalk> {
        Builder::new("nested", NestedSampling::new())
    }

    /// The mode of the posterior density of the model's values; with `.jacobian(true)` the mode in the unconstrained coordinates.
    pub fn map() -> Map {
        Builder::new("map", Optimisation::point(Objective::Values))
    }

    /// The maximum of the likelihood.
    pub fn mle() -> Map {
        Builder::new("mle", Optimisation::point(Objective::Likelihood))
    }

    /// A deep ensemble: the ends of optimisations from this number of starting points, at least 1, as the draws of a [`Run`].
    pub fn ensemble(members: usize) -> DeepEnsemble {
        Builder::new("ensemble", Ensemble::new(members))
    }

    /// SWAG: a Gaussian with the moments of the iterates of stochastic gradient descent.
    pub fn swag() -> Swag {
        Builder::new("swag", WeightAveraging::new())
    }

    /// Variational inference: the Gaussian nearest to the posterior, with independent coordinates, or with a full covariance by
    /// `.full_rank()`.
    pub fn vi() -> Variational {
        Builder::new("mean_field", VariationalInference::new())
    }

    /// Pathfinder: the best Gaussians along the paths of L-BFGS, with importance weights.
    pub fn pathfinder() -> Pathfinder {
        Builder::new("pathfinder", PathSearch::new())
    }

    /// Maximum marginal likelihood of the params of a model by stochastic gradient sequential Monte Carlo: particles start from the prior
    /// in every step.
    pub fn sgsmc() -> MarginalLikelihood<ColdStart> {
        MarginalLikelihood::cold_start()
    }

    /// Maximum marginal likelihood of the params of a model by open-horizon sequential Monte Carlo: particles continue from step to step.
    pub fn ohsmc() -> MarginalLikelihood<OpenHorizon> {
        MarginalLikelihood::open_horizon()
    }

    /// Maximum marginal likelihood of the params of a model by Monte Carlo EM: parallel chains, of HMC by default, follow the posterior
    /// of all rows while the params move.
    pub fn mcem() -> MarginalLikelihood<Expectation> {
        MarginalLikelihood::expectation()
    }

    /// Variational EM: learns the params of a model together with the Gaussian with independent coordinates that is nearest to the
    /// posterior. Maximises the evidence lower bound, a lower bound of the marginal likelihood.
    pub fn variational_em() -> MarginalLikelihood<VariationalStep> {
        MarginalLikelihood::variational()
    }

    /// The params of a model that maximise the prior mean of the log likelihood, by prior draws: plain Monte Carlo. This mean is not the
    /// marginal likelihood, which is the mean of the likelihood itself; it serves for comparison.
    pub fn expected_likelihood() -> MarginalLikelihood<PriorDraws> {
        MarginalLikelihood::prior_draws()
    }

    /// Chains of any kernel. With a gradient kernel: 1000 steps of burn-in, and every state is kept. Without: 5000
    /// steps, and every 10th state is kept.
    pub fn chains<K: Kernel>(kernel: K) -> Chains<K> {
        let (burn_in, thin) = if kernel.needs_gradient() {
            (1000, 1)
        } else {
            (5000, 10)
        };
        Builder::new(kernel.name(), MarkovChains::new(kernel, burn_in, thin))
    }

    /// The engine with this name and its default settings: `smc`, `psmc`, `ais`, `tempering` or `nested`, with `kernel` instead of its
    /// default kernel; a kernel's name for its chains; or `mean_field` or `full_rank` for variational inference, or `pathfinder`.
    ///
    /// ```
    /// use bayes_core::engine::Inference;
    ///
    /// let engine = Inference::by_name("psmc", Some("pcn"))?;
    /// assert_eq!(engine.name(), "psmc");
    /// assert!(Inference::by_name("gibbs", None).is_err());
    /// # Ok::<(), bayes_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Setting`] with the valid names.
    pub fn by_name(engine: &str, kernel: Option<&str>) -> Result<Box<dyn Engine>, Error> {
        if let Some((_, own, make)) = ENGINES.iter().find(|known| known.0 == engine) {
            return Ok(make(kernel::by_name(kernel.unwrap_or(own))?));
        }
        if let Some((_, make)) = APPROXIMATIONS.iter().find(|known| known.0 == engine) {
            let allowed = format!("left out with {engine}, which moves nothing");
            Error::setting(
                "kernel",
                kernel.unwrap_or("none"),
                kernel.is_none(),
                &allowed,
            )?;
            return Ok(make());
        }
        let names = ENGINES.iter().map(|known| known.0).chain(kernel::names());
        let names = names.chain(APPROXIMATIONS.iter().map(|known| known.0));
        let names: Vec<&str> = names.collect();
        let allowed = format!("one of {}", names.join(", "));
        Error::setting("engine", engine, names.contains(&engine), &allowed)?;
        let other = kernel.filter(|name| *name != engine);
        let allowed = format!("{engine}: the chains of a kernel have no other");
        Error::setting("kernel", other.unwrap_or(engine), other.is_none(), &allowed)?;
        Ok(Box::new(Self::chains(kernel::by_name(engine)?)))
    }

    /// Chains of the No-U-Turn sampler, with the defaults of Stan.
    pub fn nuts() -> Chains<Nuts> {
        Self::chains(Nuts::new())
    }

    /// Chains of WALNUTS: NUTS whose steps fit the place, for posteriors with narrow parts.
    pub fn walnuts() -> Chains<Walnuts> {
        Self::chains(Walnuts::new())
    }

    /// Chains of the Metropolis-adjusted microcanonical sampler, for models of two coordinates or more.
    pub fn mams() -> Chains<Mams> {
        Self::chains(Mams::new())
    }

    /// Hamiltonian Monte Carlo chains; with `.chains(n).draws(1)` the papers' HMC∥.
    pub fn hmc() -> Chains<Hmc> {
        Self::chains(Hmc::new())
    }

    /// Preconditioned Crank-Nicolson chains; with `.chains(n).draws(1)` the papers' pCN∥.
    pub fn pcn() -> Chains<Pcn> {
        Self::chains(Pcn::new())
    }

    /// Random-walk Metropolis chains.
    pub fn random_walk() -> Chains<RandomWalk> {
        Self::chains(RandomWalk::new())
    }
}
