//! What the columns of a table have in common with those of the next one.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What was learnt of the first table, by the text of a column or function: a second table has the same columns.
pub(crate) type Memory = BTreeMap<String, Learnt>;

/// What a column or a function keeps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Learnt {
    /// It holds numbers.
    Numbers,
    /// The labels in their order.
    Levels(Vec<String>),
    /// What is subtracted, and by what the rest is divided.
    Scale([f64; 2]),
    /// The recursion of orthogonal polynomials: a centre for each degree, and the squares of their norms from degree 0.
    Polynomial { centres: Vec<f64>, norms: Vec<f64> },
    /// The middle and the half of the range of a Gaussian process.
    Range { centre: f64, half: f64 },
    /// The lowest and the highest grade of a monotonic effect.
    Grades([f64; 2]),
    /// The functions of a smooth term.
    Spline(SplineBasis),
}

/// Natural cubic splines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SplineBasis {
    pub(crate) knots: Vec<f64>,
    /// The mean of the rows that taught it.
    pub(crate) centre: f64,
    /// The values of each function at the knots.
    pub(crate) values: Vec<Vec<f64>>,
}
