//! The experiments of "On Feynman-Kac training of partial Bayesian neural networks" (Zhao et al. 2024), each by one command, compared
//! with its published table.
//!
//! ```text
//! cargo run --release -p bayes-experiments --example pbnn -- list
//! cargo run --release -p bayes-experiments --example pbnn -- regression --repeats 20 --resume FOLDER --svg DIR
//! ```
//!
//! Without a name all experiments run on the shipped data. One layer's weights have a posterior, the other layers are learnt; the
//! crescent is not a network. NLPD is the NLPD of the mixture of all particles. The other scores are the paper's: means over particles
//! of each particle's score. Separate columns have the scores of the mean prediction, which are better, and which a user of the
//! network gets. `±` is the standard error over repeats. With `--resume` every finished repeat is saved in the folder.
//! `--methods map-hmc,ohsmc` runs some methods of a table. The results are in experiments/figures.md.

mod crescent;
mod digits;
mod iteration;
mod learn;
mod models;
mod score;
mod synthetic;
mod table;
mod task;
mod uci;

use bayes_experiments::cells::Cells;
use bayes_experiments::chart;
use bayes_experiments::common::{Options, Report, fail, folder, number};
use bayes_experiments::laboratory::{self, Experiment, Figures};
use learn::{METHODS, Method};

/// The context of an experiment, besides its own settings.
pub struct Lab {
    options: Options,
    cells: Cells,
    /// A folder with data that are not shipped.
    data: Option<String>,
    figures: Figures,
    /// The sets of `uci`, separated by commas.
    sets: Option<String>,
    /// The methods of a table, separated by commas.
    methods: Option<String>,
    repeats: Option<String>,
    particles: Option<String>,
    epochs: Option<String>,
    rows: Option<String>,
}

impl Lab {
    fn say(&self, text: &str) {
        self.options.say(text);
    }

    /// The value of an option that takes a number, or `full`, or `quick` with `--quick`.
    fn size(&self, name: &str, text: &Option<String>, full: usize, quick: usize) -> usize {
        number(name, text.clone(), self.options.size(full, quick))
    }

    /// The methods of a table: the selection by `--methods`, in the order of the tables.
    fn methods(&self, default: &[Method]) -> Vec<Method> {
        let Some(wanted) = &self.methods else {
            return default.to_vec();
        };
        let names = || METHODS.map(Method::name);
        let wanted: Vec<&str> = wanted.split(',').collect();
        if let Some(other) = wanted.iter().find(|name| !names().contains(name)) {
            let names = names().join(", ");
            fail(&format!("there is no method `{other}`; there are {names}"));
        }
        let mut all = METHODS.to_vec();
        all.retain(|method| wanted.contains(&method.name()));
        all
    }

    fn draw(&self, name: &str, panels: &[chart::Panel]) {
        self.figures.draw(name, panels, 2);
    }
}

const EXPERIMENTS: [Experiment<Lab>; 6] = [
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
    Experiment {
        name: "iteration",
        source: "section 4.4",
        shows: "the time of an iteration of OHSMC on the network for digits, beside JAX if `PEERS_PYTHON` names a Python that has it",
        run: iteration::run,
    },
];

fn main() {
    let names = [
        "NAME",
        "--data",
        "--svg",
        "--resume",
        "--sets",
        "--methods",
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
            methods,
            repeats,
            particles,
            epochs,
            rows,
        ],
    ) = Options::with(names);
    let name = name.unwrap_or_else(|| "all".to_owned());
    if name == "list" {
        return laboratory::list(&EXPERIMENTS);
    }
    let lab = Lab {
        options,
        cells: Cells {
            seed: options.seed,
            folder: folder(resume),
        },
        data,
        figures: Figures(folder(svg)),
        sets,
        methods,
        repeats,
        particles,
        epochs,
        rows,
    };
    laboratory::run(&EXPERIMENTS, &name, &lab, Report::new("pbnn", options));
}
