//! Problems with known log evidence.

use super::adversaries::adversaries;
pub use super::battery::Engine;
use super::battery::cases;
use bayes::prelude::*;
use bayes::{Error, Run};
use bayes_experiments::AnyModel;
use bayes_experiments::targets::targets;
use std::f64::consts::TAU;

/// A problem with its log evidence.
pub struct Problem {
    pub name: String,
    pub log_evidence: f64,
    /// Settings that the problem needs: only a random walk moves whole numbers.
    pub moves: &'static str,
    /// Whether its shape was chosen against tempering.
    pub is_adversary: bool,
    /// Why no run of these sizes can see the trouble, if none can.
    pub undetectable: Option<&'static str>,
    pub run: Runs,
}

impl Problem {
    /// A problem that needs no settings.
    pub fn new(
        name: &str,
        log_evidence: f64,
        run: impl Fn(&Engine) -> Result<Run, Error> + 'static,
    ) -> Self {
        Self {
            name: name.to_owned(),
            log_evidence,
            moves: "",
            is_adversary: false,
            undetectable: None,
            run: Box::new(run),
        }
    }
}

/// Runs an engine on the problem.
type Runs = Box<dyn Fn(&Engine) -> Result<Run, Error>>;

/// `x ~ Normal(0, 1)` in each coordinate, with the observation 2 of noise 0.3.
#[model]
fn shrunk(dim: usize) {
    let x = sample(Normal::new(0.0, 1.0).iid(dim));
    for k in 0..dim {
        observe(2.0, Normal::new(x[k], 0.3));
    }
}

/// All problems: three normals, those of the battery, published densities, and the adversaries.
pub fn problems() -> Vec<Problem> {
    let mut all: Vec<Problem> = [2, 10, 25].into_iter().map(normal).collect();
    // the credit data are also among the published densities
    let cases = cases().into_iter().filter(|case| case.name != "credit");
    all.extend(cases.map(|case| {
        let (name, truth) = (case.name.clone(), case.log_evidence);
        Problem::new(&name, truth, move |engine| case.solve(engine))
    }));
    all.extend(targets().into_iter().map(|target| {
        Problem::new(target.name, target.log_evidence, move |engine| {
            (target.run)(engine)
        })
    }));
    all.extend(adversaries());
    all
}

/// Runs an engine on a model.
pub fn run(model: &dyn AnyModel, engine: &Engine) -> Result<Run, Error> {
    model.run(engine)
}

fn normal(dim: usize) -> Problem {
    let variance = 1.0 + 0.09;
    let each = -0.5 * ((TAU * variance).ln() + 4.0 / variance);
    Problem::new(
        &format!("normal, {dim} d"),
        dim as f64 * each,
        move |engine| run(&shrunk(dim), engine),
    )
}
