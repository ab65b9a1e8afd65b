//! A run of an engine on the program's model: its files and its summary.

use crate::again::differences;
use crate::data;
use crate::options;
use crate::output;
use crate::replace::{self, Identity};
use crate::room::{self, Unwritten};
use crate::stop;
use crate::task::{Fault, Outcome, seed};
use bayes_core::Error;
use bayes_core::density::LogDensity;
use bayes_core::diagnose::{Failure, FailureKind};
#[cfg(feature = "mpi")]
use bayes_core::engine::Mpi;
use bayes_core::engine::{Engine, Shard};
use bayes_core::observe::{JsonLines, Observer};
use bayes_core::run::{KeptRun, Run, RunError, RunFile};
use clap::ArgMatches;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The last line of the summary of a run, if it has one.
pub(crate) type More<'a> = dyn Fn(&Run) -> Result<Option<String>, Error> + 'a;

/// An engine, and the destination of its run.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) engine: Box<dyn Engine>,
    out: Option<PathBuf>,
    /// Whether `out` may have the run of another command.
    replace: bool,
    /// The quantities that are summarised, if not all: then finished islands and chains leave memory for `out`.
    only: Vec<String>,
    /// The command that shows the failures of the run, if it is saved.
    explain: Option<String>,
    /// Whether the folder of checkpoints may be incomplete.
    unwritten: Arc<Unwritten>,
    /// The run that this one updates, without its draws.
    pub(crate) first: Option<Run>,
    /// Whether the processes of an MPI program share the work.
    #[cfg(feature = "mpi")]
    mpi: bool,
}

impl Running {
    pub(crate) fn new(matches: &ArgMatches) -> Result<Self, Fault> {
        let engine = options::settings(matches).engine().map_err(Fault::Option)?;
        Self::of(engine, seed(matches), matches)
    }

    /// Updates a run: with its settings and its seed, but for those of the command line.
    pub(crate) fn after(mut first: Run, matches: &ArgMatches) -> Result<Self, Fault> {
        let settings = options::settings_after(&first, matches).map_err(Fault::Option)?;
        let engine = settings.engine().map_err(Fault::Option)?;
        let seed = matches.get_one::<u64>("seed").copied();
        let seed = seed.unwrap_or(first.seed);
        first.groups.clear();
        let running = Self {
            first: Some(first),
            ..Self::of(engine, seed, matches)?
        };
        output::complain(&format!("settings: {settings} --seed {seed}"));
        Ok(running)
    }

    fn of(mut engine: Box<dyn Engine>, seed: u64, matches: &ArgMatches) -> Result<Self, Fault> {
        let common = engine.common_mut();
        common.seed = seed;
        common.stop = Some(stop::on_signal()?);
        common.shard = matches.get_one::<Shard>("shard").copied();
        common.checkpoint = output::checkpoint(matches)?;
        let progress = matches.get_one::<String>("progress").map(String::as_str);
        if let Some(seconds) = matches.get_one::<f64>("checkpoint-interval") {
            common.checkpoint_interval = Duration::from_secs_f64(*seconds);
        }
        common.progress = progress == Some("auto");
        match progress {
            // MPI programs report trouble themselves
            Some("auto") => {}
            Some("json") => common.observers.push(Arc::new(JsonLines::to_stderr())),
            _ => common.observers.push(Arc::new(Troubles)),
        }
        let unwritten = Arc::new(Unwritten::default());
        common.observers.push(unwritten.clone());
        let out = matches.get_one::<PathBuf>("out").cloned();
        // before hours of work
        if let Some(path) = &out {
            Run::may_save(path).map_err(Error::from)?;
        }
        Ok(Self {
            engine,
            out,
            replace: matches.get_flag("replace"),
            explain: explain(matches),
            unwritten,
            first: None,
            only: matches
                .get_many("only")
                .map_or_else(Vec::new, |names| names.cloned().collect()),
            #[cfg(feature = "mpi")]
            mpi: matches.get_flag("mpi"),
        })
    }

    /// Checks that the folder of checkpoints holds part of a run that this command would continue.
    ///
    /// # Errors
    /// In words, if it does not.
    pub(crate) fn has_begun(&self) -> Result<(), String> {
        let common = self.engine.common();
        let parts = common.saved_parts();
        let has_begun = match self.is_in_parts() {
            true => parts.is_some(),
            false => common.has_checkpoints(),
        };
        if has_begun {
            return Ok(());
        }
        let folder = common.checkpoint_folder().unwrap_or_default();
        let folder = folder.display();
        Err(match parts.filter(|_| common.shard.is_none()) {
            Some(parts) => format!(
                "`{folder}` holds a run in {parts} parts, which go on with the `--shard` or `--mpi` with which they began"
            ),
            None => format!("`{folder}` holds no run that was interrupted; `run` begins one"),
        })
    }

    /// Whether MPI processes share the work.
    fn is_in_parts(&self) -> bool {
        #[cfg(feature = "mpi")]
        return self.mpi && self.engine.units() > 1;
        #[cfg(not(feature = "mpi"))]
        false
    }

