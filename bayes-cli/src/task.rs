//! The task of a program with its model.

use crate::command::required;
use crate::data;
use crate::options;
use crate::output;
use crate::prediction::predictions;
use crate::replace::{self, Identity};
use crate::room::{self, Unwritten};
use crate::stop;
use bayes_core::Error;
use bayes_core::density::{LogDensity, Posterior};
use bayes_core::diagnose::{Failure, FailureKind};
#[cfg(feature = "mpi")]
use bayes_core::engine::Mpi;
use bayes_core::engine::{Engine, Shard};
use bayes_core::inspect::{Check, Inspect};
use bayes_core::model::Model;
use bayes_core::observe::{JsonLines, Observer};
use bayes_core::predict::NewGroups;
use bayes_core::run::{KeptRun, Run, RunError, RunFile};
use bayes_core::sbc::{SimulatedData, sbc};
use bayes_plot::Report;
use clap::ArgMatches;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Default number of simulated data sets.
const SIMULATIONS: usize = 200;

/// A command that needs the model, with its options.
#[derive(Debug)]
pub struct Task(Work);

#[derive(Debug)]
enum Work {
    Run(Box<Running>),
    Check(Check),
    Calibrate(Box<Calibrating>),
    /// A run, and further runs by the names of their files.
    Report {
        run: Run,
        others: Vec<(String, Run)>,
        out: PathBuf,
    },
    Predict {
        run: Run,
        new_groups: NewGroups,
        out: Option<PathBuf>,
    },
    Loo {
        run: Run,
        out: Option<PathBuf>,
        json: bool,
    },
    Explain(Run),
    /// A command that the program answers itself, and the run that it reads.
    Ask {
        question: String,
        run: Option<Run>,
    },
    /// A folder for ArviZ; other formats need no model.
    Export {
        run: Run,
        out: PathBuf,
    },
}

/// An engine whose posteriors are compared with simulated truths.
#[derive(Debug)]
struct Calibrating {
    /// The options of the engine, which is made anew for every simulation.
    matches: ArgMatches,
    simulations: usize,
    /// A picture of the ranks.
    out: Option<PathBuf>,
}

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
    /// Whether the processes of an MPI program share the work.
    #[cfg(feature = "mpi")]
    mpi: bool,
}

/// The result for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Text for standard output.
    pub(crate) text: String,
    /// Why the work was not finished.
    pub(crate) stopped: Option<String>,
}

impl Outcome {
    /// A text for standard output.
    #[must_use]
    pub fn of(text: String) -> Self {
        Self {
            text,
            stopped: None,
        }
    }

    /// A text for a file, or for standard output without a file.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be written.
    pub fn to(file: Option<&Path>, text: String) -> Result<Self, Error> {
        match file {
            Some(file) => {
                output::write(file, &text)?;
                Ok(Self::of(String::new()))
            }
            None => Ok(Self::of(text)),
        }
    }
}

/// A fault found before the model exists.
#[derive(Debug)]
pub(crate) enum Fault {
    /// A fault in the options, in words.
    Option(String),
    /// A fault in a file.
    File(Error),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::File(error)
    }
}

impl Task {
    /// The task of a command.
    pub(crate) fn new(command: &str, matches: &ArgMatches) -> Result<Self, Fault> {
        let run = || Run::load(required(matches, "run")).map_err(Error::from);
        Ok(Self(match command {
            "run" | "sample" | "fit" => Work::Run(Box::new(Running::new(matches)?)),
            "resume" => {
                let running = Running::new(matches)?;
                running.has_begun().map_err(Fault::Option)?;
                Work::Run(Box::new(running))
            }
            "check" => Work::Check(Check::new().seed(seed(matches))),
            "sbc" => Work::Calibrate(Box::new(Calibrating::new(matches)?)),
            "report" => Work::Report {
                run: run()?,
                others: other_runs(matches)?,
                out: output::checked(required(matches, "out"))?,
            },
            "predict" => Work::Predict {
                run: run()?,
                new_groups: match matches.get_flag("new-groups") {
                    true => NewGroups::Draw,
                    false => NewGroups::Refuse,
                },
                out: output::file(matches)?,
            },
            "explain" => Work::Explain(run()?),
            "priors" => Work::Ask {
                question: command.to_owned(),
                run: None,
            },
            "loo" => Work::Loo {
                run: run()?,
                out: output::file(matches)?,
                json: matches.get_flag("json"),
            },
            "export" => Work::Export {
                run: run()?,
                out: required(matches, "out"),
            },
            _ => Work::Ask {
                question: command.to_owned(),
                run: Some(run()?),
            },
        }))
    }

