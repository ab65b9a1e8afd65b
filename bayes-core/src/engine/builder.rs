//! The common part of all engine builders: seed, evaluation of the model, progress, and the resulting run.

use super::save::checkpoint;
use super::save::shard::Shard;
use crate::density::{ArithmeticSettings, Equations, LogDensity, equations};
use crate::error::Error;
use crate::kernel::Kernel;
use crate::observe::{Observer, Observers, Progress};
use crate::rng;
use crate::run::{FORMAT, Group, GroupKind, Run, Trajectories, Weighting};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
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
            stop: None,
            progress: true,
            observers: Vec::new(),
        }
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

    /// The run with these groups.
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
        let mut trajectories = groups.iter().filter_map(|g| g.trajectories.as_ref());
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
    pub fn run_without_kernel(
        &self,
        density: &dyn LogDensity,
        (kind, weighting): (GroupKind, Weighting),
        settings: BTreeMap<String, String>,
        groups: Vec<Group>,
    ) -> Run {
        let description = density.describe();
        Run {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            random_numbers: rng::fingerprint().to_owned(),
            model: description.name,
            fingerprint: format!("{:016x}", density.quantities().fingerprint()),
            engine: self.engine.to_owned(),
            kernel: self.engine.to_owned(),
            settings,
            seed: self.seed,
            arithmetic: description.arithmetic,
            gradient_fault: None,
            rounded_priors: density.quantities().rounded_priors(),
            equations: equations_at_draws(density, &groups),
            products: Vec::new(),
            kind,
            weighting,
            layout: description.layout,
            source: description.source,
            recipe: description.recipe,
            statements: description.statements,
            part_of: None,
            is_stopped: false,
            groups,
        }
    }
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

/// Settings by name, as they are stored with a run.
pub(super) fn named_texts<const N: usize>(
    settings: [(&str, String); N],
) -> BTreeMap<String, String> {
    settings.map(|(name, text)| (name.to_owned(), text)).into()
}

/// The setters of [`Common`], for the `impl` of a builder with a field `common`, or with another path: `common_setters!(map.common)`.
macro_rules! common_setters {
    () => {
        common_setters!(common);
    };
    ($($field:ident).+) => {
        /// How gradients are computed; reverse mode by default.
        pub fn gradient(mut self, gradient: crate::density::GradientMode) -> Self {
            self.$($field).+.arithmetic.gradient = gradient;
            self
        }

        /// The instruction set; by default the fastest of the processor. Results may differ in the last bits between
        /// instruction sets.
        pub fn instruction_set(mut self, level: bayes_autodiff::simd::InstructionSet) -> Self {
            self.$($field).+.arithmetic.instruction_set = Some(level);
            self
        }

        /// The seed of all random numbers. The same seed gives the same bits for any number of threads.
        pub fn seed(mut self, seed: u64) -> Self {
            self.$($field).+.seed = seed;
            self
        }

        /// Adds an observer, which is called during the run.
        pub fn observer(mut self, observer: std::sync::Arc<dyn crate::observe::Observer>) -> Self {
            self.$($field).+.observers.push(observer);
            self
        }

        /// Whether to show progress on stderr (only if that is a terminal).
        pub fn progress(mut self, show: bool) -> Self {
            self.$($field).+.progress = show;
            self
        }
    };
}
pub(super) use common_setters;

