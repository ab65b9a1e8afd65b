//! Messages about a model without a trace.

use bayes_autodiff::gradient::WIDTH;

/// The remedy.
pub const REMEDY: &str = "Results are right, but gradients by a trace take a tenth to a few hundredths of the time. Compute \
    with random quantities themselves, by their operators and methods (`.max`, `.abs`, `.logistic`); a distribution of your own must \
    not read their values. A statement about a whole vector has fewer operations than a loop.";

/// The problem and its cost; `dim` is the number of unconstrained coordinates.
pub fn problem(reason: &str, dim: usize) -> String {
    let cost = match dim.div_ceil(WIDTH) {
        0 | 1 => "evaluates the model with dual numbers".to_owned(),
        times => format!("evaluates the model {times} times"),
    };
    format!("the model has no trace: {reason}. A gradient {cost}, for one particle at a time")
}
