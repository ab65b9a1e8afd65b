//! Parallel SMC ("SMC Is All You Need", Algorithm 2): islands that never communicate, weighted by their evidence.

use super::builder::{Common, common_setters};
use super::mutations::Mutations;
use super::resample::Resampling;
use super::schedule::Schedule;
use super::smc::{IslandKey, Settings, run_island};
use crate::density::{Density, Posterior};
use crate::error::Error;
use crate::kernel::{Hmc, Kernel, Moves, Mutation};
use crate::model::Model;
use crate::report::Progress;
use crate::rng::{Key, Purpose};
use crate::run::{Group, Run, Weighting};
use rayon::prelude::*;

/// Builder of SMC and pSMC runs; a single sampler is one island.
///
/// Defaults: HMC as in [`Hmc::new`], adaptive mutations ([`Mutations::adaptive`]), ESS target one half and systematic
/// resampling ("SMC Is All You Need", Example 2.1), seed 0, progress shown on a terminal.
#[derive(Clone, Debug)]
#[must_use = "an engine does nothing until `.run(&model)`"]
pub struct Smc<K> {
    common: Common,
    islands: usize,
    kernel: K,
    settings: Settings,
    weighting: Weighting,
}

/// The range of short steps unless set: steps down to a seventh of the tuned one.
const SHORT_STEPS: f64 = 2.0;

impl Smc<Hmc> {
    pub(super) fn new(engine: &'static str, islands: usize, particles: usize) -> Self {
        let settings = Settings {
            particles,
            mutations: Mutations::adaptive(),
            schedule: Schedule::adaptive(0.5),
            resampling: Resampling::default(),
            short_steps: SHORT_STEPS,
        };
        Self {
            common: Common::new(engine),
            islands,
            kernel: Hmc::new(),
            settings,
            weighting: Weighting::Evidence,
        }
    }
}

impl<K> Smc<K> {
    /// Number of islands P, at least 1. Their work is independent; more islands lower the error by 1/P.
    pub fn islands(mut self, islands: usize) -> Self {
        self.islands = islands;
        self
    }

    /// Particles N in each island, at least 2.
    pub fn particles(mut self, particles: usize) -> Self {
        self.settings.particles = particles;
        self
    }

    /// The Markov kernel of the mutation steps.
    pub fn kernel<L: Mutation>(self, kernel: L) -> Smc<L> {
        let Self {
            common,
            islands,
            settings,
            weighting,
            ..
        } = self;
        Smc {
            common,
            islands,
            kernel,
            settings,
            weighting,
        }
    }

    /// Mutation steps M at each temperature: a number, or [`Mutations::adaptive`].
    pub fn mutations(mut self, mutations: impl Into<Mutations>) -> Self {
        self.settings.mutations = mutations.into();
        self
    }

    /// The temperature ladder: [`Schedule::adaptive`] or [`Schedule::fixed`].
    pub fn schedule(mut self, schedule: Schedule) -> Self {
        self.settings.schedule = schedule;
        self
    }

    /// Short for `.schedule(Schedule::adaptive(fraction))`: the effective sample size to keep, as a fraction of N.
    pub fn ess_target(self, fraction: f64) -> Self {
        self.schedule(Schedule::adaptive(fraction))
    }

    /// The resampling scheme.
    pub fn resampling(mut self, resampling: Resampling) -> Self {
        self.settings.resampling = resampling;
        self
    }

    /// Half of all moves, at random, take steps that are shorter than the tuned one by a factor `e^(-range U)`, U
    /// uniform from 0 to 1; 2 unless set, 0 for none. A kernel whose step size is fixed takes none.
    ///
    /// The step size is tuned to the population as a whole. Where a scale is unknown, tempered posteriors are funnels, and
    /// their necks, too narrow for that step, stay empty until the likelihood's power has grown: without short steps the log
    /// evidence is too low, with a small standard error (docs/figures.md).
    pub fn short_steps(mut self, range: f64) -> Self {
        self.settings.short_steps = range;
        self
    }

    /// How islands are combined. [`Weighting::Equal`] is the plain average that the papers warn of: its bias of order
    /// 1/N does not fall with the number of islands.
    pub fn weighting(mut self, weighting: Weighting) -> Self {
        self.weighting = weighting;
        self
    }

    common_setters!();

    /// Runs the sampler on `model`.
    ///
    /// # Errors
    /// A setting out of range, an instruction set that the processor lacks, data that do not fit the model, or a prior
    /// that never gives the data a positive likelihood; all before the first move.
    pub fn run<Mo: Model>(&self, model: &Mo) -> Result<Run, Error>
    where
        K: Moves<Mo>,
    {
        self.validate()?;
        let posterior = Posterior::with(model, self.common.seed, self.common.arithmetic)?;
        posterior.require_proper_prior(
            "SMC starts from draws of the prior, and evidence is relative to it",
        )?;
        self.kernel.validate(posterior.layout().dim)?;
        let run = self.run_islands(&posterior);
        if run
            .groups
            .iter()
            .all(|island| island.log_evidence == Some(f64::NEG_INFINITY))
        {
            return Err(no_start(
                &posterior,
                self.common.seed,
                self.islands * self.settings.particles,
            ));
        }
        Ok(run)
    }
}

impl<K: Kernel> Smc<K> {
    fn validate(&self) -> Result<(), Error> {
        Error::setting("islands", self.islands, self.islands >= 1, "at least 1")?;
        let particles = self.settings.particles;
        Error::setting(
            "particles",
            particles,
            (2..=u32::MAX as usize).contains(&particles),
            "from 2 to 4294967295",
        )?;
        let weighting = format!("{:?}", self.weighting);
        let of_islands = self.weighting != Weighting::Chains;
        Error::setting(
            "weighting",
            weighting,
            of_islands,
            "`Weighting::Evidence` or `Weighting::Equal`",
        )?;
        let range = self.settings.short_steps;
        let holds = range >= 0.0 && range.is_finite();
        Error::setting("short_steps", range, holds, "a finite number, at least 0")?;
        self.settings.mutations.validate()?;
        self.settings.schedule.validate()
    }

    /// The islands in parallel; results in the order of their indices.
    fn run_islands(&self, density: &dyn Density) -> Run {
        let progress = Progress::new(self.common.progress, self.islands);
        let groups: Vec<Group> = (0..self.islands)
            .into_par_iter()
            .map(|p| {
                let key = IslandKey {
                    seed: self.common.seed,
                    index: p as u64,
                };
                run_island(
                    &self.settings,
                    density,
                    &self.kernel,
                    key,
                    &progress.island(p),
                )
            })
            .collect();
        let kernel = self.kernel.name();
        self.common.run(density, kernel, self.weighting, groups)
    }
}

/// Every initial particle has likelihood zero: says which statement rules out the first.
fn no_start(density: &dyn Density, seed: u64, tried: usize) -> Error {
    let mut position = vec![0.0; density.layout().dim];
    let key = Key {
        seed,
        group: 0,
        item: 0,
        stage: 0,
        purpose: Purpose::Initial,
    };
    density.draw_prior(&mut key.stream(), &mut position);
    density.start_error(&position, tried)
}
