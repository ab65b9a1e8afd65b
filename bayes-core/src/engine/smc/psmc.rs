//! Parallel SMC ("SMC Is All You Need", Algorithm 2): independent islands, weighted by their evidence.

mod memory;
mod pilot;
mod run;
mod settings;

use super::interaction::Interaction;
use super::mutations::Mutations;
use super::numbers::IslandNumbers;
use super::path::Path;
use super::resample::Resampling;
use super::sampler::Sampler;
use super::schedule::Schedule;
use super::settings::Settings;
use super::step_size_rule::StepSizeRule;
use crate::density::{Batches, LogDensity};
use crate::engine::anchor::{AnchoredPrior, OwnPrior};
use crate::engine::budget::Budget;
use crate::engine::builder::{Builder, Divisible};
use crate::engine::save::checkpoint::Journal;
use crate::error::Error;
use crate::kernel::{Hmc, Kernel, Moves, Mutation};
use crate::model::rows::Rows;
use crate::observe::Observers;
use crate::rng::{Key, Purpose};
use crate::run::{Fit, Run, Weighting};
use std::ops::Range;
use std::sync::Arc;

/// Builder of SMC, pSMC and AIS runs; a single sampler is one island.
///
/// Defaults: HMC as in [`Hmc::new`], adaptive mutations ([`Mutations::adaptive`]), ESS target 0.9, systematic resampling, seed 0,
/// progress shown on a terminal. Four states of each particle are kept, and up to 32 at the posterior (chosen by the experiments
/// `battery` and `everyday`). In one or two coordinates the particles walk, which needs fewer calls of the density than
/// trajectories ([`Hmc::random_walk`]). The defaults of AIS are at [`Inference::ais`](crate::engine::Inference::ais).
pub type Smc<K, P = OwnPrior> = Builder<ParallelSmc, K, P>;

/// Islands of SMC samplers with a kernel.
#[derive(Clone, Debug)]
pub struct ParallelSmc {
    islands: IslandNumbers,
    kernel: Arc<dyn Kernel>,
    settings: Settings,
    /// Number of particles of the pilot, if there is one.
    pilot: Option<usize>,
    /// The interaction of islands; `None` if they are independent.
    interaction: Option<Interaction>,
    weighting: Weighting,
    anchors: Option<AnchoredPrior>,
    budget: Budget,
}

/// The number of the pilot's island; no other island has its random streams.
const PILOT: u64 = u64::MAX;

/// The number of the rehearsal, an island that shows the cost of an island; `u64::MAX - 1` resamples interacting islands.
const REHEARSAL: u64 = u64::MAX - 2;

/// The default number of states kept of each particle.
const STATES_KEPT: usize = 4;

/// The default effective sample size of a temperature step, as a fraction of the states.
const ESS_TARGET: f64 = 0.9;

/// The default range of shortened steps: down to a seventh of the tuned step size.
const STEP_SIZE_MIXTURE: f64 = 2.0;

/// The default number of particles of the pilot of AIS.
const AIS_PILOT: usize = 256;

/// The default effective sample size of a temperature step of AIS: for the same number of moves, the variance of its weights
/// is smallest with one move at each of many temperatures (Neal 2001, section 4).
const AIS_ESS_TARGET: f64 = 0.99;

impl ParallelSmc {
    pub(in crate::engine) fn new(islands: u64, particles: usize) -> Self {
        let settings = Settings {
            particles,
            states_kept: STATES_KEPT,
            posterior_states: None,
            path: Path::tempering(),
            mutations: Arc::new(Mutations::adaptive()),
            schedule: Schedule::adaptive(ESS_TARGET),
            resampling: Resampling::default(),
            step_size_rule: StepSizeRule::default(),
            step_size_mixture: STEP_SIZE_MIXTURE,
            control_variates: None,
        };
        Self {
            islands: IslandNumbers::by_default(islands),
            kernel: Arc::new(Hmc::new()),
            settings,
            pilot: None,
            interaction: None,
            weighting: Weighting::Evidence,
            anchors: None,
            budget: Budget::default(),
        }
    }
}

impl Smc<Hmc> {
    /// Annealed importance sampling: no resampling, on the ladder of a pilot.
    pub(in crate::engine) fn annealed_importance_sampling() -> Self {
        let smc = Self::new("ais", ParallelSmc::new(1, 1024)).resampling(Resampling::Never);
        let smc = smc.states_kept(1).pilot(AIS_PILOT);
        smc.mutations(1).ess_target(AIS_ESS_TARGET)
    }
}

impl Divisible for ParallelSmc {}

impl AsMut<IslandNumbers> for ParallelSmc {
    fn as_mut(&mut self) -> &mut IslandNumbers {
        &mut self.islands
    }
}

impl AsMut<Settings> for ParallelSmc {
    fn as_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }
}

impl AsMut<Budget> for ParallelSmc {
    fn as_mut(&mut self) -> &mut Budget {
        &mut self.budget
    }
}

