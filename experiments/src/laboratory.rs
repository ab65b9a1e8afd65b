//! The experiments of a paper, each run by its name.

use crate::chart::{self, Panel};
use crate::common::{Report, fail};
use serde_json::Value;
use std::path::PathBuf;

/// An experiment, which is given a laboratory.
pub struct Experiment<L> {
    /// The argument that runs it.
    pub name: &'static str,
    /// Where it is published.
    pub source: &'static str,
    /// What it measures, in a line.
    pub shows: &'static str,
    /// Runs it, and returns what it has found.
    pub run: fn(&L) -> Value,
}

/// Prints what the experiments show.
pub fn list<L>(experiments: &[Experiment<L>]) {
    for each in experiments {
        let (name, source, shows) = (each.name, each.source, each.shows);
        println!("{name:<15} {source}\n{:15} {shows}", "");
    }
}

/// Runs the experiment of this name, or all, and reports what each has found.
pub fn run<L>(experiments: &[Experiment<L>], name: &str, lab: &L, mut report: Report) {
    let chosen = experiments.iter();
    let chosen = chosen.filter(|experiment| name == "all" || name == experiment.name);
    let chosen: Vec<&Experiment<L>> = chosen.collect();
    if chosen.is_empty() {
        fail(&format!(
            "there is no experiment `{name}`; `list` names them"
        ));
    }
    for experiment in chosen {
        report.say(&format!("\n== {}: {}", experiment.name, experiment.source));
        report.note(experiment.name, (experiment.run)(lab));
    }
    report.finish();
}

/// Where the figures go, if anywhere.
pub struct Figures(pub Option<PathBuf>);

impl Figures {
    /// Draws a figure of panels, some in a row.
    pub fn draw(&self, name: &str, panels: &[Panel], columns: usize) {
        self.write(name, || chart::svg(panels, columns));
    }

    /// Writes the text of a figure.
    pub fn write(&self, name: &str, svg: impl FnOnce() -> String) {
        let Some(folder) = &self.0 else { return };
        let file = folder.join(format!("{name}.svg"));
        if let Err(error) = std::fs::write(&file, svg()) {
            fail(&format!("cannot write {}: {error}", file.display()));
        }
    }
}
