//! What later tables must take over from the columns of the first one.

use bayes::basis::NaturalSpline;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What was learnt from the first table, by the text of a column or function, so that a second table has the same columns.
pub(crate) type Memory = BTreeMap<String, Learnt>;

/// What is learnt from a column or a function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Learnt {
    /// The column holds numbers.
    Numbers,
    /// The labels in their order.
    Levels(Vec<String>),
    /// The number that is subtracted, and the divisor of the rest.
    Scale([f64; 2]),
    /// The recursion of orthogonal polynomials: a centre for each degree, and the squares of their norms from degree 0.
    Polynomial { centres: Vec<f64>, norms: Vec<f64> },
    /// The centre and half the range of a Gaussian process.
    Range { centre: f64, half: f64 },
    /// The lowest and the highest grade of a monotonic effect.
    Grades([f64; 2]),
    /// The steps of time of autoregressive residuals: the smallest one, and the first time of each series.
    Series {
        step: f64,
        starts: BTreeMap<String, f64>,
    },
    /// The functions of a smooth term.
    Spline(NaturalSpline),
}
