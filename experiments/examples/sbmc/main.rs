//! Scalable Bayesian Monte Carlo: networks between a point estimate and a full posterior, and the value of their uncertainty.
//!
//! ```text
//! cargo run --release -p bayes-experiments --example sbmc -- mnist --data DIR --resume FOLDER --svg DIR
//! cargo run --release -p bayes-experiments --example sbmc -- list
//! ```
//!
//! The paper's tables and ours: a point estimate (MAP), a deep ensemble (DE), and SMC∥ and HMC∥ of the posterior whose prior is moved to
//! the MAP and shrunk by s, each with 10 P members. Scores are accuracy, likelihood and calibration; epistemic entropy of right, wrong and
//! unknown inputs; a meta-classifier that detects wrong predictions, and a rule that abstains. The results are in experiments/sbmc.md.
//!
//! `mnist` is the digits 0 to 7. `--data DIR` reads the idx files of MNIST; without it, the shipped digits make a smaller problem.
//! `imdb` and `cifar` need embeddings in a folder, and say which. `mnist-choices` varies the choices that the paper leaves open; one
//! of them, `mnist-standardised`, has a separate table. With `--resume` every finished cell of the table, a method with a seed, is
//! saved in the folder. `--seeds` is the number of seeds, by default 5; `--only` selects methods by a comma-separated list of names,
//! or parts of names: `--only "MAP, DE, HMC s=0.1"`. "equal" gives all islands of SMC∥ the same weight instead of their evidence.

mod choices;
mod detection;
mod embeddings;
mod figures;
mod found;
mod method;
mod mnist7;
mod published;
mod score;
mod started;
mod table;
mod task;

use bayes_experiments::cells::{Cell, Cells};
use bayes_experiments::chart;
use bayes_experiments::common::{Options, Report, fail, folder, number};
use detection::Detectors;
use found::{Found, Results};
use method::{Effort, Job, Method};
use score::Scores;
use serde::Serialize;
use serde_json::Value;
use std::path::PathBuf;
use task::Task;

const EXPERIMENTS: [(&str, &str); 6] = [
    (
        "mnist",
        "table 1, and those on s and P: a convolutional network on the digits 0 to 7",
    ),
    ("mnist-standardised", "the same with standardised pixels"),
    (
        "mnist-choices",
        "what the paper leaves open, choice by choice: MAP, and HMC with s = 0.1",
    ),
    (
        "imdb",
        "softmax regression of film reviews, prior variance 0.1",
    ),
    ("imdb-narrow", "the same with prior variance 1/40"),
    ("cifar", "softmax regression of photographs"),
];

/// The settings that determine the result of a cell.
#[derive(Serialize)]
struct Setting<'a> {
    task: Value,
    method: Method,
    seed: u64,
    effort: &'a Effort,
}

/// The methods named in a list, each by its whole name or a part of it.
fn chosen(all: &[Method], names: &str) -> Vec<Method> {
    let found = |name: &str| -> Vec<Method> {
        let having = |is_it: &dyn Fn(&str) -> bool| {
            let those = all.iter().filter(|method| is_it(&method.name()));
            those.copied().collect::<Vec<Method>>()
        };
        let exact = having(&|other| other == name);
        if exact.is_empty() {
            having(&|other| other.contains(name))
        } else {
            exact
        }
    };
    let named: Vec<Vec<Method>> = names.split(',').map(|name| found(name.trim())).collect();
    if named.iter().any(Vec::is_empty) {
        let known: Vec<String> = all.iter().map(|method| method.name()).collect();
        fail(&format!(
            "`--only` is `{names}`; it takes names of methods, or parts of them, between commas: {}",
            known.join(", ")
        ));
    }
    // in the order of their runs, each once
    let is_named = |method: &&Method| named.concat().contains(method);
    all.iter().filter(is_named).copied().collect()
}