impl AsMut<Option<AnchoredPrior>> for ParallelSmc {
    fn as_mut(&mut self) -> &mut Option<AnchoredPrior> {
        &mut self.anchors
    }
}

impl<K> Smc<K> {
    /// As [`Smc::anchor`], with a fit for each island: islands use the fits in turn.
    ///
    /// Weighted by their evidence, the islands sample the posterior under an equal mixture of the anchored priors.
    pub fn anchors(self, fits: &[Fit], scale: f64) -> Smc<K, AnchoredPrior> {
        self.anchored(AnchoredPrior::new(fits, scale))
    }
}

impl<K, P> Smc<K, P> {
    /// The islands with these numbers, as an addition to a run with all islands before them: [`Run::merge`] joins both runs. The same as
    /// [`Smc::islands`] for `0..P`.
    pub fn island_range(self, islands: Range<u64>) -> Self {
        self.set(|smc| smc.islands = IslandNumbers::part(islands))
    }

    /// Number of states k that are kept of each particle along its moves at a temperature, at least 1.
    ///
    /// The next temperature, the weights and the proposals come from all k N states. N of them are resampled to move on ("waste-free
    /// SMC", Dau & Chopin 2022). With 1, only the last state is kept, as in standard SMC. k is at most the minimum number of steps of a
    /// particle, which is 4 for [`Mutations::adaptive`]. The moves on the way to the posterior cost the same for any k; at the first
    /// temperature k N prior draws are evaluated.
    pub fn states_kept(self, states: usize) -> Self {
        self.set(|smc| smc.settings.states_kept = states)
    }

    /// Number of states that are kept of each particle at the posterior, at least 1.
    ///
    /// The particles continue at the posterior until this number of states is kept. The first states have cost the moves of all
    /// temperatures, each further state only the moves since the last one. Many states of few particles are therefore far cheaper draws
    /// than few states of many (experiments/figures.md, "What an effective draw costs"). The evidence does not depend on the further
    /// states. Their spacing is the same as for the first ones.
    ///
    /// By default 8 times the number kept at the other temperatures, or fewer if an island would have more than 8192 draws or 4 million
    /// coordinates. The default is 1 if only one state is kept elsewhere, as in standard SMC. If the states would cost more than a
    /// quarter of all work before, they are closer together, at least one step apart. A run, its files and its predictions grow with the
    /// number of draws; `.posterior_states(4)` costs no further moves.
    pub fn posterior_states(self, states: usize) -> Self {
        self.set(|smc| smc.settings.posterior_states = Some(states))
    }

    /// The Markov kernel of the mutation steps.
    pub fn kernel<L: Mutation>(self, kernel: L) -> Smc<L, P> {
        self.with(|smc| ParallelSmc {
            kernel: Arc::new(kernel),
            ..smc
        })
    }

    /// An unbiased estimate of the evidence. A pilot island with this number of particles learns the temperatures, the numbers of moves,
    /// the step sizes and the scales. Every island replays them without change, with particles that the pilot never saw.
    ///
    /// Without a pilot every island adapts to its own particles, which biases its evidence by order 1/N. With a pilot the mean of the
    /// estimated evidence over runs is the evidence itself, for any number of particles. The log evidence, the logarithm of an average,
    /// is too small by half its variance. A pilot excludes control variates, because their estimate is biased, so the standard error is
    /// typically two to four times as large. A pilot therefore pays with many islands, when the bias, which does not fall with their
    /// number, would exceed the standard error. The gradients of the pilot are counted with island 0; a part of a run ([`Smc::shard`])
    /// without island 0 repeats the pilot and does not count it.
    pub fn pilot(self, particles: usize) -> Self {
        self.set(|smc| smc.pilot = Some(particles))
    }

    /// The interacting island particle model (Vergé, Dubarry, Del Moral & Moulines 2015). Islands advance together and are resampled by
    /// their evidence at every temperature where their effective number `1 / Σ ωₚ²` is below this fraction of all; the paper takes one
    /// half.
    ///
    /// The temperatures must be the same for all islands, so the method needs [`Smc::pilot`] or a fixed schedule, and the islands wait
    /// for each other. Islands of little evidence do not waste moves. The evidence stays unbiased with a pilot. Islands that descend from
    /// the same initial island ([`Island::ancestor_island`](crate::run::Island::ancestor_island)) are not independent. Standard errors
    /// therefore come from the spread of these families of islands, with fewer degrees of freedom; see [`Run::log_evidence_estimate`].
    pub fn interacting(self, threshold: f64) -> Self {
        self.set(|smc| smc.interaction = Some(Interaction { threshold }))
    }

    /// The path of targets; [`Path::tempering`] by default.
    pub fn path(self, path: Path) -> Self {
        self.set(|smc| smc.settings.path = path)
    }

    /// The temperature ladder: [`Schedule::adaptive`] or [`Schedule::fixed`].
    pub fn schedule(self, schedule: Schedule) -> Self {
        self.set(|smc| smc.settings.schedule = schedule)
    }

