//! Problems whose evidence and posterior moments are known: log evidence, its standard error and how far off both are.
//!
//! ```text
//! cargo run --release --example evidence                        pSMC with HMC, 8 islands of 1024 particles
//! cargo run --release --example evidence -- --engine smc        SMC, 8192 particles
//! cargo run --release --example evidence -- --kernel pcn        another kernel: pcn or random_walk
//! ```
//!
//! Asserts that every log evidence lies within 4 of the run's own standard errors, which with HMC are below 0.1, and every
//! posterior mean and standard deviation of a run without warnings within 4 Monte Carlo errors. The first state of the
//! hidden Markov model is a whole number, which only the random walk moves.

#[path = "../common/mod.rs"]
mod common;
mod models;
mod problems;

use bayes::Run;
use common::{Options, Report, fail};
use problems::{Kernel, Moment, Problem, Settings, problems};

/// Left out with `--quick`: so few particles cannot fit a dense mass matrix in 60 coordinates, and without one these
/// take minutes.
const LARGE: [&str; 2] = ["blr_64x64", "tracking_2d"];

/// Engines with the names of their option: whether one sampler holds all particles.
const ENGINES: [(&str, bool); 2] = [("psmc", false), ("smc", true)];

/// Kernels with the names of their option.
const KERNELS: [(&str, Kernel); 3] = [
    ("hmc", Kernel::Hmc),
    ("pcn", Kernel::Pcn),
    ("random_walk", Kernel::RandomWalk),
];

fn main() {
    let (options, [engine, kernel]) = Options::with(["--engine", "--kernel"]);
    let (engine, single) = chosen("--engine", engine, ENGINES);
    let (kernel_name, kernel) = chosen("--kernel", kernel, KERNELS);
    let settings = Settings {
        single,
        kernel,
        islands: 8,
        particles: options.size(1024, 256),
        seed: options.seed,
    };
    let mut report = Report::new("evidence", options);
    report.say(&format!(
        "{:<30} {:>4} {:>10} {:>8} {:>10} {:>6} {:>8} {:>8}",
        format!("{engine}, {kernel_name}"),
        "d",
        "log Z",
        "se",
        "exact",
        "z",
        "worst z",
        "seconds"
    ));
    let mut failures = Vec::new();
    let chosen = problems()
        .into_iter()
        .filter(|p| !options.quick || !LARGE.contains(&p.name.as_str()));
    for problem in chosen {
        // what the kernel cannot move is left out
        let Some(run) = report.keep_some(&problem.name, || problem.solve(&settings)) else {
            continue;
        };
        failures.extend(judge(&problem, &run, &report, &settings));
    }
    assert!(
        failures.is_empty(),
        "outside the bounds:\n{}",
        failures.join("\n")
    );
    report.finish();
}

/// The choice that was named, the first unless one was.
fn chosen<T: Copy, const N: usize>(
    option: &str,
    name: Option<String>,
    choices: [(&'static str, T); N],
) -> (&'static str, T) {
    let Some(name) = name else { return choices[0] };
    let found = choices.into_iter().find(|(choice, _)| *choice == name);
    found.unwrap_or_else(|| {
        let names = choices.map(|(choice, _)| choice).join(", ");
        fail(&format!("`{option}` is `{name}`, must be one of {names}"))
    })
}

/// Prints the row of a problem; returns what is out of bounds.
fn judge(problem: &Problem, run: &Run, report: &Report, settings: &Settings) -> Vec<String> {
    let [evidence, error] =
        [run.log_evidence(), run.log_evidence_se()].map(|v| v.expect("particles have an evidence"));
    let z = (evidence - problem.log_evidence) / error;
    let warns = !run.warnings().is_empty();
    let worst = problem
        .moments
        .iter()
        .map(|moment| deviation(run, moment))
        .fold(0.0, f64::max);
    report.say(&format!(
        "{:<30} {:>4} {evidence:>10.4} {error:>8.4} {:>10.4} {z:>6.2} {worst:>8.2} {:>8.1}{}",
        problem.name,
        run.layout.dim,
        problem.log_evidence,
        report.seconds(&problem.name),
        if warns { "  warns" } else { "" },
    ));
    let mut failures = Vec::new();
    let mut fail = |what: String| failures.push(format!("{}: {what}", problem.name));
    if z.abs() > 4.0 {
        fail(format!("log evidence is {z:.1} standard errors off"));
    }
    let full = settings.particles >= 1024;
    if error > 0.1 && full && settings.kernel == Kernel::Hmc {
        fail(format!("standard error {error:.3} of the log evidence"));
    }
    // The largest of up to 128 deviations: the bound of 4 errors holds for each of them. Runs that warn are not judged:
    // pCN cannot move 60 coordinates that are strongly correlated.
    if worst > 4.0 && full && !warns {
        fail(format!("a moment is {worst:.1} Monte Carlo errors off"));
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
