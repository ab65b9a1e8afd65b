//! The experiments of "SMC Is All You Need" (A) and of "Comparison of parallel SMC and MCMC for Bayesian deep learning" (B), each by
//! one command, compared with their published figures.
//!
//! ```text
//! cargo run --release -p bayes-experiments --example papers -- list
//! cargo run --release -p bayes-experiments --example papers -- crossovers --resume FOLDER --svg DIR
//! ```
//!
//! Without a name, or with `all`, all of them are run. With `--resume` every finished cell of a table is saved in the folder, and the
//! same command continues where it was stopped. Errors are sums over coordinates of squared errors of the posterior mean, with the
//! papers' standard errors. Seconds are for one core. The results are in experiments/papers.md.
//!
//! `--only TEXT` runs only rows or problems whose label contains the text: in `crossovers` (`8 x 8`), `bimnist`, `qst` (`2 qubits`),
//! `mnist`, `mnist-choices`, `imdb` and `cifar`. `--data`, `--rows`, `--islands`, `--ess` and `--follow` are for networks
//! ([`classifiers`]).

#[path = "../family/study/mod.rs"]
mod study;

mod adaptive;
mod bimnist;
mod classifiers;
mod communication;
mod credit;
mod crossovers;
mod exactness;
mod exchange;
mod figures;
mod floor;
mod iris;
mod law;
mod nodes;
mod problem;
mod qst;
mod statistics;
mod table1;
mod trial;

use bayes_experiments::cells::Cells;
use bayes_experiments::chart;
use bayes_experiments::common::{Options, Report, fail, folder};
use bayes_experiments::laboratory::{self, Experiment, Figures};

/// The context of an experiment, besides its own settings.
pub struct Lab {
    options: Options,
    cells: Cells,
    figures: Figures,
    /// The text of `--only`.
    only: Option<String>,
    /// The choices of the experiments with networks.
    choices: classifiers::Choices,
}

impl Lab {
    fn say(&self, text: &str) {
        self.options.say(text);
    }

    /// The rows or problems whose label contains the text of `--only`; ends the program if there is none.
    fn chosen<T>(&self, all: impl IntoIterator<Item = T>, label: impl Fn(&T) -> String) -> Vec<T> {
        let all: Vec<T> = all.into_iter().collect();
        let Some(text) = &self.only else {
            return all;
        };
        let labels: Vec<String> = all.iter().map(label).collect();
        let pairs = all.into_iter().zip(&labels);
        let chosen = pairs.filter(|(_, label)| label.contains(text));
        let chosen: Vec<T> = chosen.map(|(each, _)| each).collect();
        if chosen.is_empty() {
            fail(&format!(
                "no label contains `{text}`; the labels are {}",
                labels.join(", ")
            ));
        }
        chosen
    }

    fn draw(&self, name: &str, panels: &[chart::Panel], columns: usize) {
        self.figures.draw(name, panels, columns);
    }
}

const EXPERIMENTS: [Experiment<Lab>; 18] = [
    Experiment {
        name: "crossovers",
        source: "A, tables 2 and 5, figures 2 to 9",
        shows: "nine Gaussian problems: error against samples, nodes and time, and where pSMC passes one chain",
        run: crossovers::gaussians,
    },
    Experiment {
        name: "figure3",
        source: "B, figure 3",
        shows: "a Gaussian by HMC as one chain, as short chains and within SMC: error against total and parallel cost",
        run: figures::gaussian,
    },
    Experiment {
        name: "figure4",
        source: "B, figure 4",
        shows: "the same on a mixture of two Gaussians",
        run: figures::mixture,
    },
    Experiment {
        name: "table1",
        source: "B, table 1",
        shows: "pCN as one chain and within SMC at three costs",
        run: table1::run,
    },
    Experiment {
        name: "law",
        source: "B, appendix E.1",
        shows: "log MSE = C - log N - a log M",
        run: law::run,
    },
    Experiment {
        name: "exchange",
        source: "B, figures 11 and 12",
        shows: "particles of an island in exchange for islands",
        run: exchange::run,
    },
    Experiment {
        name: "adaptive",
        source: "B, figure 9",
        shows: "an adaptive number of moves against a fixed one",
        run: adaptive::run,
    },
    Experiment {
        name: "communication",
        source: "B, figures 6 and 10, table 7",
        shows: "one SMC over P nodes against P islands: measured, and by a model for more nodes",
        run: communication::run,
    },
    Experiment {
        name: "credit",
        source: "B, figure 7",
        shows: "Australian credit: variance of the posterior mean against P, by six methods",
        run: credit::run,
    },
    Experiment {
        name: "iris",
        source: "A, table 4 and figure 14",
        shows: "softmax regression of 50 irises: divergence of predictions against samples, nodes and time",
        run: crossovers::irises,
    },
    Experiment {
        name: "bimnist",
        source: "A, table 4, figures 15 and 16",
        shows: "networks of 1177 and 3587 weights for zeros and ones: divergence of predictions against samples, nodes and time",
        run: crossovers::digits,
    },
    Experiment {
        name: "mnist",
        source: "B, tables 2 to 5 and 7 to 11",
        shows: "a convolutional network of 7890 weights for digits: accuracy, log likelihood and entropies against P, by SMC and HMC",
        run: classifiers::digits,
    },
    Experiment {
        name: "mnist-choices",
        source: "B, appendix D.4: what it leaves open",
        shows: "pixels, prior, masses, temperatures and step sizes of the network for digits: accuracy and log likelihood by each",
        run: classifiers::digit_choices,
    },
    Experiment {
        name: "imdb",
        source: "B, tables 12 and 14",
        shows: "the same for embeddings of film reviews, with `--data DIR`",
        run: classifiers::reviews,
    },
    Experiment {
        name: "cifar",
        source: "B, table 13",
        shows: "the same for embeddings of photographs, with `--data DIR`",
        run: classifiers::photographs,
    },
    Experiment {
        name: "qst",
        source: "A, section 4.2",
        shows: "quantum state tomography of 1 to 4 qubits: error against samples and nodes, by pCN, HMC and NUTS",
        run: qst::run,
    },
    Experiment {
        name: "floor",
        source: "theorems 3.1 of A and 4.1 of B",
        shows: "error against P where islands adapt, where they replay a pilot, and with equal weights",
        run: floor::run,
    },
    Experiment {
        name: "exactness",
        source: "A, appendix E.2",
        shows: "evidence, means and variances against exact values over many seeds",
        run: exactness::run,
    },
];

fn main() {
    let names = [
        "NAME",
        "--svg",
        "--resume",
        "--data",
        "--rows",
        "--islands",
        "--only",
        "--ess",
    ];
    let (options, [name, svg, resume, data, rows, islands, only, ess], [follows_moves]) =
        Options::with_flags(names, ["--follow"]);
    let name = name.unwrap_or_else(|| "all".to_owned());
    if name == "all" && only.is_some() {
        fail("`--only` needs the name of an experiment before it");
    }
    if name == "list" {
        return laboratory::list(&EXPERIMENTS);
    }
    let lab = Lab {
        options,
        cells: Cells {
            seed: options.seed,
            folder: folder(resume),
        },
        figures: Figures(folder(svg)),
        only,
        choices: classifiers::Choices {
            data,
            rows,
            islands,
            ess,
            follows_moves,
        },
    };
    laboratory::run(&EXPERIMENTS, &name, &lab, Report::new("papers", options));
}
