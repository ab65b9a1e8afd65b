//! The experiments of a paper, each run by its name.

use crate::chart::{self, Panel};
use crate::common::{Report, fail};
use serde_json::Value;
use std::path::PathBuf;

/// An experiment that runs in a laboratory.
pub struct Experiment<L> {
    /// The name of the experiment on the command line.
    pub name: &'static str,
    /// The publication of the experiment.
    pub source: &'static str,
    /// A line about what the experiment measures.
    pub shows: &'static str,
    /// Runs the experiment and returns its results.
    pub run: fn(&L) -> Value,
}

/// Prints the list of experiments.
pub fn list<L>(experiments: &[Experiment<L>]) {
    for each in experiments {
        let (name, source, shows) = (each.name, each.source, each.shows);
        println!("{name:<15} {source}\n{:15} {shows}", "");
    }
}

/// Runs the experiment with this name, or all, and reports the results of each.
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

/// The folder for figures, if any.
pub struct Figures(pub Option<PathBuf>);

impl Figures {
    /// Draws a figure of panels, `columns` in a row.
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
