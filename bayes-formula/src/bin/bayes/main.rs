//! Regressions by formulas, without Rust: `bayes fit "y ~ x + (1 | site)" --data trial.csv`.

#![forbid(unsafe_code)]

mod questions;

use bayes::cli::{Dialect, Exact, Outcome, Table, Task};
use bayes::{Error, Run};
use bayes_formula::{Family, Formula, Link, Regression, formula};
use clap::builder::Resettable;
use clap::{Arg, ArgAction, ArgMatches};
use std::process::ExitCode;

const ABOUT: &str = "\
Bayesian regressions by formulas: posterior, evidence, predictions and reports.

  bayes fit \"trips ~ 1 + nkids + camper + (1 | site) + offset(log(days))\" --data fish.csv --family negative-binomial --out fish.run
  bayes predict fish.run --data new.csv
  bayes fitted fish.run --data new.csv --no-groups
  bayes update fish.run --data more.csv --out more.run
  bayes report fish.run --data fish.csv --out fish.html

A formula is a response, `~` and terms: numbers and labels by the names of their columns, a:b, a*b, a/b, (a + b)^2, `0 +` for no intercept, log(x), I(x^2), scale(x), \
center(x), poly(x, 2), days(date), factor(x, base = \"b\") or factor(x, contrasts = \"sum\") (or \"helmert\"), which exclude each other, ordered(x, \"low\", \"high\"), offset(x), and coefficients that vary by groups: (1 | g), (1 + x | g), (x || g), (1 | g/h), (1 | g:h), (1 | p | g) with correlations between all terms of the id p. \
s(x), s(x, k = 20) and s(x, by = z) are smooth curves, t2(x, z) a smooth surface, gp(x) is a Gaussian process, mo(x) a monotonic effect of grades, ar(time, gr = g, p = 1) adds autoregressive residuals of the series g. `; sigma ~ x` behind the formula is the linear predictor of another parameter, `; mub ~ x` of the label b of a categorical response, and `; y2 ~ x` the formula of another response; \
mvbind(y1, y2) ~ x has one for several, and `; set_rescor(TRUE)` correlates their residuals. \
`successes | trials(n)` is the response of binomial families, `cbind(a, b, c) | trials(n)` of multinomial, `cbind(a, b, c)` of dirichlet, `time | cens(c)` of times of events (cox, weibull); behind `|` stand weights(w), cens(c, upper), trunc(lower, upper), se(s) and rate(t) too.";

fn main() -> ExitCode {
    let dialect = Dialect {
        name: "bayes",
        about: ABOUT,
        model: model(),
        changes: changes(),
        questions: questions::all(),
        loo: |run, table| run.loo(&Regression::of_run(run, table)?),
    };
    dialect.main(env!("CARGO_PKG_VERSION"), answer)
}

/// The arguments that describe a regression.
fn model() -> Vec<Arg> {
    let families = Family::ALL.map(|(name, _)| name).join(", ");
    let links = Link::ALL.map(|(name, _)| name).join(", ");
    vec![
        Arg::new("formula")
            .required(true)
            .value_name("FORMULA")
            .help("Such as \"y ~ x + (1 + x | group)\""),
        Arg::new("family")
            .long("family")
            .value_name("NAME")
            .default_value("gaussian")
            .help(format!(
                "Family of the response, or \"y1 = gaussian, y2 = poisson\" of several: {families}"
            )),
        Arg::new("link")
            .long("link")
            .value_name("NAME")
            .help(format!(
                "Link of the mean to the linear predictor, or \"y1 = log\" of one response of several; by default the family's: {links}"
            )),
        Arg::new("prior")
            .long("prior")
            .value_name("PRIOR")
            .action(ArgAction::Append)
            .help(
                "Such as \"b ~ normal(0, 1)\", \"b[days] ~ student_t(3, 0, 10)\", \"sd[site] ~ exponential(1)\", \"cor ~ lkj(2)\", \"rescor ~ lkj(2)\" of residuals, \"b ~ horseshoe(scale_global = 0.1)\", \"b ~ R2D2(mean_R2 = 0.5)\"; give it again for each. `bayes \
                 priors` lists all",
            ),
        Arg::new("drop-missing")
            .long("drop-missing")
            .action(ArgAction::SetTrue)
            .help("Leaves out rows without a value in a column of the formula; otherwise they are an error"),
    ]
}

/// The arguments that change the regression of a run.
fn changes() -> Vec<Arg> {
    let changed = |arg: Arg| match arg.get_id().as_str() {
        "formula" => arg
            .long("formula")
            .required(false)
            .help("Another formula; its `.` means all columns of the table"),
        "family" => arg.default_value(Resettable::Reset),
        _ => arg,
    };
    let defaults = Arg::new("default-priors")
        .long("default-priors")
        .action(ArgAction::SetTrue)
        .help("Forgets the priors that were chosen for the run; --prior chooses others");
    let all = model().into_iter().map(changed);
    all.chain([defaults]).collect()
}

fn answer(matches: &ArgMatches, table: &Table, task: &mut Task) -> Result<Outcome, Error> {
    if let (Some(question), Some(run)) = (task.question(), task.run()) {
        return questions::answer(question, matches, run, table);
    }
    let regression = match task.run() {
        Some(run) if task.predicts() => Regression::of_run_to_predict(run, table)?,
        Some(run) => Regression::of_run(run, table)?,
        None => match task.updates() {
            Some(first) => {
                let said = updated(first, matches)?;
                eprintln!("{said}");
                said.on(table)?
            }
            None => said(matches)?.on(table)?,
        },
    };
    if regression.rows() < table.rows() {
        let dropped = table.rows() - regression.rows();
        eprintln!(
            "{dropped} of {} rows have missing values and are left out",
            table.rows()
        );
    }
    if regression.has_shares_of_rows() {
        eprintln!(
            "some weights are no whole numbers: the likelihood is no probability of data, so that an evidence compares no models and `sbc` does not hold"
        );
    }
    if task.run().is_none() {
        regression
            .notes()
            .iter()
            .for_each(|note| eprintln!("{note}"));
    }
    match (task.question(), task.run(), task.exact()) {
        (Some(_), ..) => Ok(Outcome::of(regression.priors().to_string())),
        (None, Some(run), Some(Exact::Refits)) => task.estimated(&regression.refitted_loo(run)?),
        (None, Some(run), Some(Exact::Folds(folds))) => {
            task.estimated(&regression.k_fold(run, folds)?)
        }
        _ => task.perform_and_say(&regression, &|run| regression.evidence_in_words(run)),
    }
}

/// The formula on the command line with its family and priors.
fn said(matches: &ArgMatches) -> Result<Formula, Error> {
    chosen(
        formula(text(matches, "formula").unwrap_or_default())?,
        matches,
    )
}

/// The formula of a run with what the command line changes.
fn updated(first: &Run, matches: &ArgMatches) -> Result<Formula, Error> {
    let mut said = Formula::of_run(first)?;
    if let Some(text) = text(matches, "formula") {
        said = said.with_text(text)?;
    }
    if matches.get_flag("default-priors") {
        said = said.with_default_priors();
    }
    chosen(said, matches)
}

/// A formula with the family, the link and the priors of the command line.
fn chosen(mut said: Formula, matches: &ArgMatches) -> Result<Formula, Error> {
    if let Some(family) = text(matches, "family") {
        said = said.family_of_text(family)?;
    }
    if let Some(link) = text(matches, "link") {
        said = said.link_of_text(link)?;
    }
    for prior in matches.get_many::<String>("prior").unwrap_or_default() {
        said = said.prior_of_text(prior)?;
    }
    Ok(match matches.get_flag("drop-missing") {
        true => said.drop_missing(true),
        false => said,
    })
}

fn text<'a>(matches: &'a ArgMatches, name: &str) -> Option<&'a str> {
    matches.get_one::<String>(name).map(String::as_str)
}
