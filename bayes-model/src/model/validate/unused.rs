//! Draws of `generate` must reach no other statement.
//!
//! `#[model]` detects most mistakes. Uses through a function, a container or a reassigned name are found here: the model runs
//! twice at each prior draw with different generated values, and all other numbers must have the same bits.

use super::look::{Found, look_again};
use crate::error::ProblemKind;
use crate::model::Compiled;

/// Adds a problem for each statement that depends on generated values.
pub(super) fn check(model: &dyn Compiled, looks: &mut [Found]) {
    for (draw, found) in looks.iter_mut().enumerate() {
        if found.stopped {
            continue;
        }
        let other = look_again(model, draw);
        let pairs = found.numbers.iter().zip(&other.numbers);
        let mut differing = pairs.filter(|(mine, theirs)| mine != theirs);
        if let Some(((statement, _), _)) = differing.next() {
            let statement = *statement;
            found.complain(statement, ProblemKind::Generated);
        }
    }
}
