//! Published densities with known log evidence.
//!
//! Closed forms and quadratures are in [`truth`]. `peers/truth.py` integrates the two posteriors of real data, and computes the others
//! again, by different methods.

#[allow(
    missing_docs,
    reason = "a model's documentation is its function's, and the macro makes a type and a function"
)]
pub mod models;
pub mod plates;
#[allow(
    missing_docs,
    reason = "a model's documentation is its function's, and the macro makes a type and a function"
)]
pub mod prior_mass;
pub mod truth;

use crate::AnyModel;
use crate::common::credit_applications;
use bayes::engine::Engine;
use bayes::{Error, Run};
use std::collections::BTreeMap;

/// A density with its evidence.
pub struct Target {
    /// The name, with the number of coordinates.
    pub name: &'static str,
    /// The log evidence.
    pub log_evidence: f64,
    /// The log evidence by `peers/truth.py`, with its standard error.
    pub checked: [f64; 2],
    /// Runs an engine on the target.
    pub run: Runs,
}

/// A function that makes a model and runs an engine on it.
type Runs = fn(&dyn Engine) -> Result<Run, Error>;

/// Runs an engine on a model.
fn run(model: &dyn AnyModel, engine: &dyn Engine) -> Result<Run, Error> {
    model.run(engine)
}

/// The log of the height of the narrow mode of the phase transition, which has nine times the mass of the wide one.
fn height() -> f64 {
    9e10f64.ln()
}

/// A target, with its log evidence if this package computes it.
fn target(name: &'static str, exact: Option<f64>, run: Runs) -> Target {
    let text = include_str!("../../data/evidence/truth.json");
    let all: BTreeMap<String, [f64; 2]> =
        serde_json::from_str(text).expect("the shipped file is JSON");
    let checked = all[name];
    Target {
        name,
        log_evidence: exact.unwrap_or(checked[0]),
        checked,
        run,
    }
}

/// All targets; computing the evidence of each takes up to a second.
///
/// # Panics
/// Never: the file of the script is part of the program.
#[must_use]
pub fn targets() -> Vec<Target> {
    use models::*;
    use plates::{BEAN, EXTRACT, GERMINATED, OF};
    vec![
        target(
            "phase transition, 10 d",
            Some(truth::two_phases(10, height(), 0.1)),
            |engine| run(&two_phases(10, height(), 0.1, 0.0), engine),
        ),
        target("shells, 2 d", Some(truth::shells(2)), |engine| {
            run(&shells(2), engine)
        }),
        target("shells, 10 d", Some(truth::shells(10)), |engine| {
            run(&shells(10), engine)
        }),
        target("egg box, 2 d", Some(truth::egg_box()), |engine| {
            run(&egg_box(), engine)
        }),
        target("Rosenbrock, 2 d", Some(truth::rosenbrock(2)), |engine| {
            run(&rosenbrock(2), engine)
        }),
        target("Rosenbrock, 10 d", Some(truth::rosenbrock(10)), |engine| {
            run(&rosenbrock(10), engine)
        }),
        target("funnel, 10 d", Some(0.0), |engine| run(&funnel(10), engine)),
        target(
            "correlated normal, 25 d",
            Some(-25.0 * 10f64.ln()),
            |engine| run(&correlated(25), engine),
        ),
        target(
            "normal of many scales, 32 d",
            Some(-32.0 * 2000f64.ln()),
            |engine| run(&scales(32), engine),
        ),
        target("many-well, 32 d", Some(truth::many_well(16)), |engine| {
            run(&many_well(16), engine)
        }),
        target("seeds, 26 d", None, |engine| {
            run(&seeds(&GERMINATED, &OF, &BEAN, &EXTRACT), engine)
        }),
        target("credit, 15 d", None, |engine| {
            let (x, approved) = credit_applications();
            run(&credit(&x, &approved), engine)
        }),
    ]
}