    /// The run that the task reads, if any.
    #[must_use]
    pub fn run(&self) -> Option<&Run> {
        match &self.0 {
            Work::Report { run, .. }
            | Work::Predict { run, .. }
            | Work::Loo { run, .. }
            | Work::Explain(run)
            | Work::Export { run, .. } => Some(run),
            Work::Ask { run, .. } => run.as_ref(),
            Work::Run(_) | Work::Check(_) | Work::Calibrate(_) => None,
        }
    }

    /// The command, if the program answers it itself by [`Outcome::of`]; the task then has no work.
    #[must_use]
    pub fn question(&self) -> Option<&str> {
        match &self.0 {
            Work::Ask { question, .. } => Some(question),
            _ => None,
        }
    }

    /// Whether the task predicts, so that the table's observed columns do not matter.
    #[must_use]
    pub fn predicts(&self) -> bool {
        matches!(self.0, Work::Predict { .. })
    }

    /// Does the work with the model.
    ///
    /// # Errors
    /// The errors of the engine or the query.
    pub fn perform<Mo: Model>(&mut self, model: &Mo) -> Result<Outcome, Error> {
        match &mut self.0 {
            Work::Run(running) => {
                let common = running.engine.common();
                running.run_on(&Posterior::with(model, common.seed, common.arithmetic)?)
            }
            Work::Check(check) => Ok(Outcome::of(format!("{}\n", model.check(*check)?))),
            Work::Calibrate(calibrating) => calibrating.on(model),
            Work::Report { run, others, out } => {
                let report = Report::new(run).model(model)?;
                for (name, other) in others.iter() {
                    let checked = other.predict(model).and_then(|found| found.check_data());
                    checked.map_err(|error| of_run(error, name))?;
                }
                let others = others.iter();
                let report = others.fold(report, |report, (name, run)| report.run(name, run));
                report.save(out)?;
                Ok(Outcome::of(String::new()))
            }
            Work::Predict {
                run,
                new_groups,
                out,
            } => {
                let text = predictions(&run.predict_with(model, *new_groups)?)?;
                Outcome::to(out.as_deref(), text)
            }
            Work::Loo { run, out, json } => {
                let loo = run.loo(model)?;
                if let Some(out) = out {
                    loo.save(out)?;
                }
                Ok(Outcome::of(match json {
                    true => format!("{}\n", loo.record()),
                    false => format!("{loo}\n"),
                }))
            }
            Work::Explain(run) => Ok(Outcome::of(explained(run, model)?)),
            Work::Ask { .. } => Ok(Outcome::of(String::new())),
            Work::Export { run, out } => {
                run.to_arviz_with(model, out)?;
                Ok(Outcome::of(String::new()))
            }
        }
    }
}

