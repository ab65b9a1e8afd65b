//! The settings of every engine: seed, evaluation of the model, progress; and the run that an engine makes.

use super::save::checkpoint;
use super::save::shard::Shard;
use crate::density::{ArithmeticSettings, Equations, LogDensity, Posterior, equations};
use crate::error::Error;
use crate::kernel::Kernel;
use crate::model::{Compiled, Model};
use crate::observe::{Observer, Observers, Progress};
use crate::rng;
use crate::run::{FORMAT, Group, GroupKind, Run, Trajectories, Weighting};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Number of draws of each group at which the solutions of differential equations are compared with others.
const SOLVED_DRAWS: usize = 50;

/// The settings of every engine.
#[derive(Clone, Debug)]
pub struct Common {
    /// The name of the engine.
    pub engine: &'static str,
    /// The seed of every random number.
    pub seed: u64,
    /// The arithmetic of the model's evaluation.
    pub arithmetic: ArithmeticSettings,
    /// The part of the run that this process makes; the whole run by default.
    pub shard: Option<Shard>,
    /// The folder where the run is saved while it goes on, if any.
    pub checkpoint: Option<PathBuf>,
    /// The minimum time between two writes of an island, or of a group of chains.
    pub checkpoint_interval: Duration,
    /// The maximum memory of this process in bytes, by the estimate before the run.
    pub memory_limit: Option<u64>,
    /// Whether the run first searches for an improper posterior.
    pub checks_propriety: bool,
    /// Whether an approximation searches beyond its draws.
    pub searches_beyond: bool,
    /// Stops the run when it is true.
    pub stop: Option<Arc<AtomicBool>>,
    /// Whether to show progress on stderr, where that is a terminal.
    pub progress: bool,
    /// Additional observers of the run.
    pub observers: Vec<Arc<dyn Observer>>,
}

impl Common {
    /// Seed 0, arithmetic chosen by the library, progress shown.
    #[must_use]
    pub fn new(engine: &'static str) -> Self {
        Self {
            engine,
            seed: 0,
            arithmetic: ArithmeticSettings::default(),
            shard: None,
            checkpoint: None,
            checkpoint_interval: checkpoint::INTERVAL,
            memory_limit: None,
            checks_propriety: true,
            searches_beyond: true,
            stop: None,
            progress: true,
            observers: Vec::new(),
        }
    }

