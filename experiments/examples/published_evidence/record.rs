//! A run as a line of JSON, ours as those of other programs.

use bayes::diagnose::Estimate;
use bayes_experiments::common::fail;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A run of a program on a problem.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// The program, or the engine of this one.
    pub program: String,
    /// The name of the target.
    pub problem: String,
    /// The seed.
    pub seed: u64,
    /// What it found.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Seconds of a processor.
    pub seconds: f64,
}

/// What a run found.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Outcome {
    /// A log evidence.
    Found(Found),
    /// Why there is none.
    Failed {
        /// In words.
        failed: String,
    },
}

/// A log evidence and what it cost.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Found {
    /// The estimate.
    pub log_evidence: f64,
    /// Its printed standard error.
    pub error: f64,
    /// Its 95% interval.
    pub interval: [f64; 2],
    /// Its 99.8% interval, where the program says one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wide: Option<[f64; 2]>,
    /// Evaluations of the likelihood, with a gradient as three.
    pub calls: u64,
    /// The kinds, or texts, of its warnings.
    pub warnings: Vec<String>,
}

/// Five digits behind the point, which is below every error.
fn rounded(value: f64) -> f64 {
    (value * 1e5).round() / 1e5
}

impl Found {
    /// From an estimate.
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

    /// Its distance from the truth in printed errors.
    pub fn z(&self, truth: f64) -> f64 {
        (self.log_evidence - truth) / self.error
    }

    /// Whether its 95% interval holds the truth.
    pub fn covers(&self, truth: f64) -> bool {
        let [low, high] = self.interval;
        (low..=high).contains(&truth)
    }

    /// Whether it is wrong and does not say so: more than 3.5 printed errors from the truth, outside of the 99.8% interval, and without a
    /// warning. A correct run is so twice in a thousand at most.
    pub fn misses_silently(&self, truth: f64) -> bool {
        let is_within = self
            .wide
            .is_some_and(|[low, high]| (low..=high).contains(&truth));
        self.warnings.is_empty() && self.z(truth).abs() > 3.5 && !is_within
    }
}

impl Record {
    /// What it found, if anything.
    pub fn found(&self) -> Option<&Found> {
        match &self.outcome {
            Outcome::Found(found) => Some(found),
            Outcome::Failed { .. } => None,
        }
    }

    /// Why it found nothing.
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
