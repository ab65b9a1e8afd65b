//! Parallel SMC ("SMC Is All You Need", Algorithm 2): independent islands, weighted by their evidence.

use super::Engine;
use super::builder::{Common, common_setters, named_texts};
use super::doomed;
use super::mutations::{MovePolicy, Mutations};
use super::path::Path;
use super::resample::Resampling;
use super::sampler::{Sampler, Settings};
use super::schedule::Schedule;
use crate::density::{LogDensity, Posterior};
use crate::error::Error;
use crate::kernel::{Hmc, Kernel, Moves, Mutation};
use crate::model::Model;
use crate::observe::Observer;
use crate::rng::{Key, Purpose};
use crate::run::{Group, GroupKind, Run, Weighting};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Builder of SMC and pSMC runs; a single sampler is one island.
///
/// Defaults: HMC as in [`Hmc::new`], adaptive mutations ([`Mutations::adaptive`]), ESS target one half and systematic
/// resampling ("SMC Is All You Need", Example 2.1), seed 0, progress shown on a terminal.
#[derive(Clone, Debug)]
#[must_use = "an engine does nothing until `.run(&model)`"]
pub struct Smc<K> {
    common: Common,
    islands: Range<u64>,
    /// Whether the islands are some of those of a larger run.
    is_part: bool,
    kernel: K,
    settings: Settings,
    weighting: Weighting,
}

/// Maximum number of islands of a run; with `island_range` their numbers may be any.
const MAX_ISLANDS: u64 = 1_000_000;

/// The default range of shorter steps: down to a seventh of the tuned step size.
const STEP_SIZE_MIXTURE: f64 = 2.0;

impl Smc<Hmc> {
    pub(super) fn new(engine: &'static str, islands: u64, particles: usize) -> Self {
        let settings = Settings {
            particles,
            path: Path::tempering(),
            mutations: Arc::new(Mutations::adaptive()),
            schedule: Schedule::adaptive(0.5),
            resampling: Resampling::default(),
            step_size_mixture: STEP_SIZE_MIXTURE,
        };
        Self {
            common: Common::new(engine),
            islands: 0..islands,
            is_part: false,
            kernel: Hmc::new(),
            settings,
            weighting: Weighting::Evidence,
        }
    }
}

impl<K> Smc<K> {
    /// Number of islands P, from 1 to a million. Islands are independent; the mean squared error falls as 1/P.
    pub fn islands(mut self, islands: usize) -> Self {
        (self.islands, self.is_part) = (0..islands as u64, false);
        self
    }

    /// Only the islands with these numbers, for a run that is spread over several processes; [`Run::merge`] merges the
    /// parts. The same as [`Smc::islands`] for `0..P`.
    pub fn island_range(mut self, islands: Range<u64>) -> Self {
        (self.islands, self.is_part) = (islands, true);
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
            is_part,
            settings,
            weighting,
            ..
        } = self;
        Smc {
            common,
            islands,
            is_part,
            kernel,
            settings,
            weighting,
        }
    }

    /// Mutation steps M at each temperature: a number, or [`Mutations::adaptive`].
    pub fn mutations(mut self, mutations: impl Into<Mutations>) -> Self {
        self.settings.mutations = Arc::new(mutations.into());
        self
    }

    /// A user-defined rule for the number of mutation steps at each temperature.
    pub fn move_policy(mut self, policy: impl MovePolicy + 'static) -> Self {
        self.settings.mutations = Arc::new(policy);
        self
    }

    /// The path of targets; [`Path::tempering`] by default.
    pub fn path(mut self, path: Path) -> Self {
        self.settings.path = path;
        self
    }

    /// The temperature ladder: [`Schedule::adaptive`] or [`Schedule::fixed`].
    pub fn schedule(mut self, schedule: Schedule) -> Self {
        self.settings.schedule = schedule;
        self
    }

    /// Short for `.schedule(Schedule::adaptive(fraction))`: the target effective sample size, as a fraction of N.
    pub fn ess_target(self, fraction: f64) -> Self {
        self.schedule(Schedule::adaptive(fraction))
    }

    /// The resampling scheme.
    pub fn resampling(mut self, resampling: Resampling) -> Self {
        self.settings.resampling = resampling;
        self
    }

    /// A mixture of step sizes: a random half of all moves take steps that are shorter than the tuned step by a factor
    /// `e^(-range U)`, U uniform from 0 to 1. The default range is 2; with 0 all moves take the tuned step. A fixed
    /// step size is not changed.
    ///
    /// The step size is tuned to the population as a whole. If a scale is unknown, tempered posteriors are funnels whose
    /// narrow parts cannot be reached with this step at low powers of the likelihood. Without shorter steps the log
    /// evidence is then too low by more than its standard error (docs/figures.md).
    pub fn step_size_mixture(mut self, range: f64) -> Self {
        self.settings.step_size_mixture = range;
        self
    }

    /// How islands are combined. [`Weighting::Equal`] is the plain average that the papers warn against: its bias of order
    /// 1/N does not fall with the number of islands.
    pub fn weighting(mut self, weighting: Weighting) -> Self {
        self.weighting = weighting;
        self
    }

    common_setters!();

    /// Runs the sampler on `model`.
    ///
    /// # Errors
    /// A setting out of range, an instruction set that the processor does not support, data that do not fit the model,
    /// or a prior under which no particle has positive likelihood; all before the first move. [`Error::Ladder`] after 500
    /// temperatures if their progress shows that the ladder would not end.
    pub fn run<Mo: Model>(&self, model: &Mo) -> Result<Run, Error>
    where
        K: Moves<Mo>,
    {
        let posterior = Posterior::with(model, self.common.seed, self.common.arithmetic)?;
        self.run_on(&posterior)
    }
}

