//! The SMC family on the credit data: the precision of each member for its gradients, and for the number P of its islands or chains.
//!
//! ```text
//! cargo run --release -p bayes-experiments --example family
//! cargo run --release -p bayes-experiments --example family -- --repeats 20 --only pSMC --svg FILE
//! ```
//!
//! For each P, runs are repeated. The program prints the variance over repeats of the posterior mean (averaged over the 15 coefficients, in
//! posterior variances) and of the log evidence, each with its relative standard error, and the mean squared error against the reference.
//! An island has N = 16 particles with 4 moves at each temperature, and in parallel tempering P counts chains of 50 draws after 50 scans of
//! burn-in. Asserted: the variance of the posterior mean falls as 1/P for independent islands with equal weights, within 0.2 in the
//! exponent, and faster than 1/√P otherwise; and log evidences are right. Annealed importance sampling is excepted, because its weights
//! differ too much here.

mod members;
mod study;

use bayes::density::Posterior;
use bayes::prelude::*;
use bayes_experiments::chart;
use bayes_experiments::common::{Options, Report, credit_applications, fail, number};
use members::MEMBERS;
use study::{Member, Row, Truth};

/// Bayesian logistic regression, as in `australian_credit`.
#[model]
fn credit(x: &DMatrix<f64>, y: &[bool]) {
    let beta = sample(Normal::new(0.0, 10.0).iid(x.ncols()));
    observe(y, BernoulliLogit::new(x * &beta));
}

fn main() {
    let names = ["--repeats", "--only", "--svg"];
    let (options, [repeats, only, svg]) = Options::with(names);
    let repeats = number("--repeats", repeats, options.size(56, 2));
    let largest = options.size(32, 2);
    let (x, y) = credit_applications();
    let model = credit(&x, &y);
    let mut report = Report::new("credit", options);
    let posterior = Posterior::new(&model, options.seed).expect("the model fits its data");
    let truth = truth(&model, &options);
    Row::head("gradients")
        .iter()
        .for_each(|line| report.say(line));
    let mut rows = Vec::new();
    let named = |member: &Member, only: &String| {
        let mut names = member.names.iter();
        names.any(|(name, _)| name.contains(only))
    };
    let chosen = |member: &&Member| only.as_ref().is_none_or(|only| named(member, only));
    for member in MEMBERS.iter().filter(chosen) {
        let answers = member.answers(&posterior, (largest, repeats), options.seed);
        for ((place, size), answers) in &answers {
            let row = Row::of(member.names[*place].0, *size, answers, &truth);
            report.say(&row.line());
            rows.push(row);
        }
    }
    check(&rows, options.quick);
    if let Some(path) = svg {
        let written = std::fs::write(
            &path,
            study::svg(&rows, chart::Quantity::new("gradients of a run, millions")),
        );
        written.unwrap_or_else(|error| fail(&format!("cannot write {path}: {error}")));
    }
    report.note("rows", rows.iter().map(Row::json).collect());
    report.finish();
}

/// Posterior means and standard deviations of the coefficients, by NUTS.
fn truth(model: &credit<'_, '_>, options: &Options) -> Truth {
    let nuts = Inference::nuts().draws(options.size(20_000, 500));
    let nuts = nuts.seed(options.seed).progress(false);
    let run = nuts.run(model).expect("the model fits its data");
    let named = "the model has coefficients";
    Truth {
        mean: run.mean("beta").expect(named),
        sd: run.sd("beta").expect(named),
    }
}

/// Asserts that the log evidences are right, and that the variances of the posterior means fall with P.
fn check(rows: &[Row], is_quick: bool) {
    for row in rows.iter().filter(|row| !row.member.starts_with("AIS")) {
        let log_evidence = row.log_evidence.as_ref().expect("all estimate it");
        let error = log_evidence.mean_squared_error.sqrt();
        assert!(error < 5.0, "{} P = {}: {error}", row.member, row.size);
    }
    if is_quick {
        return;
    }
    for member in &MEMBERS {
        for (name, weighting) in member.names {
            let mut own = rows.iter().filter(|row| row.member == *name);
            let Some((first, last)) = own.next().zip(own.next_back()) else {
                continue;
            };
            let more = last.size as f64 / first.size as f64;
            let less = last.mean.variance / first.mean.variance;
            if member.is_independent && *weighting == Weighting::Equal {
                let slope = less.ln() / more.ln();
                assert!((slope + 1.0).abs() < 0.2, "{name}: slope {slope}");
            }
            let enough = more.powf(-0.5);
            assert!(less < enough || name.starts_with("AIS"), "{name}: {less}");
        }
    }
}
