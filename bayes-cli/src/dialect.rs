//! A program whose model is said on its command line, as by a formula.

use crate::program::{Call, Program};
use crate::task::{Outcome, Task};
use bayes_core::Error;
use bayes_data::Table;
use clap::{Arg, ArgMatches, Command};
use std::process::ExitCode;

/// A program whose model is said on its command line.
///
/// Its commands are those of [`main!`](crate::main), but `fit` for `sample` and `run`, and `priors`. Those that make a model have the arguments
/// `model`; those that read a run make the model of [`Run::recipe`](bayes_core::run::Run::recipe).
#[derive(Clone, Debug)]
pub struct Dialect {
    /// What the program is called.
    pub name: &'static str,
    /// What it is for.
    pub about: &'static str,
    /// The arguments that say the model.
    pub model: Vec<Arg>,
    /// Further commands.
    pub questions: Vec<Question>,
}

/// A command that reads a run, and whose answer the program finds itself: [`Task::question`] is its name.
#[derive(Clone, Debug)]
pub struct Question {
    /// Its name, what it is for and its options, without the file of the run and without `--data`.
    pub command: Command,
    /// Whether it reads a table.
    pub reads_table: bool,
}

impl Dialect {
    /// Whether a command reads a table.
    pub(crate) fn reads_table(&self, command: &str) -> bool {
        let mut questions = self.questions.iter();
        let question = questions.find(|question| question.command.get_name() == command);
        question.is_none_or(|question| question.reads_table)
    }

    /// Does what the arguments of the process say. `model` makes the model of the arguments, or of the task's run, and the table, and hands it to the
    /// task.
    #[must_use]
    pub fn main(
        self,
        version: &'static str,
        model: impl FnOnce(&ArgMatches, &Table, &mut Task) -> Result<Outcome, Error>,
    ) -> ExitCode {
        let program = Program {
            version,
            data: Some(&[]),
        };
        program.end(program.work(std::env::args_os(), Some(&self), &mut Said(Some(model))))
    }
}

/// A function of arguments, a table and a task that is called once.
struct Said<F>(Option<F>);

impl<F: FnOnce(&ArgMatches, &Table, &mut Task) -> Result<Outcome, Error>> Call for Said<F> {
    fn call(
        &mut self,
        matches: &ArgMatches,
        table: &Table,
        task: &mut Task,
    ) -> Result<Outcome, Error> {
        let model = self.0.take().expect("a program has one task");
        model(matches, table, task)
    }
}
