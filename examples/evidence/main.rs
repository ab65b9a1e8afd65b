//! Problems whose evidence and posterior moments are known: log evidence, its standard error and how far off both are.
//!
//! Asserts that every log evidence lies within 4 of the run's own standard errors, which are below 0.1, and every
//! posterior mean and standard deviation within 4 Monte Carlo errors.

#[path = "../common/mod.rs"]
mod common;
mod models;
mod problems;

use bayes::Run;
use common::{Options, Report};
use problems::{Moment, Problem, Settings, problems};

/// Left out with `--quick`: so few particles cannot fit a dense mass matrix in 60 coordinates, and without one these
/// take minutes.
const LARGE: [&str; 2] = ["blr_64x64", "tracking_2d"];

fn main() {
    let options = Options::from_args();
    let settings = Settings {
        islands: 8,
        particles: options.size(1024, 256),
        seed: options.seed,
    };
    let mut report = Report::new("evidence", options);
    report.say(&format!(
        "{:<30} {:>4} {:>10} {:>8} {:>10} {:>6} {:>8} {:>8}",
        "problem", "d", "log Z", "se", "exact", "z", "worst z", "seconds"
    ));
    let mut failures = Vec::new();
    let chosen = problems()
        .into_iter()
        .filter(|p| !options.quick || !LARGE.contains(&p.name.as_str()));
    for problem in chosen {
        let run = report.keep(&problem.name, || problem.solve(&settings));
        failures.extend(judge(&problem, &run, &report, options.quick));
    }
    assert!(
        failures.is_empty(),
        "outside the bounds:\n{}",
        failures.join("\n")
    );
    report.finish();
}

/// Prints the row of a problem; returns what is out of bounds.
fn judge(problem: &Problem, run: &Run, report: &Report, quick: bool) -> Vec<String> {
    let [evidence, error] =
        [run.log_evidence(), run.log_evidence_se()].map(|v| v.expect("islands have an evidence"));
    let z = (evidence - problem.log_evidence) / error;
    let worst = problem
        .moments
        .iter()
        .map(|moment| deviation(run, moment))
        .fold(0.0, f64::max);
    report.say(&format!(
        "{:<30} {:>4} {evidence:>10.4} {error:>8.4} {:>10.4} {z:>6.2} {worst:>8.2} {:>8.1}",
        problem.name,
        run.layout.dim,
        problem.log_evidence,
        report.seconds(&problem.name),
    ));
    let mut failures = Vec::new();
    if z.abs() > 4.0 {
        failures.push(format!(
            "{}: log evidence is {z:.1} standard errors off",
            problem.name
        ));
    }
    if error > 0.1 && !quick {
        failures.push(format!(
            "{}: standard error {error:.3} of the log evidence",
            problem.name
        ));
    }
    // The largest of up to 128 deviations: the bound of 4 errors holds for each of them.
    if worst > 4.0 && !quick {
        failures.push(format!(
            "{}: a moment is {worst:.1} Monte Carlo errors off",
            problem.name
        ));
    }
    failures
}

/// The larger of the deviations of mean and standard deviation, in Monte Carlo standard errors.
fn deviation(run: &Run, moment: &Moment) -> f64 {
    let element = |draw: bayes::DrawView<'_>| draw.vector(moment.variable)[moment.element];
    let mean = run.estimate(element);
    let spread = run.estimate(|draw| (element(draw) - mean.mean).powi(2));
    let sd = spread.mean.sqrt();
    let sd_error = spread.se / (2.0 * sd);
    ((mean.mean - moment.mean) / mean.se)
        .abs()
        .max(((sd - moment.sd) / sd_error).abs())
}
