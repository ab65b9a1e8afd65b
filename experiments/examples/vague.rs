//! NUTS at its defaults on programs of BUGS with vague priors, such as gamma(0.001, 0.001) for a precision: do chains reach the posterior?
//!
//! ```text
//! cargo run --release -p bayes-experiments --example vague
//! ```
//!
//! The data are from the examples of BUGS (Spiegelhalter, Thomas, Best & Gilks 1996), the models as in Stan's collection of them. For each
//! program it prints R-hat and the smallest bulk ESS, divergent trajectories, the mean of a quantity, and Stan's mean if available.
//! Asserted: every program has an R-hat below 1.1, except birats and orange, whose funnels NUTS does not enter.

use bayes::Run;
use bayes::prelude::*;
use bayes_experiments::bugs::{Program, programs};
use bayes_experiments::common::{Options, Report};
use serde_json::json;

/// Prints the results of a program's chains.
fn say(report: &mut Report, program: &Program, seed: u64, run: &Run) {
    let rows = run.summary().rows;
    let r_hat = rows.iter().map(|row| row.r_hat).fold(f64::NAN, f64::max);
    let ess = rows.iter().map(|row| row.ess_bulk).fold(f64::NAN, f64::min);
    let Program {
        name,
        quantity,
        stan,
        ..
    } = program;
    let mean = run.mean(quantity).map_or(f64::NAN, |mean| mean[0]);
    let counts = run.counts();
    report.say(&format!(
        "{name:<10}{seed:>3} {r_hat:>9.3} {ess:>8.0} {:>10} {:>10} {quantity:>6} {mean:>9.4} {stan:>7}",
        counts.divergences, counts.gradient_evaluations
    ));
    for warning in run.warnings() {
        report.say(&format!(
            "    {}",
            warning.to_string().chars().take(120).collect::<String>()
        ));
    }
    // NUTS does not enter these funnels, and warns
    let is_funnel = ["birats", "orange"].contains(name);
    assert!(is_funnel || r_hat < 1.1, "{name}: R-hat {r_hat}");
    let content = json!({ "r_hat": r_hat, "ess": ess, "mean": mean });
    report.note(&format!("{name}, seed {seed}"), content);
}

fn main() {
    let (options, [only]) = Options::with(["--only"]);
    let mut report = Report::new("vague", options);
    let seeds = options.size(3, 1) as u64;
    report.say("program   seed    R-hat      ESS  divergent  gradients     mean of        Stan");
    for program in &programs() {
        // the chains of two take minutes: their posteriors are funnels
        let is_slow = options.quick && ["birats", "orange"].contains(&program.name);
        if is_slow || only.as_ref().is_some_and(|only| only != program.name) {
            continue;
        }
        for seed in options.seed..options.seed + seeds {
            let nuts = Inference::nuts().seed(seed).progress(false);
            let run = program.model.run(&nuts);
            let run = run.unwrap_or_else(|error| panic!("{}: {error}", program.name));
            say(&mut report, program, seed, &run);
        }
    }
    report.finish();
}
