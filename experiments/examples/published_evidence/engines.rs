//! The four engines for the log evidence, at their defaults, with equal numbers of particles.

use crate::record::{Found, Outcome, Record};
use bayes::Run;
use bayes::comparison::{CheckedEvidence, Verdict};
use bayes::diagnose::Warning;
use bayes::prelude::*;
use bayes_experiments::common::or_fail;
use bayes_experiments::targets::Target;
use std::time::Instant;

/// The names of the engines, in the order of the records of a seed.
pub const ENGINES: [&str; 4] = ["psmc", "smc", "nested", "evidence"];

/// Problems where a run of nested sampling takes minutes, so `nested` and `evidence` are left out.
const WITHOUT_NESTED: [&str; 1] = ["funnel, 10 d"];

/// The runs of a seed. The run of `evidence` is computed from the runs of `psmc` and `nested`, as the engine does.
pub fn solve(target: &Target, seed: u64) -> Vec<Record> {
    let record = |program: usize, outcome, seconds: f64| Record {
        program: ENGINES[program].to_owned(),
        problem: target.name.to_owned(),
        seed,
        outcome,
        seconds: (seconds * 100.0).round() / 100.0,
    };
    let psmc = Inference::psmc().seed(seed).progress(false);
    let (tempered, first) = timed(|| (target.run)(&psmc));
    // as many particles as psmc
    let smc = Inference::smc().particles(8 * 256).seed(seed);
    let (single, second) = timed(|| (target.run)(&smc.progress(false)));
    let mut records = vec![
        record(0, of_run(&tempered), first),
        record(1, of_run(&single), second),
    ];
    if !WITHOUT_NESTED.contains(&target.name) {
        // the seed that `evidence` uses for it
        let nested = Inference::nested().seed(!seed).progress(false);
        let (nested, third) = timed(|| (target.run)(&nested));
        records.push(record(2, of_run(&nested), third));
        let both = of_both(&CheckedEvidence { tempered, nested });
        records.push(record(3, both, first + third));
    }
    records
}

fn of_run(run: &Run) -> Outcome {
    match run.log_evidence_estimate() {
        Some(found) => Outcome::Found(Found::of(&found, calls(run), warnings(run))),
        None => without(),
    }
}

/// The combined outcome, with the warnings of both runs.
fn of_both(both: &CheckedEvidence) -> Outcome {
    let (Some(found), Some(verdict)) = (both.estimate(), both.verdict()) else {
        return without();
    };
    let CheckedEvidence { tempered, nested } = both;
    let said = match verdict {
        Verdict::Tempered => warnings(tempered),
        Verdict::Nested => warnings(nested),
        Verdict::Agree => [warnings(tempered), warnings(nested)].concat(),
        // this warning is a sentence
        _ => vec!["Apart".to_owned()],
    };
    Outcome::Found(Found::of(&found, calls(tempered) + calls(nested), said))
}

fn without() -> Outcome {
    let failed = "no log evidence, or no error of it".to_owned();
    Outcome::Failed { failed }
}

fn calls(run: &Run) -> u64 {
    let counts = run.counts();
    counts.density_evaluations + 3 * counts.gradient_evaluations
}

/// The kinds of a run's warnings.
fn warnings(run: &Run) -> Vec<String> {
    run.warnings().iter().map(kind).collect()
}

/// The name of a warning's variant.
fn kind(warning: &Warning) -> String {
    let value = serde_json::to_value(warning).ok();
    let name = value.and_then(|value| value.as_object()?.keys().next().cloned());
    name.unwrap_or_else(|| warning.to_string())
}

/// The run, with its seconds of processor time.
fn timed(run: impl FnOnce() -> Result<Run, bayes::Error>) -> (Run, f64) {
    let (start, before) = (Instant::now(), processor_seconds());
    let run = or_fail(run());
    let seconds = match (before, processor_seconds()) {
        (Some(before), Some(after)) => after - before,
        _ => start.elapsed().as_secs_f64(),
    };
    (run, seconds)
}

/// The processor seconds of this process so far, to a hundredth, from Linux.
fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // after the program's name in parentheses: user and system time, in hundredths
    let (_, rest) = text.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(11);
    let mut next = || fields.next()?.parse::<f64>().ok();
    Some((next()? + next()?) / 100.0)
}
