//! Commands that ask a run of a regression.

use bayes::cli::{Outcome, Question, Table};
use bayes::predict::NewGroups;
use bayes::{Error, Run};
use bayes_formula::Regression;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::path::{Path, PathBuf};

/// All of them.
pub(crate) fn all() -> Vec<Question> {
    vec![Question {
        command: fitted(),
        reads_table: true,
    }]
}

fn fitted() -> Command {
    Command::new("fitted")
        .about("The expected response of each row of a table, the same or a new one")
        .long_about(
            "The expected response of each row of a table, the same or a new one, on the scale of the response: its posterior mean with the Monte Carlo error, \
             standard deviation and quantiles, as comma-separated values. It is the mean of all that the row may have, also where zeros are inflated or a hurdle; \
             the number of successes among the trials; and for cumulative the probability of each grade. A new table may lack the response.",
        )
        .args([linear(), no_groups(), new_groups()])
        .arg(file("out").help("File of comma-separated values [default: standard output]"))
}

/// The answer to a question.
pub(crate) fn answer(
    question: &str,
    matches: &ArgMatches,
    run: &Run,
    table: &Table,
) -> Result<Outcome, Error> {
    match question {
        "fitted" => fitted_rows(matches, run, table),
        _ => unreachable!("it is one of the commands"),
    }
}

fn fitted_rows(matches: &ArgMatches, run: &Run, table: &Table) -> Result<Outcome, Error> {
    let regression = match matches.get_flag("no-groups") {
        true => Regression::of_run_to_population(run, table)?,
        false => Regression::of_run_to_predict(run, table)?,
    };
    let fitted = regression.fitted(run).new_groups(groups(matches));
    let fitted = match matches.get_flag("linear") {
        true => fitted.linear(),
        false => fitted,
    };
    Outcome::to(path(matches, "out"), fitted.table()?.to_csv())
}

fn linear() -> Arg {
    flag("linear").help("The linear predictor in place of the expected response")
}

fn no_groups() -> Arg {
    flag("no-groups").conflicts_with("new-groups").help(
        "For the population: the effects of groups are 0, and the table may lack their columns",
    )
}

fn new_groups() -> Arg {
    flag("new-groups")
        .help("Draw groups that the run has not seen from their prior; otherwise they are an error")
}

fn groups(matches: &ArgMatches) -> NewGroups {
    match matches.get_flag("new-groups") {
        true => NewGroups::Draw,
        false => NewGroups::Refuse,
    }
}

fn flag(name: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue)
}

fn file(name: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
}

fn path<'a>(matches: &'a ArgMatches, name: &str) -> Option<&'a Path> {
    matches.get_one::<PathBuf>(name).map(PathBuf::as_path)
}