/// The setters of [`Common`] for builders whose groups never communicate, so that a run can be spread over processes, saved and
/// continued. The builder has a field `runner.common`.
macro_rules! unit_setters {
    () => {
        /// Only part `index`, from 0, of `of` parts of a run that is spread over several processes.
        ///
        /// [`Run::merge`](crate::run::Run::merge) turns all parts, in any order, into the bytes of the whole run. Islands are dealt one
        /// by one. Chains are dealt in groups that are tuned together: 16 chains, or 8 with parallel tempering.
        pub fn shard(mut self, index: usize, of: usize) -> Self {
            self.runner.common.shard = Some(crate::engine::Shard { index, of });
            self
        }

        /// Saves the run in this folder while it goes on. After the process ended for any reason, the same command continues from the
        /// saved state and gives the bytes of an uninterrupted run. After the run was finished, the command returns the result at once.
        ///
        /// An island can continue from each temperature. A group of chains can continue from the end of each window of its burn-in
        /// (Stan's), and later from any draw; parallel tempering from any scan. Unfinished islands or groups are written at most every
        /// ten seconds (see `checkpoint_interval`), finished ones together.
        ///
        /// The folder is created if it is missing; each run needs its own. If the folder holds a run with another model, data, engine,
        /// settings, seed, version or instruction set, the run ends before it begins with
        /// [`Error::Checkpoint`](crate::Error::Checkpoint), which names the difference; the number of islands may differ. If another
        /// process writes to the folder, the error is [`FileError::InUse`](crate::run::FileError::InUse). Damaged files are renamed to
        /// `.damaged`, and their contents are computed again. [`Observer::trouble`](crate::observe::Observer::trouble) receives a message
        /// about each damaged file and each failed write; neither stops the run. A density written by hand needs
        /// [`Quantities::fingerprint`](crate::density::Quantities::fingerprint).
        pub fn checkpoint(mut self, folder: impl Into<std::path::PathBuf>) -> Self {
            self.runner.common.checkpoint = Some(folder.into());
            self
        }

        /// The minimum time between two checkpoints of an unfinished island or group of chains; ten seconds by default. The pause after a
        /// write lasts at least 200 times as long as the write, so that checkpoints take less than 1% of the time. With zero, the run
        /// writes at every possible point.
        pub fn checkpoint_interval(mut self, interval: std::time::Duration) -> Self {
            self.runner.common.checkpoint_interval = interval;
            self
        }

        /// Refuses to begin a run that would take more bytes of memory, with [`Error::Memory`](crate::Error::Memory), which lists smaller
        /// runs that fit. The estimate follows from the numbers of draws, coordinates and threads.
        /// [`Observer::memory`](crate::observe::Observer::memory) always receives the estimate, and `model.check(..)` prints it for the
        /// defaults. The estimate leaves out the data, the recording of the model and, with an adaptive ladder of parallel tempering, the
        /// temperatures beyond 16. If the run is spread over several processes, the limit is for this process alone.
        pub fn memory_limit(mut self, bytes: u64) -> Self {
            self.runner.common.memory_limit = Some(bytes);
            self
        }

        /// Whether to search for an improper posterior before the run, and to refuse it with [`Error::Improper`](crate::Error::Improper);
        /// `true` by default. The search climbs from a few draws of the prior, in at most 200 coordinates, and takes some hundred
        /// gradients, at most 30,000.
        pub fn check_propriety(mut self, check: bool) -> Self {
            self.runner.common.checks_propriety = check;
            self
        }

        /// Stops the run soon after `flag` becomes true. No further island or group of chains begins. Running ones stop at the next
        /// possible checkpoint, and are saved if there is a folder of checkpoints. The library handles no signals by itself; with the
        /// crate signal-hook, `signal_hook::flag::register(SIGINT, Arc::clone(&flag))` lets Ctrl-C set the flag.
        ///
        /// The result is a run of the finished islands or chains, with a warning, because quick islands are then too frequent. If none is
        /// finished, the error is [`Error::Stopped`](crate::Error::Stopped).
        pub fn stop_when(mut self, flag: std::sync::Arc<std::sync::atomic::AtomicBool>) -> Self {
            self.runner.common.stop = Some(flag);
            self
        }
    };
}
pub(super) use unit_setters;