impl<K: Kernel> Smc<K> {
    /// Runs the sampler on a density.
    ///
    /// # Errors
    /// As [`Smc::run`]; [`Error::NoPrior`] if the density has no prior.
    pub fn run_on(&self, density: &dyn LogDensity) -> Result<Run, Error> {
        let sampler = self.sampler(density)?;
        let numbers: Vec<u64> = self.islands.clone().collect();
        let observers = self.common.observers(numbers.len());
        let groups: Vec<Result<Group, Error>> = numbers
            .into_par_iter()
            .enumerate()
            .map(|(place, number)| run_island(&sampler, number, (place, &observers)))
            .collect();
        let groups: Vec<Group> = groups.into_iter().collect::<Result<_, _>>()?;
        let dead = |island: &Group| island.log_evidence == Some(f64::NEG_INFINITY);
        // a part of a run counts in the whole also where all its islands have an evidence of zero
        if groups.iter().all(dead) && !self.is_part {
            let tried = groups.len() * self.settings.particles;
            return Err(no_start(density, self.common.seed, tried));
        }
        Ok(self.collect(density, groups))
    }

    /// The run of islands that were finished by a loop of your own.
    pub fn collect(&self, density: &dyn LogDensity, groups: Vec<Group>) -> Run {
        let weighting = (GroupKind::Islands, self.weighting);
        let settings = self.settings_as_text();
        self.common
            .run(density, &self.kernel, weighting, settings, groups)
    }

    /// The sampler of this run's islands on a density, for a loop of your own.
    ///
    /// # Errors
    /// A setting out of range, or a density without a proper prior.
    pub fn sampler<'a>(&'a self, density: &'a dyn LogDensity) -> Result<Sampler<'a>, Error> {
        self.validate()?;
        density.proper_prior(super::sampler::NEEDS_PRIOR)?;
        density.validate()?;
        self.kernel.validate(density)?;
        let mut tuning = self.kernel.init(density)?;
        // a step size fixed by the user is not changed
        if self.kernel.target_acceptance().is_some() {
            tuning.step_size_mixture = self.settings.step_size_mixture;
        }
        let mut origin = self.settings_as_text();
        let fingerprint = density.quantities().fingerprint();
        origin.insert("seed".to_owned(), self.common.seed.to_string());
        origin.insert("fingerprint".to_owned(), format!("{fingerprint:016x}"));
        Ok(Sampler {
            settings: &self.settings,
            density,
            kernel: &self.kernel,
            seed: self.common.seed,
            tuning,
            origin,
        })
    }

    fn validate(&self) -> Result<(), Error> {
        let islands = self.islands.end.saturating_sub(self.islands.start);
        let holds = (1..=MAX_ISLANDS).contains(&islands);
        Error::setting("islands", islands, holds, "from 1 to 1000000")?;
        let particles = self.settings.particles;
        Error::setting(
            "particles",
            particles,
            (2..=u32::MAX as usize).contains(&particles),
            "from 2 to 4294967295",
        )?;
        let kernel = self.kernel.name();
        Error::setting(
            "kernel",
            kernel,
            self.kernel.moves_together(),
            "`hmc`, `pcn` or `random_walk`; NUTS is for chains only, because its trajectories differ in length",
        )?;
        let range = self.settings.step_size_mixture;
        let holds = range >= 0.0 && range.is_finite();
        Error::setting(
            "step_size_mixture",
            range,
            holds,
            "a finite number, at least 0",
        )?;
        self.settings.path.validate()?;
        self.settings.mutations.validate()?;
        self.settings.schedule.validate()
    }

    /// The settings on which a result depends, except the range of islands.
    fn settings_as_text(&self) -> BTreeMap<String, String> {
        let settings = &self.settings;
        named_texts([
            ("particles", settings.particles.to_string()),
            ("kernel", format!("{:?}", self.kernel)),
            ("path", format!("{:?}", settings.path)),
            ("mutations", format!("{:?}", settings.mutations)),
            ("schedule", format!("{:?}", settings.schedule)),
            ("resampling", format!("{:?}", settings.resampling)),
            (
                "step_size_mixture",
                format!("{:?}", settings.step_size_mixture),
            ),
        ])
    }
}

impl<K: Kernel> Engine for Smc<K> {
    fn common(&self) -> &Common {
        &self.common
    }

    fn common_mut(&mut self) -> &mut Common {
        &mut self.common
    }

    fn run_on(&self, density: &dyn LogDensity) -> Result<Run, Error> {
        Self::run_on(self, density)
    }
}

/// Runs an island to the end of the path; `place` is its position in this run.
fn run_island(
    sampler: &Sampler<'_>,
    number: u64,
    (place, observer): (usize, &dyn Observer),
) -> Result<Group, Error> {
    let mut island = sampler.start(number)?;
    while !island.is_done() {
        sampler.advance(&mut island);
        if let Some(stage) = island.history.last() {
            observer.stage(place, stage, island.history.len());
        }
        doomed::check(sampler.density, &island)?;
    }
    observer.finish(place);
    Ok(sampler.finish(island))
}

/// The error if every initial particle has likelihood zero; it names the statement that excludes the first particle.
fn no_start(density: &dyn LogDensity, seed: u64, tried: usize) -> Error {
    let mut position = vec![0.0; density.dim()];
    let key = Key::new(seed, Purpose::Initial);
    density.draw_start(&mut key.stream(), &mut position);
    density.start_error(&position, tried)
}
