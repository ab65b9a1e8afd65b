//! Messages about a model without a trace.

use bayes_autodiff::gradient::WIDTH;

/// How a model gets a trace.
macro_rules! how_to_have_one {
    () => {
        "Results are right, but gradients by a trace take a small part of the time. Compute \
         with random quantities themselves, by their operators and methods (`.max`, `.abs`, `.logistic`); a distribution of your own must \
         not read their values. A statement about a whole vector has fewer operations than a loop."
    };
}

/// What to do about a model without a trace; `has_dual_numbers` if it is a `#[model(forward)]`.
#[must_use]
pub fn remedy(has_dual_numbers: bool) -> &'static str {
    match has_dual_numbers {
        true => how_to_have_one!(),
        false => concat!(
            how_to_have_one!(),
            " If the model must read values, write `#[model(forward)]`: it is compiled for dual numbers too, which takes more compile time, \
             and its gradients need no recording at each position."
        ),
    }
}

/// The problem and its cost; `dim` is the number of unconstrained coordinates, `has_dual_numbers` is true for a `#[model(forward)]`.
#[must_use]
pub fn problem(reason: &str, dim: usize, has_dual_numbers: bool) -> String {
    let times = match dim.div_ceil(WIDTH) {
        0 | 1 => String::new(),
        times => format!(" {times} times"),
    };
    let cost = match has_dual_numbers {
        true => format!("runs the model{times} with dual numbers"),
        false => format!("runs the model, then its operations{times} with dual numbers"),
    };
    format!("the model has no trace: {reason}. A gradient {cost}, for one particle at a time")
}
