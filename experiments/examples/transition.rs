//! First-order phase transitions: a narrow, high mode inside a wide one, which tempering misses.
//!
//! ```text
//! f(x) = exp(−r²/2) + exp(h − |x − s|² / 2w²),    x uniform in (−5, 5)ᵈ
//! cargo run --release -p bayes-experiments --example transition
//! ```
//!
//! d, the log height h, the width w and the location s of the narrow mode vary. If the narrow mode holds more mass than the wide one, only
//! the last density on the path has particles in it. pSMC at its defaults then misses it, and warns if a climb from a particle or a prior
//! draw reaches it. For each the program prints the true log evidence, the log evidence of the run, and the log evidence that the warning
//! names.
//!
//! Asserted: each mode at the centre is found or named, the evidence that a warning names is within 0.1 of the truth, and no warning names
//! mass if none is missing. No particle is in the basin of a mode off the centre; missed modes there are counted.

use bayes::diagnose::Warning;
use bayes::prelude::*;
use bayes_experiments::common::{Options, Report, or_fail};
use bayes_experiments::targets::models::two_phases;
use bayes_experiments::targets::truth;
use serde_json::json;

/// A narrow mode.
#[derive(Clone, Copy)]
struct Phase {
    dim: usize,
    height: f64,
    width: f64,
    place: f64,
}

/// Modes with heights that give the narrow mode a tenth to e⁸ times the mass of the wide one.
fn phases(places: &[f64]) -> Vec<Phase> {
    let mut phases = Vec::new();
    for dim in [5, 10, 20] {
        for width in [0.02, 0.1, 0.3] {
            for excess in [-2.3, 0.0, 2.3, 8.0] {
                phases.extend(places.iter().map(|place| Phase {
                    dim,
                    height: excess - dim as f64 * f64::ln(width),
                    width,
                    place: *place,
                }));
            }
        }
    }
    phases
}

/// The result of a run.
enum Verdict {
    /// The evidence is right within 4 of its errors, or 0.02.
    Right,
    /// A warning names this log evidence.
    Named(f64),
    /// A warning names missing mass, although none is missing.
    NamedFalsely,
    /// Another warning.
    Warned,
    Silent,
}

fn judge(run: &Run, truth: f64) -> Verdict {
    let missed = run
        .warnings()
        .into_iter()
        .find_map(|warning| match warning {
            Warning::MissedMass(missed) => Some(missed.with_it[0]),
            _ => None,
        });
    let estimate = run
        .log_evidence_estimate()
        .expect("islands have an evidence");
    let is_right = (estimate.mean - truth).abs() < (4.0 * estimate.se).max(0.02);
    match missed {
        // if the interval holds the truth only because of a large error, mass may still be missing
        Some(_) if is_right && estimate.se < 0.02 => Verdict::NamedFalsely,
        Some(named) => Verdict::Named(named),
        None if is_right => Verdict::Right,
        None if run.warnings().is_empty() => Verdict::Silent,
        None => Verdict::Warned,
    }
}

/// Numbers of runs that were right, that named the evidence, that warned, and without a warning.
fn table(report: &Report, seed: u64, phases: &[Phase]) -> [usize; 4] {
    report.say(" d  width  place  narrow/wide    truth      run            verdict");
    let mut counts = [0; 4];
    for phase in phases {
        let Phase {
            dim,
            height,
            width,
            place,
        } = *phase;
        let [wide, narrow] = truth::phases(dim, height, width);
        let truth = truth::two_phases(dim, height, width);
        let model = two_phases(dim, height, width, place);
        let run = or_fail(Inference::psmc().seed(seed).progress(false).run(&model));
        let verdict = judge(&run, truth);
        let (column, text) = match verdict {
            Verdict::Right => (0, "right".to_owned()),
            Verdict::Named(named) => {
                let is_central = place == 0.0;
                assert!(
                    !is_central || (named - truth).abs() < 0.1,
                    "{named} for {truth}"
                );
                (1, format!("missed mass named: {named:.3}"))
            }
            Verdict::NamedFalsely => panic!("nothing is missing of {truth}: {run}"),
            Verdict::Warned => (2, "another warning".to_owned()),
            Verdict::Silent => (3, "missed in silence".to_owned()),
        };
        counts[column] += 1;
        let estimate = run
            .log_evidence_estimate()
            .expect("islands have an evidence");
        report.say(&format!(
            "{dim:>2}  {width:>5}  {place:>5}  {:>11.1}  {truth:>7.3}  {:>7.3} ± {:.3}  {text}",
            (narrow - wide).exp(),
            estimate.mean,
            estimate.se
        ));
    }
    counts
}

fn main() {
    let options = Options::from_args();
    let mut report = Report::new("transition", options);
    // with 11 each kind of mass, width, dimension and place is still there
    let step = options.size(1, 11);
    for (name, places) in [
        ("at the centre", &[0.0][..]),
        ("off the centre", &[0.5, 1.0]),
    ] {
        let chosen: Vec<Phase> = phases(places).into_iter().step_by(step).collect();
        report.say(&format!("\nnarrow mode {name}"));
        let [right, named, warned, silent] = table(&report, options.seed, &chosen);
        report.say(&format!(
            "{} runs: {right} right, {named} named the missing mass, {warned} warned of something else, {silent} silent",
            chosen.len()
        ));
        report.note(
            name,
            json!({ "right": right, "named": named, "warned": warned, "silent": silent }),
        );
        let unnamed = warned + silent;
        assert!(
            places != [0.0] || unnamed == 0,
            "{unnamed} were not named {name}"
        );
    }
    report.finish();
}
