//! Runs of models that have no trace.

use super::Message;
use crate::density::no_trace;
use crate::diagnose::ColumnDiagnostics;
use crate::run::Run;
use serde::{Deserialize, Serialize};

/// The model has no trace, so it is evaluated in forward mode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NoTrace {
    /// The reason, with the statement that prevents a trace.
    pub reason: String,
    /// Number of unconstrained coordinates.
    pub dim: usize,
    /// Whether the model is compiled for dual numbers too: `#[model(forward)]`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_dual_numbers: bool,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<NoTrace> {
    let reason = run.arithmetic.untraceable.clone()?;
    let dim = run.layout.dim;
    let has_dual_numbers = run.arithmetic.has_dual_numbers;
    let uses_gradients = run.counts().gradient_evaluations > 0;
    uses_gradients.then_some(NoTrace {
        reason,
        dim,
        has_dual_numbers,
    })
}

impl Message for NoTrace {
    fn problem(&self) -> String {
        no_trace::problem(&self.reason, self.dim, self.has_dual_numbers)
    }

    fn remedy(&self) -> &'static str {
        no_trace::remedy(self.has_dual_numbers)
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::example::islands;

    #[test]
    fn a_model_without_a_trace_is_reported_with_the_cost() {
        let mut run = islands(&[-3.0; 4], 64);
        run.layout.dim = 40;
        run.arithmetic.untraceable = Some("it reads the value of a random quantity".to_owned());
        assert_warned(
            &run,
            "the model has no trace: it reads the value of a random quantity. A gradient runs the model, then its operations 3 \
             times with dual numbers, for one particle at a time. Results are right, but gradients by a trace take a small part of the time. Compute \
             with random quantities themselves, by their operators and methods (`.max`, `.abs`, `.logistic`); a distribution of your \
             own must not read their values. A statement about a whole vector has fewer operations than a loop. If the model \
             must read values, write `#[model(forward)]`: it is compiled for dual numbers too, which takes more compile time, and its \
             gradients need no recording at each position.",
        );
        // Meant to detect: advice to write the option that the model has, and its cost without it.
        run.arithmetic.has_dual_numbers = true;
        assert_warned(
            &run,
            "the model has no trace: it reads the value of a random quantity. A gradient runs the model 3 times with dual numbers, for one \
             particle at a time. Results are right, but gradients by a trace take a small part of the time. Compute with random quantities \
             themselves, by their operators and methods (`.max`, `.abs`, `.logistic`); a distribution of your own must not read their \
             values. A statement about a whole vector has fewer operations than a loop.",
        );
    }
}
