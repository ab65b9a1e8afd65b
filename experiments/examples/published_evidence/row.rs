//! Summary of the runs of a program on a problem.

use crate::record::Record;
use bayes_experiments::targets::Target;

/// The runs of a program on a problem, taken together.
pub struct Row {
    /// The program.
    pub program: String,
    /// Runs with a log evidence.
    pub runs: usize,
    /// The mean of the estimates less the truth.
    pub bias: f64,
    /// The root mean square of the same.
    pub off: f64,
    /// The mean printed error.
    pub error: f64,
    /// Runs whose 95% interval holds the truth.
    pub covered: usize,
    /// The largest deviation in printed errors.
    pub worst: f64,
    /// Runs with a warning.
    pub warned: usize,
    /// Seeds of runs that are wrong without a warning.
    pub silent: Vec<u64>,
    /// Mean calls.
    pub calls: f64,
    /// The number of calls that a run of another size would need for a printed error of 0.1.
    pub calls_for_a_tenth: f64,
    /// Mean seconds of processor time.
    pub seconds: f64,
    /// The reason of a run without a result.
    pub failed: Option<String>,
    /// Each kind of warning with the number of its runs.
    pub kinds: Vec<(String, usize)>,
}

impl Row {
    /// The summary of a program on this target; `None` if it has no run.
    pub fn of(records: &[Record], program: &str, target: &Target) -> Option<Self> {
        let is_here = |r: &&Record| r.program == program && r.problem == target.name;
        let all: Vec<&Record> = records.iter().filter(is_here).collect();
        if all.is_empty() {
            return None;
        }
        let truth = target.log_evidence;
        let found: Vec<_> = all.iter().filter_map(|r| r.found()).collect();
        let mean = |value: &dyn Fn(usize) -> f64| {
            (0..found.len()).map(value).sum::<f64>() / found.len() as f64
        };
        let off = |k: usize| found[k].log_evidence - truth;
        let silent = all.iter().filter(|record| {
            let found = record.found();
            found.is_some_and(|found| found.misses_silently(truth))
        });
        let seconds: f64 = all.iter().map(|record| record.seconds).sum();
        Some(Self {
            program: program.to_owned(),
            runs: found.len(),
            bias: mean(&off),
            off: mean(&|k| off(k).powi(2)).sqrt(),
            error: mean(&|k| found[k].error),
            covered: found.iter().filter(|found| found.covers(truth)).count(),
            worst: found.iter().map(|f| f.z(truth).abs()).fold(0.0, f64::max),
            warned: found.iter().filter(|f| !f.warnings.is_empty()).count(),
            silent: silent.map(|record| record.seed).collect(),
            calls: mean(&|k| found[k].calls as f64),
            // the squared error falls as one over the calls
            calls_for_a_tenth: mean(&|k| (found[k].error / 0.1).powi(2) * found[k].calls as f64),
            seconds: seconds / all.len() as f64,
            failed: all.iter().find_map(|record| record.failed()),
            kinds: kinds(&all),
        })
    }
}

/// Each kind of warning with the number of its runs, in alphabetical order.
fn kinds(records: &[&Record]) -> Vec<(String, usize)> {
    let mut said: Vec<&String> = Vec::new();
    for found in records.iter().filter_map(|record| record.found()) {
        let mut of_run: Vec<&String> = found.warnings.iter().collect();
        of_run.sort();
        of_run.dedup();
        said.extend(of_run);
    }
    said.sort();
    let groups = said.chunk_by(|a, b| a == b);
    groups
        .map(|group| (group[0].clone(), group.len()))
        .collect()
}
