//! Repeats of a task by all methods, and their table with the published one.

use crate::Lab;
use crate::learn::{METHODS, Method};
use crate::score::{self, Scores};
use crate::task::{Effort, Task};
use bayes_experiments::cells::Cell;
use bayes_experiments::common::{estimate, or_fail};
use serde::Serialize;
use serde_json::{Value, json};

/// A repeat of a task by a method: everything that its result depends on.
#[derive(Serialize)]
struct Trial {
    task: String,
    method: &'static str,
    seed: u64,
    particles: usize,
    epochs: usize,
    quick: bool,
}

/// The subject of a table.
pub struct Study<'a> {
    pub name: &'a str,
    pub methods: &'a [Method],
    pub scores: &'static [&'static str],
    /// The published scores of a method, as printed.
    pub published: &'a dyn Fn(Method) -> String,
    pub repeats: usize,
    pub particles: usize,
    pub epochs: usize,
}

/// Scores of regressions.
pub const OF_NUMBERS: [&str; 3] = ["NLPD", "RMSE", "RMSE of mean"];
/// Scores of classifications.
pub const OF_CLASSES: [&str; 5] = ["NLPD", "ECE", "accuracy", "ECE of mean", "acc. of mean"];

/// All methods but the second OHSMC.
pub fn all_but_one() -> Vec<Method> {
    let methods = METHODS.iter().copied();
    methods
        .filter(|method| *method != Method::OhsmcKeepingPrior)
        .collect()
}

/// The repeats of all methods.
fn trials(lab: &Lab, study: &Study<'_>) -> (Vec<Method>, Vec<Cell<Trial>>) {
    let seeds = lab.options.seed..lab.options.seed + study.repeats as u64;
    let all = study.methods.iter().flat_map(|method| {
        let of_seed = move |seed| {
            let settings = Trial {
                task: study.name.to_owned(),
                method: method.name(),
                seed,
                particles: study.particles,
                epochs: study.epochs,
                quick: lab.options.quick,
            };
            let name = format!("{}-{}-{seed}", study.name, method.name());
            (*method, Cell { name, settings })
        };
        seeds.clone().map(of_seed)
    });
    all.unzip()
}

/// Runs the repeats, prints the table, and returns means and standard errors by method.
pub fn run(lab: &Lab, study: &Study<'_>, task: impl Fn(u64) -> Task + Sync) -> Value {
    let (methods, cells) = trials(lab, study);
    let by_name = |name: &str| METHODS.into_iter().find(|method| method.name() == name);
    let found: Vec<Scores> = lab.cells.run(&cells, |trial| {
        let method = by_name(trial.method).expect("the trial is of one of the methods");
        let effort = Effort {
            seed: trial.seed,
            particles: trial.particles,
            epochs: trial.epochs,
            quick: trial.quick,
        };
        or_fail(score::scores(&task(trial.seed), method, effort))
    });
    let heads = study.scores.iter().map(|score| format!("{score:>18}"));
    let heads: String = heads.collect();
    let (name, repeats) = (study.name, study.repeats);
    lab.say(&format!(
        "{name}, {repeats} repeats\n{:10}{heads}   published",
        ""
    ));
    let mut all = serde_json::Map::new();
    for method in study.methods {
        let own = || methods.iter().zip(&found).filter(|(m, _)| *m == method);
        let of = |k: usize| estimate(&own().map(|(_, scores)| scores[k]).collect::<Vec<_>>());
        let scores: Vec<[f64; 2]> = (0..study.scores.len()).map(of).collect();
        let cells = scores.iter().map(|[mean, error]| match error.is_nan() {
            true => format!("{mean:10.3}        "),
            false => format!("{mean:10.3} ± {error:.3}"),
        });
        let (cells, published): (String, String) = (cells.collect(), (study.published)(*method));
        lab.say(&format!("{:10}{cells}   {published}", method.name()));
        all.insert(method.name().to_owned(), json!(scores));
    }
    Value::Object(all)
}

/// Panics if OHSMC was run and its NLPD is outside of this range.
pub fn require_nlpd(found: &Value, allowed: std::ops::Range<f64>) {
    let own = &found[Method::Ohsmc.name()];
    if own.is_null() {
        return;
    }
    let nlpd = own[0][0].as_f64().unwrap_or(f64::NAN);
    assert!(allowed.contains(&nlpd), "OHSMC: NLPD {nlpd}");
}
