//! Advice for a parameter that leaves its range.

use super::{Constraint, ParameterError};

impl ParameterError {
    /// What to write instead if a random value moves the parameter out of its range.
    pub(crate) fn advice(&self) -> &'static str {
        let Self::Value { value, allowed, .. } = self else {
            return "";
        };
        let is = |what: Constraint| *allowed == what.words();
        if *value < 0.0 && (is(Constraint::Positive) || is(Constraint::NonNegative)) {
            "; give it a prior on positive numbers, such as `HalfNormal::new(1.0)`, make it positive with `exp`, or mend negative data in it"
        } else if is(Constraint::Probability) {
            "; give it a prior on probabilities, such as `Beta::new(1.0, 1.0)`, or make it one with `logistic`"
        } else {
            ""
        }
    }
}
