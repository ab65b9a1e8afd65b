//! The evidence estimate of every single island of a run, as lines of JSON: for work on the errors of combined islands.

use crate::problems::Case;
use bayes::Run;
use bayes_experiments::common::fail;
use serde_json::json;
use std::fs::File;
use std::io::Write;

/// A file with a line for each run.
pub struct Islands(Option<File>);

impl Islands {
    /// Writes to the file of this name; writes nothing without one.
    pub fn to(name: Option<String>) -> Self {
        Self(name.map(|name| {
            File::create(&name).unwrap_or_else(|error| fail(&format!("--save {name}: {error}")))
        }))
    }

    /// Adds a run: the deviations of the islands' log evidences, their standard errors by the ancestry of their particles with
    /// degrees of freedom, and the interval of the run.
    pub fn add(&mut self, case: &Case, setting: &str, seed: u64, run: &Run) {
        let Some(file) = &mut self.0 else { return };
        let alone: Vec<_> = (0..run.groups.len())
            .filter_map(|island| alone(run, island).log_evidence_estimate())
            .collect();
        let line = json!({
            "problem": case.name,
            "setting": setting,
            "seed": seed,
            "deviation": alone.iter().map(|e| e.mean - case.log_evidence).collect::<Vec<_>>(),
            "se": alone.iter().map(|e| e.se).collect::<Vec<_>>(),
            "degrees_of_freedom": alone.iter().map(|e| e.degrees_of_freedom).collect::<Vec<_>>(),
            "stages": run.groups.iter().map(|group| group.history().len()).collect::<Vec<_>>(),
            "interval": run.log_evidence_interval(0.95).map(|(low, high)| [low - case.log_evidence, high - case.log_evidence]),
        });
        if let Err(error) = writeln!(file, "{line}") {
            fail(&format!("--save: {error}"));
        }
    }
}

/// An island as a separate run.
fn alone(run: &Run, island: usize) -> Run {
    let mut single = run.clone();
    single.groups = vec![run.groups[island].clone()];
    single
}
