//! Priors whose draws round to 0, to 1 or to infinity: the log evidence by pSMC, and posterior means by NUTS, beside exact values.
//!
//! ```text
//! cargo run --release -p bayes-experiments --example prior_mass
//! ```
//!
//! For each prior it prints the mean error of the log evidence over 20 seeds with its Monte Carlo error, the number of 95% intervals that
//! hold the exact value, the number of runs that warn that draws of the quantity round, and of runs that are refused because the posterior
//! seems improper. Then the mean by NUTS over the seeds, with the standard error by their spread and the mean of the errors that runs
//! report; the number of runs within three of their own errors, and of runs that warn that the draws of the quantity miss a part, are too
//! few, rarely leave an end or disagree. `--only NAME` selects rows by the start of their name.
//!
//! Asserted: of 20 intervals 16 hold the exact value (fewer have a probability of 0.003), or all runs name the quantity; no run is refused;
//! of 20 runs of NUTS 19 are within three of their errors or warn by the name of the quantity. With `--quick` there is one seed: errors of
//! evidences are within five of the errors that the run reports.

use bayes::diagnose::Warning;
use bayes::prelude::*;
use bayes::{Error, Run};
use bayes_experiments::common::{Options, Report, estimate, or_fail};
use bayes_experiments::targets::prior_mass::{
    Row, beyond_the_largest_number, near_zero_and_infinity, near_zero_and_one,
};
use serde_json::json;

/// A mean of NUTS within this many of the errors that its run reports is right.
const NEAR: f64 = 3.0;

/// Whether a run warns that draws of this quantity round.
fn warns(run: &Run, quantity: &str) -> bool {
    run.warnings().iter().any(|warning| match warning {
        Warning::PriorRounds(found) => found.prior.name == quantity,
        _ => false,
    })
}

/// What the runs of a row found.
struct Outcome {
    errors: Vec<f64>,
    told: Vec<f64>,
    held: usize,
    /// Runs that name the quantity, in a warning or a refusal.
    named: usize,
    refused: usize,
    runs: usize,
}

fn by_psmc(row: &Row, seeds: impl Iterator<Item = u64>) -> Outcome {
    let mut found = Outcome {
        errors: Vec::new(),
        told: Vec::new(),
        held: 0,
        named: 0,
        refused: 0,
        runs: 0,
    };
    for seed in seeds {
        found.runs += 1;
        let run = row.run(&Inference::psmc().seed(seed).progress(false));
        if let Err(Error::Improper {
            found: improper, ..
        }) = &run
        {
            found.named += usize::from(improper.quantity == row.quantity);
            found.refused += 1;
            continue;
        }
        let run = or_fail(run);
        let evidence = run.log_evidence_estimate().expect("pSMC has an evidence");
        let (low, high) = run.log_evidence_interval(0.95).expect("it has islands");
        found.errors.push(evidence.mean - row.log_evidence);
        found.told.push(evidence.se);
        found.held += usize::from(low <= row.log_evidence && row.log_evidence <= high);
        found.named += usize::from(warns(&run, row.quantity));
    }
    found
}

/// Prints a row and keeps it; returns whether it is as asserted.
fn say(report: &mut Report, row: &Row, found: &Outcome) -> bool {
    let runs = found.runs;
    let ([error, se], [told, _]) = (estimate(&found.errors), estimate(&found.told));
    report.say(&format!(
        "{:<42} {:>9.4} {error:>9.4} {se:>8.4} {told:>8.4} {:>4} of {runs} {:>4} of {runs} {:>4} of {runs}",
        row.name, row.log_evidence, found.held, found.named, found.refused
    ));
    let content = json!({
        "log_evidence": row.log_evidence, "error": error, "held": found.held, "named": found.named, "refused": found.refused,
    });
    report.note(row.name, content);
    let is_near = match runs {
        1 => found
            .errors
            .first()
            .is_some_and(|error| error.abs() < 5.0 * told),
        _ => 5 * found.held >= 4 * runs,
    };
    found.refused == 0 && (is_near || found.named == runs)
}

/// Whether a run warns that the draws of this quantity miss a part of the posterior, rarely leave an end, or are too few or too different to
/// tell.
fn doubts(run: &Run, quantity: &str) -> bool {
    run.warnings().iter().any(|warning| match warning {
        Warning::UnbalancedSlopes(found) => found.element == quantity,
        Warning::ChainsDisagree(found) => found.element == quantity,
        Warning::ChainsTooShort(found) => found.element == quantity,
        Warning::FewVisits(found) => found.element == quantity,
        _ => false,
    })
}

/// Prints the mean of NUTS over the seeds; returns whether it is as asserted.
fn say_mean(report: &mut Report, row: &Row, seeds: impl Iterator<Item = u64>) -> bool {
    let Some(exact) = row.mean else { return true };
    let (mut means, mut told) = (Vec::new(), Vec::new());
    let (mut held, mut doubted, mut neither) = (0, 0, 0);
    for seed in seeds {
        let run = or_fail(row.run(&Inference::nuts().seed(seed).progress(false)));
        let summary = run.summary();
        let found = summary.rows.first().expect("it has a quantity");
        let is_held = (found.mean - exact).abs() < NEAR * found.mcse;
        let is_doubted = doubts(&run, row.quantity);
        held += usize::from(is_held);
        doubted += usize::from(is_doubted);
        neither += usize::from(!is_held && !is_doubted);
        means.push(found.mean);
        told.push(found.mcse);
    }
    let runs = means.len();
    let ([mean, se], [told, _]) = (estimate(&means), estimate(&told));
    report.say(&format!(
        "{:<42} {exact:>9.4} {mean:>9.4} {se:>8.4} {told:>8.4} {held:>4} of {runs} {doubted:>4} of {runs}",
        row.name
    ));
    let content = json!({ "mean": mean, "se": se, "told": told, "held": held, "doubted": doubted });
    report.note(&format!("NUTS, {}", row.name), content);
    20 * neither <= runs
}

fn main() {
    let (options, [only]) = Options::with(["--only"]);
    let mut report = Report::new("prior_mass", options);
    let rows: Vec<Row> = near_zero_and_one()
        .into_iter()
        .chain(near_zero_and_infinity(false))
        .chain(near_zero_and_infinity(true))
        .chain(beyond_the_largest_number())
        .filter(|row| only.as_ref().is_none_or(|only| row.name.starts_with(only)))
        .collect();
    let seeds = || options.seed..options.seed + options.size(20, 1) as u64;
    report.say("log evidence by pSMC                           exact     error    of mean  told   intervals    named  refused");
    let mut wrong = Vec::new();
    for row in &rows {
        let found = by_psmc(row, seeds());
        if !say(&mut report, row, &found) {
            wrong.push(row.name);
        }
    }
    report
        .say("\nmean of p by NUTS                              exact     found  of mean     told    right    doubted");
    for row in &rows {
        if !say_mean(&mut report, row, seeds()) {
            wrong.push(row.name);
        }
    }
    report.finish();
    assert!(wrong.is_empty(), "wrong without a warning: {wrong:?}");
}
