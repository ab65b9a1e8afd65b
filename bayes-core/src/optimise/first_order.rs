//! What the optimisers share that follow the gradient: every position that they see is accepted.

use super::{Descent, Seen, Step};

/// How a position follows the gradient.
pub(super) trait Rule: Send {
    /// Moves the position by the gradient seen there.
    fn advance(&mut self, seen: Seen<'_>, position: &mut [f64]);
}

/// A rule, and the last position at which loss and gradient were numbers.
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
