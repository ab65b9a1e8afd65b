//! Commands that query a run of a regression.

use bayes::cli::{Outcome, Question, Table};
use bayes::predict::NewGroups;
use bayes::{Error, FormulaError, Run};
use bayes_formula::{Averages, Averaging, Conditions, Hypothesis, Regression, hypothesis};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::path::{Path, PathBuf};

/// All such commands.
pub(crate) fn all() -> Vec<Question> {
    let of_table = [fitted(), effects(), contrast(), slope(), r2()];
    let of_table = of_table.map(|command| Question {
        command,
        reads_table: true,
    });
    let of_run = Question {
        command: hypotheses(),
        reads_table: false,
    };
    of_table.into_iter().chain([of_run]).collect()
}

fn fitted() -> Command {
    Command::new("fitted")
        .about("The expected response of each row of a table, the same or a new one")
        .long_about(
            "The expected response of each row of a table, the same or a new one, on the scale of the response: its posterior mean with the Monte Carlo error, \
             standard deviation and quantiles, as comma-separated values. It is the mean of all that the row may have, also where zeros are inflated or a hurdle; \
             the number of successes among the trials; and for grades and labels the probability of each. A new table may lack the response.",
        )
        .args([response(), linear(), no_groups(), new_groups()])
        .arg(file("out").help("File of comma-separated values [default: standard output]"))
}

fn effects() -> Command {
    Command::new("effects")
        .about("The expected response where one or two columns vary and the others stay, as a table and as a picture")
        .long_about(
            "Conditional effects: the expected response where a column varies, or two. Numbers vary over 100 points of a grid, of which the text shows ten, and labels \
             over all of theirs; the second column, if it holds numbers, is at its mean and a standard deviation on each side. Other columns stay at their mean or their \
             reference label, and effects of groups are 0. Of binomial families it is the probability of a success. --data is the table of the fit.",
        )
        .arg(of("COLUMN", "The column, such as age, or two with a colon between, such as age:sex"))
        .arg(
            Arg::new("at")
                .long("at")
                .value_name("COLUMN=VALUE")
                .action(ArgAction::Append)
                .help("Another column at this value; with a column of groups, the effects of this group count. Give it again for each"),
        )
        .arg(flag("new-group").help("The effects of a new group, drawn from the population, in place of 0"))
        .arg(response())
        .arg(linear())
        .arg(file("svg").help("Picture, such as age.svg"))
        .args(formats())
}

fn contrast() -> Command {
    Command::new("contrast")
        .about("How much larger the expected response is on average if a column is changed in all rows")
        .long_about(
            "Average contrasts, by g-computation: the expected response of all rows of the table where the column is each of its labels in place of the reference label, 1 in \
             place of 0 if it holds 0 and 1 alone, or larger by 1; their average, and the difference. All else stays as it is in each row. Rows of binomial families \
             count by their trials, and the response is a probability.",
        )
        .arg(of("COLUMN", "The column that is changed"))
        .arg(by())
        .arg(response())
        .arg(flag("ratio").help("The ratio of the averages in place of their difference"))
        .args(formats())
}

fn slope() -> Command {
    Command::new("slope")
        .about("The average slope of the expected response over a column of numbers")
        .long_about("The derivative of the expected response by a column of numbers at each row of the table, and its average over the rows.")
        .arg(of("COLUMN", "The column"))
        .arg(by())
        .arg(response())
        .args(formats())
}

fn r2() -> Command {
    Command::new("r2")
        .about("Bayesian R², the share of the variance of the response that the regression explains")
        .long_about(
            "Bayesian R² (Gelman, Goodrich, Gabry & Vehtari 2019): at each draw the variance of the expected responses over the rows of the table, over the sum of it and of the mean \
             variance of a response given its row. Beside it is the R² of rows that were left out, by importance sampling: 1 less the variance of the errors over that of the \
             responses, with the spread of a Bayesian bootstrap over the rows. Grades, labels, columns and angles are no numbers on a line and have no R².",
        )
        .arg(response())
        .arg(flag("json").help("As JSON"))
}

fn hypotheses() -> Command {
    Command::new("hypothesis")
        .about("The posterior probability of an inequality between quantities, and the posterior of their difference")
        .long_about(
            "The posterior probability of an inequality between quantities, with its Monte Carlo error and the odds, and the posterior of their difference; of an equation the difference \
             alone, and the probability that the left side is larger. Quantities are those of `summary`, b[age] or sigma, and age alone is b[age]. Between them stand \
             + - * / ^ ( ) and exp, log, sqrt, abs.",
        )
        .arg(
            Arg::new("hypothesis")
                .index(2)
                .required(true)
                .num_args(1..)
                .value_name("HYPOTHESIS")
                .help("Such as \"b[camper] > 0\", \"b[x] = 2 * b[z]\", \"sd[site:Intercept]^2 / (sd[site:Intercept]^2 + sigma^2) > 0.5\""),
        )
        .args(formats())
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
        "effects" => conditional_effects(matches, run, table),
        "contrast" => {
            let how = match matches.get_flag("ratio") {
                true => averaging(matches).ratio(),
                false => averaging(matches),
            };
            let regression = about(matches, Regression::of_run(run, table)?)?;
            Ok(averages(
                matches,
                &regression.contrasts(run, text(matches, "of"), &how)?,
            ))
        }
        "slope" => {
            let regression = about(matches, Regression::of_run(run, table)?)?;
            let slopes = regression.slopes(run, text(matches, "of"), &averaging(matches))?;
            Ok(averages(matches, &slopes))
        }
        "r2" => {
            let regression = about(matches, Regression::of_run(run, table)?)?;
            let (r2, left_out) = (regression.r2(run)?, regression.loo_r2(run)?);
            Ok(Outcome::of(match matches.get_flag("json") {
                true => {
                    let both =
                        serde_json::json!({"r2": r2.to_json(), "loo_r2": left_out.to_json()});
                    format!("{both}\n")
                }
                false => format!("{r2}\n{left_out}"),
            }))
        }
        "hypothesis" => said(matches, run),
        _ => unreachable!("it is one of the commands"),
    }
}

