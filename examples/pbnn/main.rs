//! The experiments of "On Feynman-Kac training of partial Bayesian neural networks" (Zhao et al. 2024), each by one command, beside its
//! published table.
//!
//! ```text
//! cargo run --release --example pbnn -- list
//! cargo run --release --example pbnn -- regression --repeats 20 --resume FOLDER --svg DIR
//! ```
//!
//! Without a name all are run on what is shipped. The weights of one layer have a posterior, those of the others are learnt; but the
//! crescent, which is no network. NLPD is that of the mixture of all particles. The other scores are the paper's, means over
//! particles of the score of each, and in columns of their own those of the mean prediction, which are better and say what a user of
//! the network gets. `±` is the standard error over repeats. With `--resume` every repeat is kept in the folder as soon as it is done.
//! docs/figures.md says what was found.

#[path = "../common/cells.rs"]
mod cells;
#[path = "../common/chart.rs"]
mod chart;
#[path = "../common/mod.rs"]
mod common;
#[path = "../common/mnist.rs"]
mod mnist;

mod crescent;
mod digits;
mod learn;
mod models;
mod score;
mod synthetic;
mod table;
mod task;
mod uci;

use cells::Cells;
use common::{Options, Report, fail, folder, number};
use serde_json::Value;
use std::path::PathBuf;

/// What an experiment needs besides its own settings.
pub struct Lab<'a> {
    options: Options,
    cells: Cells,
    /// A folder with data that are not shipped.
    data: Option<String>,
    /// Where figures are drawn, if anywhere.
    svg: Option<PathBuf>,
    /// The sets of `uci`, separated by commas.
    sets: Option<String>,
    repeats: Option<String>,
    particles: Option<String>,
    epochs: Option<String>,
    rows: Option<String>,
    report: &'a Report,
}

impl Lab<'_> {
    fn say(&self, text: &str) {
        self.report.say(text);
    }

    /// The value of an option that takes a number, or `full`, or `quick` with `--quick`.
    fn size(&self, name: &str, text: &Option<String>, full: usize, quick: usize) -> usize {
        number(name, text.clone(), self.options.size(full, quick))
    }

    /// Draws a figure, if a folder was given.
    fn draw(&self, name: &str, panels: &[chart::Panel]) {
        let Some(folder) = &self.svg else { return };
        let file = folder.join(format!("{name}.svg"));
        if let Err(error) = std::fs::write(&file, chart::svg(panels, 2)) {
            fail(&format!("cannot write {}: {error}", file.display()));
        }
    }
}

/// An experiment of the paper.
struct Experiment {
    name: &'static str,
    source: &'static str,
    shows: &'static str,
    run: fn(&Lab<'_>) -> Value,
}

static EXPERIMENTS: [Experiment; 5] = [
    Experiment {
        name: "crescent",
        source: "section 4.1, figure 2",
        shows: "one param and a posterior in the shape of a crescent, by seven methods, beside the exact maximum",
        run: crescent::run,
    },
    Experiment {
        name: "regression",
        source: "section 4.2, table 1",
        shows: "y = x sin(x tanh x) + noise: a network 1-20-10-1",
        run: synthetic::regression,
    },
    Experiment {
        name: "moons",
        source: "section 4.2, table 1",
        shows: "two moons: a network 2-100-20-5-2",
        run: synthetic::moons,
    },
    Experiment {
        name: "uci",
        source: "section 4.3, tables 2 and 3",
        shows: "seven sets of regression and five of classification, of which `australian` is shipped: `--data DIR`, `--sets NAME,NAME`",
        run: uci::run,
    },
    Experiment {
        name: "mnist",
        source: "section 4.4, table 4",
        shows: "a convolutional network on handwritten digits: `--data DIR` reads all, `--rows N` takes more than 500",
        run: digits::run,
    },
];

fn list() {
    for each in &EXPERIMENTS {
        println!(
            "{:<12} {}\n{:12} {}",
            each.name, each.source, "", each.shows
        );
    }
}

/// The experiments of this name, or all.
fn chosen(name: &str) -> Vec<&'static Experiment> {
    let chosen = EXPERIMENTS.iter();
    let chosen = chosen.filter(|experiment| name == "all" || name == experiment.name);
    let chosen: Vec<&Experiment> = chosen.collect();
    if chosen.is_empty() {
        fail(&format!(
            "there is no experiment `{name}`; `list` names them"
        ));
    }
    chosen
}

fn main() {
    let names = [
        "NAME",
        "--data",
        "--svg",
        "--resume",
        "--sets",
        "--repeats",
        "--particles",
        "--epochs",
        "--rows",
    ];
    let (
        options,
        [
            name,
            data,
            svg,
            resume,
            sets,
            repeats,
            particles,
            epochs,
            rows,
        ],
    ) = Options::with(names);
    let name = name.unwrap_or_else(|| "all".to_owned());
    if name == "list" {
        return list();
    }
    let mut report = Report::new("pbnn", options);
    let lab = Lab {
        options,
        cells: Cells {
            seed: options.seed,
            folder: folder(resume),
        },
        data,
        svg: folder(svg),
        sets,
        repeats,
        particles,
        epochs,
        rows,
        report: &report,
    };
    let mut found = Vec::new();
    for experiment in chosen(&name) {
        lab.say(&format!("\n== {}: {}", experiment.name, experiment.source));
        found.push((experiment.name, (experiment.run)(&lab)));
    }
    for (name, value) in found {
        report.note(name, value);
    }
    report.finish();
}