    /// Short for `.schedule(Schedule::adaptive(fraction))`: the target effective sample size, as a fraction of the states of an island.
    pub fn ess_target(self, fraction: f64) -> Self {
        self.schedule(Schedule::adaptive(fraction))
    }

    /// The resampling scheme; [`Resampling::Never`] is annealed importance sampling.
    pub fn resampling(self, resampling: Resampling) -> Self {
        self.set(|smc| smc.settings.resampling = resampling)
    }

    /// The method to find the step size of a temperature; [`StepSizeRule::Trials`] by default.
    pub fn step_size_rule(self, rule: StepSizeRule) -> Self {
        self.set(|smc| smc.settings.step_size_rule = rule)
    }

    /// A mixture of step sizes: in a random half of all moves the tuned step is shortened by a factor `e^(-range U)`,
    /// U uniform from 0 to 1. The default range is 2; with 0 all moves take the tuned step. A fixed step size is not changed.
    ///
    /// The step size is tuned to the population as a whole. If a scale is unknown, tempered posteriors are funnels whose
    /// narrow parts cannot be reached with this step at low powers of the likelihood. Without shorter steps the log
    /// evidence is then too low by more than its standard error (experiments/figures.md).
    pub fn step_size_mixture(self, range: f64) -> Self {
        self.set(|smc| smc.settings.step_size_mixture = range)
    }

    /// Whether control variates estimate the log evidence. At each temperature, functions of the states and their gradients with known
    /// means of 0 are subtracted from the weights before these are averaged (Mira, Solgi & Imparato 2013; Oates, Papamarkou & Girolami
    /// 2016).
    ///
    /// The standard error is typically a half to a quarter of the error without them (experiments/figures.md); the cost is the gradients
    /// of the prior draws. With more coordinates than 160, or than an eighth of the states, they are not used. Islands are weighted by
    /// the evidence without control variates.
    ///
    /// Where the density jumps, the means are not 0. By default control variates are used for models whose density shows no jump on 32
    /// lines between prior draws. They are not used for densities written by hand, which may end somewhere. If no prior draw has a
    /// likelihood of zero and the two estimates agree, the log evidence of the run is the one with control variates. If the estimates
    /// differ so much that these may be wrong, it is between the two with an error that covers both; if they are wrong, it is the one
    /// without. A small jump with few prior draws on one side can go unnoticed because the two estimates agree; say `false` if you know
    /// of one. With `true` the search for jumps is skipped.
    ///
    /// It has no effect with `.pilot(..)`, whose evidence is unbiased, with interacting islands, or with kernels without gradients.
    pub fn control_variates(self, control: bool) -> Self {
        self.set(|smc| smc.settings.control_variates = Some(control))
    }

    /// The combination of islands. [`Weighting::Equal`] is the plain average that the papers warn against: its bias of order 1/N does not
    /// fall with the number of islands.
    pub fn weighting(self, weighting: Weighting) -> Self {
        self.set(|smc| smc.weighting = weighting)
    }
}

impl<K: Kernel> Smc<K> {
    /// Runs the sampler on `model`, with its rows in this number of batches: data annealing (Chopin 2002) instead of tempering from the
    /// prior to the posterior.
    ///
    /// The path goes to the posterior of the first batch, then to the posterior of the first two, and so on. The schedule tempers every
    /// batch: `Schedule::fixed([1.0])` adds it at once. The rows keep their order; [`Model::subset`](crate::model::Model::subset) gives them another order.
    ///
    /// # Errors
    /// The errors of [`Smc::run`] and of [`Batches::new`].
    pub fn run_in_batches<Mo: Rows>(&self, model: &Mo, batches: usize) -> Result<Run, Error>
    where
        K: Moves<Mo>,
    {
        let posterior = self.runner.common.posterior(model)?;
        let mut run = self.run_on(&Batches::new(model, posterior, batches)?)?;
        run.settings
            .insert("batches".to_owned(), batches.to_string());
        Ok(run)
    }
}

impl<K: Kernel> Smc<K> {
    /// The sampler of this run's islands on a density, for a user-defined loop. For an anchored prior pass an
    /// [`Anchored`](crate::density::Anchored) density.
    ///
    /// # Errors
    /// A setting out of range, or a density without a proper prior. With [`Smc::pilot`] also a prior under which no particle of the
    /// pilot has positive likelihood, [`Error::Ladder`] and [`Error::Resolution`].
    pub fn sampler<'a>(&'a self, density: &'a dyn LogDensity) -> Result<Sampler<'a>, Error> {
        self.runner
            .prepare(density, 0, &Journal::idle(&Observers::default()))
    }
}

/// The error if every initial particle has likelihood zero; names the statement that excludes the first particle.
pub(in crate::engine) fn no_start(density: &dyn LogDensity, seed: u64, tried: usize) -> Error {
    let mut position = vec![0.0; density.dim()];
    let key = Key::new(seed, Purpose::Initial);
    density.draw_start(&mut key.stream(), &mut position);
    density.start_error(&position, tried)
}
