//! The task of a program with its model.

use crate::command::required;
use crate::options;
use crate::output;
use crate::prediction::{Elements, predictions};
use crate::running::Running;
use crate::words::spoken;
use bayes_check::inspect::{Check, Inspect};
use bayes_check::sbc::{SimulatedData, sbc};
use bayes_core::Error;
use bayes_core::comparison::Elpd;
use bayes_core::density::Posterior;
use bayes_core::model::Model;
use bayes_core::predict::NewGroups;
use bayes_core::run::Run;
use bayes_plot::Report;
use clap::ArgMatches;
use std::path::{Path, PathBuf};

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
        of: Elements,
        out: Option<PathBuf>,
    },
    Loo {
        run: Run,
        out: Option<PathBuf>,
        json: bool,
        exact: Option<Exact>,
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

/// Runs without some of the rows, in place of weights of the draws of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exact {
    /// One without each row whose k-hat is above 0.5.
    Refits,
    /// One without each of so many parts of the rows.
    Folds(usize),
}

impl Exact {
    /// What a command asks for. Only programs that make their model from a table have these options.
    fn of(matches: &ArgMatches) -> Option<Self> {
        let folds = matches.try_get_one::<usize>("folds").ok().flatten();
        let refits = matches.try_get_one::<bool>("refit").ok().flatten();
        match (folds, refits) {
            (Some(folds), _) => Some(Self::Folds(*folds)),
            (None, Some(true)) => Some(Self::Refits),
            _ => None,
        }
    }
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
            "update" => Work::Run(Box::new(Running::after(run()?, matches)?)),
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
                of: match matches.get_flag("missing") {
                    true => Elements::Missing,
                    false => Elements::All,
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
                exact: Exact::of(matches),
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

    /// The run that the task updates, without its draws.
    #[must_use]
    pub fn updates(&self) -> Option<&Run> {
        match &self.0 {
            Work::Run(running) => running.first.as_ref(),
            _ => None,
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

    /// The runs without rows that the command `loo` asks for. [`estimated`](Self::estimated) ends the task with their estimate.
    #[must_use]
    pub fn exact(&self) -> Option<Exact> {
        match &self.0 {
            Work::Loo { exact, .. } => *exact,
            _ => None,
        }
    }

    /// The outcome of the command `loo` with this estimate, which it saves.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be saved.
    pub fn estimated(&self, loo: &Elpd) -> Result<Outcome, Error> {
        match &self.0 {
            Work::Loo { out, json, .. } => estimate(loo, out.as_deref(), *json),
            _ => Ok(Outcome::of(String::new())),
        }
    }

    /// Does the work with the model.
    ///
    /// # Errors
    /// The errors of the engine or the query.
    pub fn perform<Mo: Model>(&mut self, model: &Mo) -> Result<Outcome, Error> {
        self.perform_and_say(model, &|_| Ok(None))
    }

    /// The same, where `more` makes a line that ends the summary of a run of an engine, if it has one to say.
    ///
    /// # Errors
    /// The errors of [`perform`](Self::perform), and of `more`.
    pub fn perform_and_say<Mo: Model>(
        &mut self,
        model: &Mo,
        more: &dyn Fn(&Run) -> Result<Option<String>, Error>,
    ) -> Result<Outcome, Error> {
        match &mut self.0 {
            Work::Run(running) => {
                let common = running.engine.common();
                let posterior = Posterior::with(model, common.seed, common.arithmetic)?;
                running.run_on(&posterior, more)
            }
            Work::Check(check) => Ok(Outcome::of(format!("{}\n", model.check(*check)?))),
            Work::Calibrate(calibrating) => calibrating.on(model),
            Work::Report { run, others, out } => {
                let report = Report::new(run).in_words(spoken).model(model)?;
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
                of,
                out,
            } => {
                let text = predictions(run, &run.predict_with(model, *new_groups)?, *of)?;
                Outcome::to(out.as_deref(), text)
            }
            Work::Loo { run, out, json, .. } => estimate(&run.loo(model)?, out.as_deref(), *json),
            Work::Explain(run) => Ok(Outcome::of(explained(run, model)?)),
            Work::Ask { .. } => Ok(Outcome::of(String::new())),
            Work::Export { run, out } => {
                run.to_arviz_with(model, out)?;
                Ok(Outcome::of(String::new()))
            }
        }
    }
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

/// An estimate as text or as JSON, after it was saved.
fn estimate(loo: &Elpd, out: Option<&Path>, json: bool) -> Result<Outcome, Error> {
    if let Some(out) = out {
        loo.save(out)?;
    }
    Ok(Outcome::of(match json {
        true => format!("{}\n", loo.record()),
        false => format!("{loo}\n"),
    }))
}

/// The failures of a run, the model's behaviour at the first position of each, and where trajectories diverged.
///
/// # Errors
/// The errors of [`Inspect::explain`].
pub fn explained<Mo: Model>(run: &Run, model: &Mo) -> Result<String, Error> {
    let failures = run.failures();
    let mut text = failures.to_string();
    for failure in &failures.rows {
        if let Some(first) = &failure.first {
            let (kind, place) = (failure.kind, &failure.place);
            let found = model.explain(&first.position)?;
            text += &format!("\n{kind} in {place}\n{found}");
        }
    }
    if let Some(places) = run.divergent_places() {
        text += &format!("\n{places}");
    }
    Ok(text)
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

/// The seed of a command, 0 by default.
pub(crate) fn seed(matches: &ArgMatches) -> u64 {
    matches.get_one::<u64>("seed").copied().unwrap_or(0)
}