    /// Runs, saves and summarises; `more` makes the last line of the summary, if it has one. The code is the same for all models.
    pub(crate) fn run_on(
        &mut self,
        density: &dyn LogDensity,
        more: &More<'_>,
    ) -> Result<Outcome, Error> {
        // before hours of work
        if let Some(out) = self.out.as_ref().filter(|_| !self.replace) {
            replace::check(out, &Identity::to_be(&*self.engine, density))?;
        }
        #[cfg(feature = "mpi")]
        if self.mpi {
            let mpi = Mpi::start().expect("a program has one task");
            return match mpi.run_on(self.engine.as_mut(), density)? {
                Some(run) => self.done(run, more),
                // the first process has the run
                None => Ok(Outcome::of(String::new())),
            };
        }
        match &self.out {
            Some(out) if !self.only.is_empty() => self.run_to_file(density, out),
            _ => self.done(self.engine.run_on(density)?, more),
        }
    }

    /// Runs with the draws in the file, and summarises some quantities.
    fn run_to_file(&self, density: &dyn LogDensity, out: &Path) -> Result<Outcome, Error> {
        let layout = density.describe().layout;
        if let Some(unknown) = self.only.iter().find(|name| layout.find(name).is_none()) {
            return Err(RunError::unknown_name(unknown, layout.names()).into());
        }
        let file = match self.engine.run_to_file_on(density, out) {
            Err(Error::Stopped { finished, .. }) if finished > 0 => return Ok(Self::goes_on()),
            Err(Error::NotSaved { run, .. }) => {
                let place = run.run().file_for(out);
                self.save(run.run(), &place)?;
                RunFile::open(place)?
            }
            made => made?,
        };
        let is_stopped = file.run().is_stopped;
        let part = file.select(&self.only)?;
        Ok(Outcome {
            text: output::shown_in_part(&part)
                + &self.how_it_differs(&part)
                + &self.how_to_explain(&part),
            stopped: is_stopped.then(|| stopped_in_part(Some(file.path()))),
        })
    }

    /// Saves a run and reports where it is.
    fn done(&self, run: Run, more: &More<'_>) -> Result<Outcome, Error> {
        if run.is_stopped && self.has_saved() {
            return Ok(Self::goes_on());
        }
        let text = output::shown(&run) + &self.how_it_differs(&run);
        let place = self.out.as_ref().map(|out| run.file_for(out));
        if let Some(Err(error)) = place.as_ref().map(|place| self.save(&run, place)) {
            // the findings are at least printed
            return Ok(Outcome {
                text,
                stopped: Some(format!("error: {error}")),
            });
        }
        let last = match more(&run) {
            Ok(line) => line.map_or_else(String::new, |line| line + "\n"),
            // the run is saved, and its summary is there
            Err(error) => {
                output::complain(&error.to_string());
                String::new()
            }
        };
        Ok(Outcome {
            text: text + &last + &self.how_to_explain(&run),
            stopped: run.is_stopped.then(|| stopped_in_part(place.as_deref())),
        })
    }

    /// Whether the folder of checkpoints holds everything that is finished.
    fn has_saved(&self) -> bool {
        self.engine.common().checkpoint.is_some() && !self.unwritten.any()
    }

    /// Saves a run. If that fails and no folder of checkpoints holds the run, the run is saved elsewhere.
    fn save(&self, run: &Run, place: &Path) -> Result<(), RunError> {
        match self.has_saved() {
            true => run.save(place),
            false => room::saved(run, place, self.engine.common().stop.as_deref()),
        }
    }

    /// The outcome for a stopped run that is in its folder of checkpoints.
    fn goes_on() -> Outcome {
        Outcome {
            text: String::new(),
            stopped: Some("stopped; the same command goes on from here".to_owned()),
        }
    }

    /// The settings in which a run differs from the one that it updates: the given ones, and those that no option has.
    fn how_it_differs(&self, run: &Run) -> String {
        let differs = match &self.first {
            Some(first) if first.engine == run.engine => {
                differences(&first.settings, &run.settings)
            }
            Some(first) => Some(format!("engine {} (before {})\n", run.engine, first.engine)),
            None => None,
        };
        differs.unwrap_or_default()
    }

    /// The command that evaluates the model again at its first failure, if there was one.
    fn how_to_explain(&self, run: &Run) -> String {
        // points outside of a support are not failures
        let has_failed = |row: &Failure| row.kind != FailureKind::Infinite;
        match &self.explain {
            Some(command)
                if !run.warnings().is_empty() && run.failures().rows.iter().any(has_failed) =>
            {
                format!("what failed, and what the model does there: {command}\n")
            }
            _ => String::new(),
        }
    }
}

/// The message about a run that was stopped without a folder of checkpoints. A file holds the finished part, if
/// there is one.
fn stopped_in_part(place: Option<&Path>) -> String {
    let place = place.map_or_else(String::new, |place| {
        format!("; those that were are in {}", place.display())
    });
    format!(
        "stopped before all islands or chains were finished{place}; with --checkpoint FOLDER the same command would go on"
    )
}

/// The command that explains the failures of the run that will be saved.
fn explain(matches: &ArgMatches) -> Option<String> {
    let out = matches.get_one::<PathBuf>("out")?.display();
    let program = std::env::args().next().unwrap_or_default();
    let data = data::files(matches).map(|path| format!(" --data {}", path.display()));
    Some(format!(
        "{program} explain {out}{}",
        data.collect::<String>()
    ))
}

/// Reports trouble that does not stop a run, and nothing else.
#[derive(Debug)]
struct Troubles;

impl Observer for Troubles {
    fn trouble(&self, error: &Error) {
        output::complain(&format!("warning: {error}"));
    }
}
