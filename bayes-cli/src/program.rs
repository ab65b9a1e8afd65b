//! A program: reads its command line and its data, does its work, and ends with an exit code.

use crate::command::{command, command_of, required};
use crate::completions;
use crate::data;
use crate::dialect::Dialect;
use crate::exit::{FAILED, WRONG, code};
use crate::export;
use crate::output::{complain, print, shown, shown_in_part};
use crate::replace::{self, Identity};
use crate::task::{Fault, Outcome, Task};
use bayes_core::Error;
use bayes_core::comparison::{Elpd, compare};
use bayes_core::run::{Run, RunFile};
use bayes_data::Table;
use clap::error::ErrorKind;
use clap::{ArgMatches, Command};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// A program for a model, made by [`main!`](crate::main).
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// The version of the package.
    pub version: &'static str,
    /// The call of the model with the columns of a table, as lines of code; `None` if the model takes no table.
    pub data: Option<&'static [&'static str]>,
}

/// The end of a program: a text for standard error, and the exit code.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) message: String,
    pub(crate) code: u8,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self {
            message: format!("error: {error}"),
            code: code(&error),
        }
    }
}

impl Program {
    /// Runs the command in the arguments of the process. `model` makes the model from the table and passes it to
    /// the task.
    #[must_use]
    pub fn main(
        &self,
        model: impl FnOnce(&Table, &mut Task) -> Result<Outcome, Error>,
    ) -> ExitCode {
        self.end(self.work(std::env::args_os(), None, &mut Some(model)))
    }

    /// Prints the result of the work. The code is the same for all models.
    pub(crate) fn end(&self, outcome: Result<Outcome, Failure>) -> ExitCode {
        let ended = outcome.and_then(|outcome| {
            print(&outcome.text)?;
            Ok(outcome.stopped)
        });
        match ended {
            Ok(None) => ExitCode::SUCCESS,
            Ok(Some(reason)) => {
                complain(&reason);
                ExitCode::from(FAILED)
            }
            Err(failure) => {
                complain(&failure.message);
                ExitCode::from(failure.code)
            }
        }
    }

    /// Does the work that the arguments ask for. The first argument is the name of the program.
    pub(crate) fn work(
        &self,
        arguments: impl IntoIterator<Item = OsString>,
        dialect: Option<&Dialect>,
        model: &mut dyn Call,
    ) -> Result<Outcome, Failure> {
        let mut command = match dialect {
            Some(dialect) => command_of(self, dialect),
            None => command(self),
        };
        let matches = match command.try_get_matches_from_mut(arguments) {
            Ok(matches) => matches,
            Err(error) if error.use_stderr() => return Err(wrong(&error)),
            // `--help` and `--version`
            Err(error) => return Ok(Outcome::of(error.to_string())),
        };
        let (name, matches) = matches.subcommand().expect("clap requires one");
        match name {
            "merge" => Ok(merge(matches)?),
            "summary" => Ok(summary(matches)?),
            "compare" => {
                let compared = match dialect {
                    Some(dialect) => estimates_of_runs(matches, dialect)?,
                    None => Some(estimates(matches, |path| Elpd::load(path))?),
                };
                let Some(models) = compared else {
                    let text = "a file is of a run: name the table of its data by one --data, or give files of `loo --out`";
                    return Err(refused(&mut command, name, text));
                };
                Ok(comparison(&models, matches)?)
            }
            "completions" => {
                let shell = matches.get_one::<String>("shell");
                let shell = shell.map_or("bash", String::as_str);
                Ok(Outcome::of(completions::script(&command, shell)))
            }
            "export" if !export::needs_model(matches) => Ok(export::draws(matches)?),
            _ => {
                let mut task = Task::new(name, matches).map_err(|fault| match fault {
                    Fault::Option(text) => refused(&mut command, name, &text),
                    Fault::File(error) => error.into(),
                })?;
                // only `export` works without a table
                let reads_table = match dialect {
                    Some(dialect) => dialect.reads_table(name),
                    None => self.data.is_some(),
                };
                if reads_table && data::files(matches).next().is_none() {
                    let text = "a .zarr folder holds the data too: name their file by --data";
                    return Err(refused(&mut command, name, text));
                }
                let Some(table) = data::table(data::files(matches))? else {
                    let text = "--data was given two tables; arrays beside one are NAME=FILE";
                    return Err(refused(&mut command, name, text));
                };
                Ok(model.call(matches, &table, &mut task)?)
            }
        }
    }
}

