//! The columns of a table as used by a formula: numbers, labels, and functions of them.

mod days;
mod decimal;
mod disguised;
mod evaluate;
mod factor;
mod labels;
mod memory;
mod polynomial;

pub(crate) use evaluate::{Evaluator, deviation, mean};
pub(crate) use factor::Contrasts;
pub(crate) use labels::{as_written, find as find_label, groups, labels};
pub(crate) use memory::{Learnt, Memory};

/// A factor of a term.
#[derive(Clone, Debug)]
pub(crate) enum Column {
    Numbers(Vec<f64>),
    /// The level of each row.
    Labels {
        levels: Vec<String>,
        codes: Vec<usize>,
        contrasts: Contrasts,
    },
    /// Several columns of numbers, each with a suffix of the name.
    Basis(Vec<(String, Vec<f64>)>),
}