fn main() {
    let names = ["NAME", "--data", "--seeds", "--only", "--svg", "--resume"];
    let (options, [name, data, seeds, only, svg, resume]) = Options::with(names);
    let name = name.unwrap_or_else(|| "mnist".to_owned());
    if name == "list" {
        EXPERIMENTS
            .iter()
            .for_each(|(name, shows)| println!("{name:<18} {shows}"));
        return;
    }
    let seeds: u64 = number("--seeds", seeds, options.size(5, 1) as u64);
    if seeds == 0 {
        fail("`--seeds` takes a number from 1");
    }
    let seeds: Vec<u64> = (options.seed..options.seed + seeds).collect();
    let mut report = Report::new("sbmc", options);
    let cells = Cells {
        seed: options.seed,
        folder: folder(resume),
    };
    if name == "mnist-choices" {
        if only.is_some() || svg.is_some() {
            fail("`mnist-choices` has one table: leave out `--only` and `--svg`");
        }
        choices::run(options, &cells, data.as_deref(), &seeds, &mut report);
        return report.finish();
    }
    let task = task_of(&name, data.as_deref(), options);
    let all = Method::all(&task.settings, options.quick);
    let methods = only.map_or(all.clone(), |only| chosen(&all, &only));
    let results = Results {
        found: run(&task, &cells, &methods, &seeds, options),
        task: &task,
    };
    report.say(&table::text(&results));
    if let Some(folder) = folder(svg) {
        draw(&results, &folder);
    }
    report.note(task.name, table::json(&results));
    report.finish();
    // after the tables, so that they are printed even if the check fails
    check(&results, options);
}

fn task_of(name: &str, data: Option<&str>, options: Options) -> Task {
    match name {
        "mnist" => mnist7::task(data, options.quick, options.seed),
        "mnist-standardised" => {
            let mut task = mnist7::task(data, options.quick, options.seed);
            mnist7::standardise(&mut task);
            Task {
                name: "mnist-standardised",
                ..task
            }
        }
        "imdb" => embeddings::imdb("imdb", data, 0.1),
        "imdb-narrow" => embeddings::imdb("imdb-narrow", data, 1.0 / 40.0),
        "cifar" => embeddings::cifar("cifar", data),
        _ => fail(&format!(
            "there is no experiment `{name}`; `list` names them"
        )),
    }
}

/// All cells of a table, method by method and by increasing numbers of members.
fn run(
    task: &Task,
    cells: &Cells,
    methods: &[Method],
    seeds: &[u64],
    options: Options,
) -> Vec<Found> {
    let effort = Effort::of(options.quick);
    let detectors = Detectors::new(options.seed);
    let cell = |method: Method, seed: u64| Cell {
        name: format!("{} {} seed {seed}", task.name, method.name()).replace(' ', "-"),
        settings: Setting {
            task: task.describe(),
            method,
            seed,
            effort: &effort,
        },
    };
    let pairs = methods
        .iter()
        .flat_map(|m| seeds.iter().map(|seed| cell(*m, *seed)));
    let all: Vec<Cell<Setting<'_>>> = pairs.collect();
    let found: Vec<Vec<Scores>> = cells.run(&all, |setting| {
        let job = Job {
            task,
            effort: &effort,
            seed: setting.seed,
        };
        let scores = job
            .run(setting.method)
            .and_then(|members| score::scores(task, &members, &detectors));
        scores.unwrap_or_else(|error| fail(&format!("{}: {error}", setting.method.name())))
    });
    let mut rows = Vec::new();
    for (method, own) in methods.iter().zip(found.chunks(seeds.len())) {
        for size in 0..own[0].len() {
            rows.push(Found {
                method: match own[0][size].is_equal {
                    true => format!("{} equal", method.name()),
                    false => method.name(),
                },
                scores: own.iter().map(|of_seed| of_seed[size].clone()).collect(),
            });
        }
    }
    // the long methods ran first; the table begins with the MAP
    let order = |found: &Found| match found.method.as_str() {
        "MAP" => 0,
        "DE" => 1,
        name if name.starts_with("SMC") => 2,
        _ => 3,
    };
    rows.sort_by_key(order);
    rows
}

fn draw(results: &Results<'_>, folder: &std::path::Path) {
    for (name, panels, columns) in figures::all(results) {
        let file: PathBuf = folder.join(format!("{}-{name}.svg", results.task.name));
        if let Err(error) = std::fs::write(&file, chart::svg(&panels, columns)) {
            fail(&format!("cannot write {}: {error}", file.display()));
        }
    }
}

/// Asserts what must hold on any data: members that differ separate wrong predictions from right ones, and a single member has no
/// epistemic entropy.
fn check(results: &Results<'_>, options: Options) {
    for found in &results.found {
        let [right, wrong] = [0, 1].map(|k| found.mean(|s| s.epistemic[k])[0]);
        let name = format!("{} with {} members", found.method, found.members());
        if found.members() == 1 {
            assert_eq!([right, wrong], [0.0, 0.0], "{name}");
        } else {
            assert!(right > 0.0, "{name}");
        }
        if !options.quick {
            let auc = found.mean(|s| s.detection[1].auc)[0];
            assert!(auc > 0.5, "{name}: AUC {auc}");
        }
    }
}