    /// The posterior of a model, for its evaluation with these settings.
    ///
    /// # Errors
    /// As [`Posterior::with`].
    pub fn posterior<'m, Mo: Model>(&self, model: &'m Mo) -> Result<Posterior<'m>, Error> {
        Posterior::with(model, self.seed, self.arithmetic)
    }

    /// Runs an engine on the posterior of a model. Not generic, so that the program of a user holds no code of posteriors.
    ///
    /// # Errors
    /// As [`Posterior::with`], and the errors of `run`.
    pub(super) fn run_on_model(
        &self,
        model: &dyn Compiled,
        run: &dyn Fn(&dyn LogDensity) -> Result<Run, Error>,
    ) -> Result<Run, Error> {
        run(&Posterior::of(model, self.seed, self.arithmetic)?)
    }

    /// The units of this process among `all`, which are islands or groups of chains; `units` says how many there are.
    ///
    /// # Errors
    /// [`Error::Setting`] if there is no such [`Shard`].
    pub(super) fn share(&self, all: Range<u64>, units: &str) -> Result<Range<u64>, Error> {
        match self.shard {
            Some(shard) => shard.share(all, units),
            None => Ok(all),
        }
    }

    /// The number of units of this process among this number; all of them if there is no such [`Shard`].
    pub(super) fn share_of(&self, units: usize) -> u64 {
        let all = 0..units as u64;
        let share = self.share(all.clone(), "").unwrap_or(all);
        share.end - share.start
    }

    /// The `whole` run, if the groups of this process are only a part of it.
    pub(super) fn part_of(&self, whole: Range<u64>, is_complete: bool) -> Option<Range<u64>> {
        (self.shard.is_some() || !is_complete).then_some(whole)
    }

    /// The folder of checkpoints of this process, if there is one: every shard has a subfolder of the common folder.
    #[must_use]
    pub fn checkpoint_folder(&self) -> Option<PathBuf> {
        let folder = self.checkpoint.as_ref()?;
        Some(match self.shard {
            Some(shard) => folder.join(shard.folder()),
            None => folder.clone(),
        })
    }

    /// Whether this process has a folder of checkpoints with saved files of a run. The files are not read and may belong to another run.
    /// Files of [shards](Self::saved_parts) do not count.
    #[must_use]
    pub fn has_checkpoints(&self) -> bool {
        self.checkpoint_folder()
            .is_some_and(|folder| checkpoint::has_files(&folder))
    }

    /// The number of parts of a run whose shards or MPI processes saved files in the folder of checkpoints; the largest number if there
    /// are several runs.
    #[must_use]
    pub fn saved_parts(&self) -> Option<usize> {
        checkpoint::parts(self.checkpoint.as_ref()?)
    }

    /// Refuses the settings of runs that can be divided and saved: an engine without islands or chains has one part, which is made at once.
    ///
    /// # Errors
    /// [`Error::Setting`].
    pub(super) fn refuse_parts(&self) -> Result<(), Error> {
        let allowed = format!(
            "left out with {}, which has no islands or chains",
            self.engine
        );
        let refused = |setting, is_given: bool| Error::setting(setting, "set", !is_given, &allowed);
        refused("shard", self.shard.is_some())?;
        refused("checkpoint", self.checkpoint.is_some())?;
        refused("memory_limit", self.memory_limit.is_some())
    }

    /// Whether the user wants the run to stop.
    pub(super) fn is_stopped(&self) -> bool {
        let stop = self.stop.as_ref();
        stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// All observers of a run with this number of groups.
    #[must_use]
    pub fn observers(&self, groups: usize) -> Observers {
        let mut observers = self.observers.clone();
        let progress = Progress::new(self.progress, groups);
        if !progress.is_hidden() {
            observers.push(Arc::new(progress));
        }
        let observers = Observers(observers);
        observers.start(groups);
        observers
    }

    /// The run with these groups, all of this kind.
    ///
    /// # Panics
    /// If a group is of another kind.
    #[must_use]
    pub fn run(
        &self,
        density: &dyn LogDensity,
        kernel: &dyn Kernel,
        (kind, weighting): (GroupKind, Weighting),
        settings: BTreeMap<String, String>,
        groups: Vec<Group>,
    ) -> Run {
        let gradient_fault = match kernel.needs_gradient() {
            true => density.gradient_fault(),
            false => None,
        };
        let mut trajectories = groups.iter().filter_map(Group::trajectories);
        let products = match trajectories.any(Trajectories::is_troubled) {
            true => density.products(),
            false => Vec::new(),
        };
        let run = self.run_without_kernel(density, (kind, weighting), settings, groups);
        Run {
            kernel: kernel.name().to_owned(),
            gradient_fault,
            products,
            ..run
        }
    }

    /// The run of an approximation: one group of independent draws.
    pub(super) fn run_of_draws(
        &self,
        density: &dyn LogDensity,
        settings: BTreeMap<String, String>,
        draws: Group,
    ) -> Run {
        let kind = (GroupKind::Independent, Weighting::Equal);
        self.run_without_kernel(density, kind, settings, vec![draws])
    }

    /// The run with these groups of an engine without a kernel; the name of the engine takes the place of the kernel's name.
    ///
    /// # Panics
    /// If a group is of another kind.
    pub fn run_without_kernel(
        &self,
        density: &dyn LogDensity,
        (kind, weighting): (GroupKind, Weighting),
        settings: BTreeMap<String, String>,
        mut groups: Vec<Group>,
    ) -> Run {
        let is_of_kind = |group: &Group| group.origin.kind() == kind;
        assert!(groups.iter().all(is_of_kind), "the groups are {kind:?}");
        let description = density.describe();
        let equations = equations_at_draws(density, &groups);
        if !equations.is_empty() {
            groups.iter_mut().for_each(|g| blame_equations(density, g));
        }
        Run {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            random_numbers: rng::fingerprint().to_owned(),
            model: description.name,
            fingerprint: format!("{:016x}", density.quantities().fingerprint()),
            observed_data: observed_data_as_text(density),
            engine: self.engine.to_owned(),
            kernel: self.engine.to_owned(),
            settings,
            seed: self.seed,
            arithmetic: description.arithmetic,
            gradient_fault: None,
            rounded_priors: density.quantities().rounded_priors(),
            equations,
            products: Vec::new(),
            not_compared: false,
            kind,
            weighting,
            layout: description.layout,
            source: description.source,
            recipe: description.recipe,
            memory_limit: self.memory_limit,
            statements: description.statements,
            part_of: None,
            is_stopped: false,
            groups,
        }
    }
}

/// The hash of the observed values as a run stores it.
fn observed_data_as_text(density: &dyn LogDensity) -> String {
    let hash = density.quantities().observed_data();
    hash.map_or(String::new(), |hash| format!("{hash:016x}"))
}

/// How well the differential equations are solved at some draws of each group: as many of each, so that parts of a run can be merged.
fn equations_at_draws(density: &dyn LogDensity, groups: &[Group]) -> Vec<Equations> {
    let dim = density.dim().max(1);
    let some = |group: &'_ Group| {
        let draws = group.positions.len() / dim;
        let number = draws.min(SOLVED_DRAWS);
        let chosen = (0..number).map(move |i| (2 * i + 1) * draws / (2 * number));
        chosen.map(|draw| draw * dim..(draw + 1) * dim)
    };
    let groups = groups.iter();
    let positions = groups.flat_map(|group| some(group).map(|place| &group.positions[place]));
    equations::at_positions(density.quantities(), positions)
}

/// Notes which densities were NaN beside differential equations that are not solved there: they may be the cause.
fn blame_equations(density: &dyn LogDensity, group: &mut Group) {
    for count in group.counts.non_finite.values_mut() {
        let first = match count.cause {
            None => count.any_first_nan(),
            Some(_) => None,
        };
        count.cause = first
            .and_then(|first| density.inexact_equations(&first.position))
            .or(count.cause.take());
    }
}

/// Settings by name, as they are stored with a run.
pub(super) fn named_texts<const N: usize>(
    settings: [(&str, String); N],
) -> BTreeMap<String, String> {
    settings.map(|(name, text)| (name.to_owned(), text)).into()
}
