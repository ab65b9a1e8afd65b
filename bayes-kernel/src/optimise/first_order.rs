//! The common part of the optimisers that follow the gradient: every position that they see is accepted.

use super::{Descent, Seen, Step};

/// The step of a position by the gradient.
pub(super) trait Rule: Send {
    /// Moves the position by the gradient there.
    fn advance(&mut self, seen: Seen<'_>, position: &mut [f64]);
}

/// A rule, and the last position where loss and gradient were finite numbers.
pub(super) struct FirstOrder<R> {
    rule: R,
    last: Vec<f64>,
}

impl<R: Rule> FirstOrder<R> {
    pub(super) fn new(rule: R) -> Self {
        Self {
            rule,
            last: Vec::new(),
        }
    }
}

impl<R: Rule> Descent for FirstOrder<R> {
    fn step(&mut self, seen: Seen<'_>, position: &mut [f64]) -> Step {
        if !seen.is_finite() {
            // at the start there is no earlier position
            if self.last.len() == position.len() {
                position.copy_from_slice(&self.last);
            }
            return Step::NotFinite;
        }
        self.last.clear();
        self.last.extend_from_slice(position);
        self.rule.advance(seen, position);
        Step::Moved
    }
}
