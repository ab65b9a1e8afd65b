//! A run as a line of JSON, for our engines and for other programs.

use bayes::diagnose::Estimate;
use bayes_experiments::common::fail;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A run of a program on a problem.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// The program, or the engine of this library.
    pub program: String,
    /// The name of the target.
    pub problem: String,
    /// The seed.
    pub seed: u64,
    /// The outcome of the run.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Seconds of processor time.
    pub seconds: f64,
}

/// The outcome of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Outcome {
    /// A log evidence.
    Found(Found),
    /// The reason for a missing log evidence.
    Failed {
        /// The reason in words.
        failed: String,
    },
}

/// A log evidence and its cost.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Found {
    /// The estimate.
    pub log_evidence: f64,
    /// The printed standard error.
    pub error: f64,
    /// The printed 95% interval.
    pub interval: [f64; 2],
    /// The 99.8% interval, if the program prints one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wide: Option<[f64; 2]>,
    /// Evaluations of the likelihood, with a gradient as three.
    pub calls: u64,
    /// The kinds, or texts, of warnings.
    pub warnings: Vec<String>,
}

/// Rounds to five decimal places, below every error.
fn rounded(value: f64) -> f64 {
    (value * 1e5).round() / 1e5
}

impl Found {
    /// Makes a record of an estimate.
    pub fn of(estimate: &Estimate, calls: u64, warnings: Vec<String>) -> Self {
        let ends = |level| {
            let (low, high) = estimate.interval(level);
            [rounded(low), rounded(high)]
        };
        Self {
            log_evidence: rounded(estimate.mean),
            error: rounded(estimate.se),
            interval: ends(0.95),
            wide: Some(ends(0.998)),
            calls,
            warnings,
        }
    }

    /// The distance from the truth in printed errors.
    pub fn z(&self, truth: f64) -> f64 {
        (self.log_evidence - truth) / self.error
    }

    /// Whether the 95% interval holds the truth.
    pub fn covers(&self, truth: f64) -> bool {
        let [low, high] = self.interval;
        (low..=high).contains(&truth)
    }

    /// Whether the run is wrong without a warning: more than 3.5 printed errors from the truth and outside of the 99.8% interval. A
    /// correct run is so at most twice in a thousand.
    pub fn misses_silently(&self, truth: f64) -> bool {
        let is_within = self
            .wide
            .is_some_and(|[low, high]| (low..=high).contains(&truth));
        self.warnings.is_empty() && self.z(truth).abs() > 3.5 && !is_within
    }
}

impl Record {
    /// The found log evidence, if any.
    pub fn found(&self) -> Option<&Found> {
        match &self.outcome {
            Outcome::Found(found) => Some(found),
            Outcome::Failed { .. } => None,
        }
    }

    /// The reason for a failure.
    pub fn failed(&self) -> Option<String> {
        match &self.outcome {
            Outcome::Found(_) => None,
            Outcome::Failed { failed } => Some(failed.clone()),
        }
    }
}

/// The lines of a file; none if it is not there.
pub fn read(path: &Path) -> Vec<Record> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let lines = text.lines().enumerate();
    let read = lines.map(|(k, line)| {
        serde_json::from_str(line)
            .unwrap_or_else(|error| fail(&format!("{}, line {}: {error}", path.display(), k + 1)))
    });
    read.collect()
}

/// Adds a line to a file.
pub fn append(path: &Path, record: &Record) {
    use std::io::Write;
    let line = serde_json::to_string(record).expect("a record is JSON");
    let mut file = std::fs::OpenOptions::new();
    let opened = file.create(true).append(true).open(path);
    let written = opened.and_then(|mut file| writeln!(file, "{line}"));
    if let Err(error) = written {
        fail(&format!("cannot write {}: {error}", path.display()));
    }
}
