//! Messages about a model without a trace.

use bayes_autodiff::gradient::WIDTH;

/// The remedy.
pub const REMEDY: &str = "Results are right, but gradients by a trace take a small part of the time. Compute \
    with random quantities themselves, by their operators and methods (`.max`, `.abs`, `.logistic`); a distribution of your own must \
    not read their values. A statement about a whole vector has fewer operations than a loop. \
    A model that must read values has faster gradients if it is compiled for dual numbers too, by `#[model(forward)]`.";

/// The problem and its cost; `dim` is the number of unconstrained coordinates.
pub fn problem(reason: &str, dim: usize) -> String {
    let cost = match dim.div_ceil(WIDTH) {
        0 | 1 => "runs the model, then its operations with dual numbers".to_owned(),
        times => format!("runs the model, then its operations {times} times with dual numbers"),
    };
    format!("the model has no trace: {reason}. A gradient {cost}, for one particle at a time")
}