impl Running {
    pub(crate) fn new(matches: &ArgMatches) -> Result<Self, Fault> {
        let mut engine = options::settings(matches).engine().map_err(Fault::Option)?;
        let common = engine.common_mut();
        common.seed = seed(matches);
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

    /// Runs, saves and summarises. The code is the same for all models.
    pub(crate) fn run_on(&mut self, density: &dyn LogDensity) -> Result<Outcome, Error> {
        // before hours of work
        if let Some(out) = self.out.as_ref().filter(|_| !self.replace) {
            replace::check(out, &Identity::to_be(&*self.engine, density))?;
        }
        #[cfg(feature = "mpi")]
        if self.mpi {
            let mpi = Mpi::start().expect("a program has one task");
            return match mpi.run_on(self.engine.as_mut(), density)? {
                Some(run) => self.done(run),
                // the first process has the run
                None => Ok(Outcome::of(String::new())),
            };
        }
        match &self.out {
            Some(out) if !self.only.is_empty() => self.run_to_file(density, out),
            _ => self.done(self.engine.run_on(density)?),
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
            text: output::shown_in_part(&part) + &self.how_to_explain(&part),
            stopped: is_stopped.then(|| stopped_in_part(Some(file.path()))),
        })
    }

    /// Saves a run and reports where it is.
    fn done(&self, run: Run) -> Result<Outcome, Error> {
        if run.is_stopped && self.has_saved() {
            return Ok(Self::goes_on());
        }
        let text = output::shown(&run);
        let place = self.out.as_ref().map(|out| run.file_for(out));
        if let Some(Err(error)) = place.as_ref().map(|place| self.save(&run, place)) {
            // the findings are at least printed
            return Ok(Outcome {
                text,
                stopped: Some(format!("error: {error}")),
            });
        }
        Ok(Outcome {
            text: text + &self.how_to_explain(&run),
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

impl Calibrating {
    fn new(matches: &ArgMatches) -> Result<Self, Fault> {
        options::settings(matches).engine().map_err(Fault::Option)?;
        let simulations = matches.get_one::<usize>("simulations").copied();
        Ok(Self {
            matches: matches.clone(),
            simulations: simulations.unwrap_or(SIMULATIONS),
            out: output::file(matches)?,
        })
    }

    fn on<Mo: Model>(&self, model: &Mo) -> Result<Outcome, Error> {
        let infer = |data: &SimulatedData, seed: u64| {
            let mut engine = options::settings(&self.matches)
                .engine()
                .expect("it was chosen before");
            engine.common_mut().seed = seed;
            engine.common_mut().progress = false;
            let arithmetic = engine.common().arithmetic;
            engine.run_on(&Posterior::with(&data.model(model), seed, arithmetic)?)
        };
        let report = sbc(model, infer).simulations(self.simulations);
        let report = report.seed(seed(&self.matches)).run()?;
        if let Some(out) = &self.out {
            output::write(out, &bayes_plot::sbc(&report).svg())?;
        }
        Ok(Outcome::of(format!("{report}\n")))
    }
}

/// The error of a prediction with the name of the run.
fn of_run(error: Error, name: &str) -> Error {
    match error {
        Error::Prediction { model, source } => Error::Prediction {
            model: format!("{model}` by the run `{name}"),
            source,
        },
        error => error,
    }
}

/// The failures of a run, and the model's behaviour at the first position of each.
fn explained<Mo: Model>(run: &Run, model: &Mo) -> Result<String, Error> {
    let failures = run.failures();
    let mut text = failures.to_string();
    for failure in &failures.rows {
        if let Some(first) = &failure.first {
            let (kind, place) = (failure.kind, &failure.place);
            let found = model.explain(&first.position)?;
            text += &format!("\n{kind} in {place}\n{found}");
        }
    }
    Ok(text)
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

/// The runs of a command after its first, named after their files.
fn other_runs(matches: &ArgMatches) -> Result<Vec<(String, Run)>, Error> {
    let paths = matches.get_many::<PathBuf>("run").unwrap_or_default();
    let named = paths.skip(1).map(|path| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        Ok((name.into_owned(), Run::load(path)?))
    });
    named.collect()
}

/// Reports trouble that does not stop a run, and nothing else.
#[derive(Debug)]
struct Troubles;

impl Observer for Troubles {
    fn trouble(&self, error: &Error) {
        output::complain(&format!("warning: {error}"));
    }
}

fn seed(matches: &ArgMatches) -> u64 {
    matches.get_one::<u64>("seed").copied().unwrap_or(0)
}