/// The method `run_to_file`, beside `run`, of a builder with a field `runner` and with the same bounds on the model `Mo`.
macro_rules! run_to_file {
    ($Mo:ident: $($bounds:tt)+) => {
        /// Same as [`run`](Self::run), with the draws in a file. Islands and groups of chains leave memory when they are finished, so
        /// that memory depends only on the number of running ones. The file has the bytes of [`Run::save`](crate::run::Run::save) of the
        /// same run.
        ///
        /// ```text
        /// let file = Inference::psmc().islands(100_000).run_to_file(&model, "all.run")?;
        /// println!("{}", file.select(["mu", "tau"])?);     // a run with these quantities alone
        /// ```
        ///
        /// During the run the finished groups are in a file beside the result, whose name ends in `.unsaved`. A run that may be killed
        /// also needs [`checkpoint`](Self::checkpoint); finished groups then leave memory once they are in the folder of checkpoints. For
        /// a while there are two copies of the draws on the disk, with checkpoints three. If the last write fails, for example on a full
        /// disk, and the checkpoints are incomplete, `.unsaved` stays, and [`RunFile::open`](crate::run::RunFile::open) reads it. If
        /// `.unsaved` found no room either, the run goes to the folder for temporary files, or else comes back in the error.
        ///
        /// The file always holds a whole run. The finished groups of a stopped run are in the folder of checkpoints, and the error is
        /// [`Error::Stopped`](crate::Error::Stopped). Without such a folder they are in the file of
        /// [`Run::file_for`](crate::run::Run::file_for).
        ///
        /// # Errors
        /// The errors of [`run`](Self::run); [`Error::Run`](crate::Error::Run) and [`Error::File`](crate::Error::File) if the file cannot
        /// be written, before the run where possible; [`FileError::Unsaved`](crate::run::FileError::Unsaved) if the draws are in another
        /// file, and [`Error::NotSaved`](crate::Error::NotSaved) if they are in memory.
        pub fn run_to_file<$Mo: Model>(
            &self,
            model: &$Mo,
            path: impl AsRef<std::path::Path>,
        ) -> Result<RunFile, Error>
        where
            $($bounds)+
        {
            let common = &self.runner.common;
            let posterior = Posterior::with(model, common.seed, common.arithmetic)?;
            self.run_to_file_on(&posterior, path)
        }
    };
}
pub(super) use run_to_file;

/// The method `run_to_file_on`, beside `run_on`, of a builder with a method `spooled`.
macro_rules! run_to_file_on {
    () => {
        /// Same as [`run_on`](Self::run_on), with the draws in a file; see [`run_to_file`](Self::run_to_file).
        ///
        /// # Errors
        /// The errors of [`run_on`](Self::run_on), and errors of the file.
        pub fn run_to_file_on(
            &self,
            density: &dyn LogDensity,
            path: impl AsRef<std::path::Path>,
        ) -> Result<RunFile, Error> {
            let path = path.as_ref();
            crate::run::Run::may_save(path)?;
            let made = self.spooled(density, Spool::beside(path)?)?;
            made.into_file(path, &self.runner.common)
        }
    };
}
pub(super) use run_to_file_on;

/// Implements [`Engine`](super::Engine) for a builder with a kernel, a field `runner` with methods `units` and `memory`, and methods
/// `run_on` and `run_to_file_on`.
macro_rules! engine {
    ($builder:ident) => {
        impl<K: crate::kernel::Kernel> crate::engine::Engine for $builder<K> {
            fn common(&self) -> &Common {
                &self.runner.common
            }

            fn common_mut(&mut self) -> &mut Common {
                &mut self.runner.common
            }

            fn units(&self) -> usize {
                self.runner.units()
            }

            fn memory(&self, density: &dyn LogDensity) -> Option<crate::observe::Memory> {
                Some(self.runner.memory(density))
            }

            fn run_on(&self, density: &dyn LogDensity) -> Result<Run, Error> {
                Self::run_on(self, density)
            }

            fn run_to_file_on(
                &self,
                density: &dyn LogDensity,
                path: &std::path::Path,
            ) -> Result<crate::run::RunFile, Error> {
                Self::run_to_file_on(self, density, path)
            }
        }
    };
}
pub(super) use engine;
