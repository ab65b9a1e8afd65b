//! A run as a line of JSON, and the summary of many.

use crate::problems::Problem;
use bayes::Run;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The numbers of a run; log evidences are less the truth.
#[derive(Serialize)]
pub struct Record {
    pub problem: String,
    pub size: [usize; 2],
    pub seed: u64,
    pub off: f64,
    pub error: f64,
    pub degrees: f64,
    pub interval: [f64; 2],
    pub wide: [f64; 2],
    pub warnings: Vec<String>,
    pub calls: [u64; 2],
    pub controlled: bool,
    pub islands: Vec<Island>,
}

/// The numbers of an island.
#[derive(Serialize)]
pub struct Island {
    plain: f64,
    plain_squares: f64,
    controlled: Option<f64>,
    controlled_squares: Option<f64>,
    bias: f64,
    stages: usize,
    /// The relaxation time and the moves at the posterior.
    time: f64,
    moves: usize,
    families: usize,
    /// The relaxation times, moves and effective sample sizes of the last temperatures.
    last: Vec<(f64, usize, f64)>,
}

impl Record {
    /// The numbers of a run.
    pub fn of(run: &Run, problem: &Problem, size: [usize; 2], seed: u64) -> Self {
        let truth = problem.log_evidence;
        let found = run.log_evidence_estimate().expect("islands have evidence");
        let ends = |level| {
            let (low, high) = run
                .log_evidence_interval(level)
                .unwrap_or((f64::NAN, f64::NAN));
            [low - truth, high - truth]
        };
        let squares = |gains: &[f64]| gains.iter().map(|g| g * g).sum::<f64>();
        let island = |group: &bayes::run::Group| {
            let group = group.island().expect("it is an island");
            let last = group.history.last().expect("it has temperatures");
            let mut ancestors = group.ancestors.clone();
            ancestors.sort_unstable();
            ancestors.dedup();
            Island {
                plain: group.log_evidence.unwrap_or(f64::NAN) - truth,
                plain_squares: squares(&group.gains),
                controlled: group.controlled.as_ref().map(|c| c.log_evidence - truth),
                controlled_squares: group.controlled.as_ref().map(|c| squares(&c.gains)),
                bias: group.adaptation_bias,
                stages: group.history.len(),
                time: last.relaxation_time,
                moves: last.mutations,
                families: ancestors.len(),
                last: group
                    .history
                    .iter()
                    .rev()
                    .take(6)
                    .map(|s| (s.relaxation_time, s.mutations, s.ess / s.states as f64))
                    .collect(),
            }
        };
        let counts = run.counts();
        Self {
            problem: problem.name.clone(),
            size,
            seed,
            off: found.mean - truth,
            error: found.se,
            degrees: found.degrees_of_freedom,
            interval: ends(0.95),
            wide: ends(0.998),
            warnings: run.warnings().iter().map(kind).collect(),
            calls: [counts.density_evaluations, counts.gradient_evaluations],
            controlled: run.log_evidence_without_controls().is_some(),
            islands: run.groups.iter().map(island).collect(),
        }
    }

    fn holds(&self) -> bool {
        self.interval[0] <= 0.0 && 0.0 <= self.interval[1]
    }

    /// Whether the run is wrong without a warning.
    pub fn is_silent(&self) -> bool {
        let is_within = self.wide[0] <= 0.0 && 0.0 <= self.wide[1];
        self.warnings.is_empty() && self.off.abs() > 3.5 * self.error && !is_within
    }
}

fn kind(warning: &bayes::diagnose::Warning) -> String {
    let value = serde_json::to_value(warning).ok();
    let name = value.and_then(|value| value.as_object()?.keys().next().cloned());
    name.unwrap_or_else(|| warning.to_string())
}

/// The names of the columns of [`summary`].
pub const HEAD: &str = "                                          mean off           in errors   rms off  printed  covered  below  above  silent  warned      calls";

/// A line of the table, and the same numbers.
pub fn summary(records: &[Record]) -> (String, Value) {
    let n = records.len() as f64;
    let mean = |of: &dyn Fn(&Record) -> f64| records.iter().map(of).sum::<f64>() / n;
    let count = |of: &dyn Fn(&Record) -> bool| records.iter().filter(|record| of(record)).count();
    let off = mean(&|record| record.off);
    let squares = mean(&|record| record.off.powi(2));
    let error = ((squares - off * off) / (n - 1.0)).sqrt();
    let printed = mean(&|record| record.error);
    let covered = count(&Record::holds);
    let below = count(&|record| record.interval[1] < 0.0);
    let above = count(&|record| record.interval[0] > 0.0);
    let silent = count(&Record::is_silent);
    let calls = mean(&|record| (record.calls[0] + 3 * record.calls[1]) as f64);
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for name in records.iter().flat_map(|record| &record.warnings) {
        *kinds.entry(name).or_default() += 1;
    }
    let warned = count(&|record| !record.warnings.is_empty());
    let kinds: Vec<String> = kinds
        .iter()
        .map(|(name, runs)| format!("{name} {runs}"))
        .collect();
    let line = format!(
        "{off:>+9.4} ± {error:<8.4} {:>+6.1} {:>9.4} {printed:>8.4} {:>8} {below:>6} {above:>6} {silent:>7} {warned:>7} {calls:>10.0}  {}",
        off / error,
        squares.sqrt(),
        format!("{covered}/{}", records.len()),
        kinds.join(", ")
    );
    let content = json!({
        "off": off, "error": error, "rms": squares.sqrt(), "printed": printed, "covered": covered, "below": below,
        "above": above, "silent": silent, "runs": records.len(), "warned": warned, "calls": calls,
    });
    (line, content)
}