fn fitted_rows(matches: &ArgMatches, run: &Run, table: &Table) -> Result<Outcome, Error> {
    let regression = match matches.get_flag("no-groups") {
        true => Regression::of_run_to_population(run, table)?,
        false => Regression::of_run_to_predict(run, table)?,
    };
    let regression = about(matches, regression)?;
    let fitted = regression.fitted(run).new_groups(groups(matches));
    let fitted = match matches.get_flag("linear") {
        true => fitted.linear(),
        false => fitted,
    };
    Outcome::to(path(matches, "out"), fitted.table()?.to_csv())
}

fn conditional_effects(matches: &ArgMatches, run: &Run, table: &Table) -> Result<Outcome, Error> {
    let mut conditions = Conditions::new();
    for at in matches.get_many::<String>("at").unwrap_or_default() {
        let Some((column, value)) = at.split_once('=') else {
            return Err(Error::from(FormulaError {
                formula: format!("--at {at}"),
                at: 0..0,
                message: "write the column, `=` and its value: `--at age=40`".to_owned(),
            }));
        };
        conditions = conditions.at(column.trim(), value.trim());
    }
    if matches.get_flag("linear") {
        conditions = conditions.linear();
    }
    if matches.get_flag("new-group") {
        conditions = conditions.new_group();
    }
    let regression = about(matches, Regression::of_run(run, table)?)?;
    let effects = regression.effects_at(run, text(matches, "of"), &conditions)?;
    if let Some(svg) = path(matches, "svg") {
        effects.figure()?.save(svg)?;
    }
    Ok(Outcome::of(match format_of(matches) {
        Format::Text => effects.to_string(),
        Format::Csv => effects.to_csv(),
        Format::Json => format!("{}\n", effects.to_json()),
    }))
}

/// The hypotheses on the command line.
fn said(matches: &ArgMatches, run: &Run) -> Result<Outcome, Error> {
    let texts = matches.get_many::<String>("hypothesis").unwrap_or_default();
    let found = texts.map(|text| hypothesis(run, text));
    let found: Vec<Hypothesis> = found.collect::<Result<_, _>>()?;
    let lines = |line: &dyn Fn(&Hypothesis) -> String| {
        found.iter().map(line).collect::<Vec<_>>().join("\n")
    };
    Ok(Outcome::of(match format_of(matches) {
        Format::Text => lines(&|hypothesis| hypothesis.to_string()),
        Format::Csv => format!("{}\n{}\n", Hypothesis::header(), lines(&Hypothesis::to_csv)),
        Format::Json => {
            let all: serde_json::Value = found.iter().map(Hypothesis::to_json).collect();
            format!("{all}\n")
        }
    }))
}

fn averaging(matches: &ArgMatches) -> Averaging {
    match matches.get_one::<String>("by") {
        Some(by) => Averaging::new().by(by),
        None => Averaging::new(),
    }
}

fn averages(matches: &ArgMatches, averages: &Averages) -> Outcome {
    Outcome::of(match format_of(matches) {
        Format::Text => averages.to_string(),
        Format::Csv => averages.to_csv(),
        Format::Json => format!("{}\n", averages.to_json()),
    })
}

/// The output format of an answer.
enum Format {
    Text,
    Csv,
    Json,
}

fn formats() -> [Arg; 2] {
    [
        flag("csv")
            .conflicts_with("json")
            .help("As comma-separated values"),
        flag("json").help("As JSON"),
    ]
}

fn format_of(matches: &ArgMatches) -> Format {
    match (matches.get_flag("csv"), matches.get_flag("json")) {
        (true, _) => Format::Csv,
        (_, true) => Format::Json,
        _ => Format::Text,
    }
}

fn of(value: &'static str, help: &'static str) -> Arg {
    Arg::new("of")
        .long("of")
        .value_name(value)
        .required(true)
        .help(help)
}

fn by() -> Arg {
    Arg::new("by")
        .long("by")
        .value_name("COLUMN")
        .help("Averages over the rows of each value of this column apart")
}

fn response() -> Arg {
    Arg::new("response")
        .long("response")
        .value_name("NAME")
        .help("The response that the answer is about, of a regression with several")
}

/// The regression for an answer about one response, if one was chosen.
fn about(matches: &ArgMatches, regression: Regression) -> Result<Regression, Error> {
    match matches.get_one::<String>("response") {
        Some(response) => regression.response(response),
        None => Ok(regression),
    }
}

fn text<'a>(matches: &'a ArgMatches, name: &str) -> &'a str {
    matches.get_one::<String>(name).map_or("", String::as_str)
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
