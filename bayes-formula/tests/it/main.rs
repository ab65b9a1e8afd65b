//! The tests of formulas, from the text to predictions, and of the program.

mod additions;
mod advice;
mod angles;
mod answers;
mod bad_inputs;
mod by_hand;
mod columns;
mod contrasts;
mod correlated;
mod cutpoints;
mod distributional;
mod effects;
mod ends;
mod families;
mod fitted;
mod hazards;
mod links;
mod monotonic;
mod names;
mod nested;
mod notes;
mod one_response;
mod outcomes;
mod own_response;
mod peer;
mod posteriors;
mod processes;
mod program;
mod refusals;
mod refused_additions;
mod residuals;
mod responses;
mod series;
mod shares;
mod smooths;
mod tables;
mod told;
mod updated_files;
mod updates;
mod vagueness;
mod validation;
mod written;

use bayes::autodiff::{PlainValue, Value};
use bayes::data::Table;
use bayes::model::Evaluate;
use bayes::prelude::*;

/// A table from the folder `data`.
fn table(name: &str) -> Table {
    let path = format!("{}/tests/data/{name}.csv", env!("CARGO_MANIFEST_DIR"));
    Table::read_csv(path).expect("the table is in the repository")
}

/// A table from a text.
fn of(text: &str) -> Table {
    Table::from_csv(text.as_bytes()).expect("it is a table")
}

/// The log likelihood at a position. By one interpreter: an engine would compile the program of the model for each of its numbers.
fn log_likelihood(model: &impl Model, position: &[f64]) -> f64 {
    let position: Vec<Real<Value>> = position.iter().map(|x| Real::constant(*x)).collect();
    let mut interpreter = Evaluate::new(&position);
    model.program::<Value, _>(&mut interpreter);
    interpreter.densities()[1].plain_value()
}
