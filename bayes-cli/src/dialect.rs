//! A program whose model is described on its command line, for example by a formula.

use crate::program::{Call, Program};
use crate::task::{Outcome, Task};
use bayes_core::Error;
use bayes_core::comparison::Elpd;
use bayes_core::run::Run;
use bayes_data::Table;
use clap::{Arg, ArgMatches, Command};
use std::process::ExitCode;

/// A program whose model is described on its command line.
///
/// Its commands are the ones of [`main!`](crate::main), except that `fit` replaces `sample` and `run`, and `priors` and `update` are new. Commands that
/// make a model have the arguments `model`. Commands that read a run make the model from [`Run::recipe`](bayes_core::run::Run::recipe).
#[derive(Clone, Debug)]
pub struct Dialect {
    /// The program's name.
    pub name: &'static str,
    /// The program's purpose.
    pub about: &'static str,
    /// The arguments that describe the model.
    pub model: Vec<Arg>,
    /// The arguments that change the description of a run's model, for the command `update`.
    pub changes: Vec<Arg>,
    /// Further commands.
    pub questions: Vec<Question>,
    /// The leave-one-out estimate of a run, whose model is made from the run and the table.
    pub loo: fn(&Run, &Table) -> Result<Elpd, Error>,
}

/// A command that reads a run and that the program answers itself; [`Task::question`] is the command's name.
#[derive(Clone, Debug)]
pub struct Question {
    /// The command's name, purpose and options, without the file of the run and without `--data`.
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

    /// Runs the command in the arguments of the process. `model` makes the model from the arguments, or from the task's run, and from the
    /// table, and passes it to the task.
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