/// A function of a table and a task that is called once.
pub(crate) trait Call {
    fn call(
        &mut self,
        matches: &ArgMatches,
        table: &Table,
        task: &mut Task,
    ) -> Result<Outcome, Error>;
}

impl<F: FnOnce(&Table, &mut Task) -> Result<Outcome, Error>> Call for Option<F> {
    fn call(&mut self, _: &ArgMatches, table: &Table, task: &mut Task) -> Result<Outcome, Error> {
        let model = self.take().expect("a program has one task");
        model(table, task)
    }
}

/// The error for options of a command that do not fit together.
fn refused(command: &mut Command, name: &str, text: &str) -> Failure {
    let error = match command.find_subcommand_mut(name) {
        Some(command) => command.error(ErrorKind::ArgumentConflict, text),
        None => command.error(ErrorKind::ArgumentConflict, text),
    };
    wrong(&error)
}

fn wrong(error: &clap::Error) -> Failure {
    Failure {
        message: error.to_string().trim_end().to_owned(),
        code: WRONG,
    }
}

fn merge(matches: &ArgMatches) -> Result<Outcome, Error> {
    let parts = matches.get_many::<PathBuf>("parts").unwrap_or_default();
    let parts: Vec<&PathBuf> = parts.collect();
    let out = required(matches, "out");
    if let (Some(first), false) = (parts.first(), matches.get_flag("replace")) {
        replace::check(&out, &Identity::of(RunFile::open(first)?.run()))?;
    }
    RunFile::merge(parts, out)?;
    Ok(Outcome::of(String::new()))
}

fn summary(matches: &ArgMatches) -> Result<Outcome, Error> {
    let path = required(matches, "run");
    let run = match matches.get_many::<String>("only") {
        Some(names) => RunFile::open(path)?.select(names)?,
        None => Run::load(path)?,
    };
    Ok(Outcome::of(if matches.get_flag("json") {
        format!("{}\n", run.record())
    } else if matches.contains_id("only") {
        shown_in_part(&run)
    } else {
        shown(&run)
    }))
}

/// The estimates of files by the names of the files.
fn estimates<T>(
    matches: &ArgMatches,
    read: impl Fn(&PathBuf) -> Result<T, Error>,
) -> Result<Vec<(String, T)>, Error> {
    let paths = matches.get_many::<PathBuf>("estimates").unwrap_or_default();
    let named = paths.map(|path| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        Ok((name.into_owned(), read(path)?))
    });
    named.collect()
}

/// The estimates of files, some of which may be runs; `None` if a run has no table.
fn estimates_of_runs(
    matches: &ArgMatches,
    dialect: &Dialect,
) -> Result<Option<Vec<(String, Elpd)>>, Error> {
    let has_table = data::files(matches).next().is_some();
    let table = data::table(data::files(matches))?.filter(|_| has_table);
    let read = |path: &PathBuf| match Elpd::load(path) {
        Ok(estimate) => Ok(Some(estimate)),
        Err(error) => match (Run::load(path), &table) {
            (Ok(run), Some(table)) => Ok(Some((dialect.loo)(&run, table)?)),
            (Ok(_), _) => Ok(None),
            (Err(_), _) => Err(error),
        },
    };
    let found = estimates(matches, read)?.into_iter();
    let found = found.map(|(name, estimate)| Some((name, estimate?)));
    Ok(found.collect())
}

fn comparison(models: &[(String, Elpd)], matches: &ArgMatches) -> Result<Outcome, Error> {
    let models = models.iter().map(|(name, elpd)| (name.as_str(), elpd));
    let comparison = compare(models)?;
    Ok(Outcome::of(match matches.get_flag("json") {
        true => format!("{}\n", comparison.record()),
        false => format!("{comparison}\n"),
    }))
}
