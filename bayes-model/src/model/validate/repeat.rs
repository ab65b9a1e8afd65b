//! The density must be the same at the same values.
//!
//! Samplers compare densities that were computed at different times, and gradients with both. A model that reads a clock, a counter
//! or data that another thread changes has no posterior that they could sample. So the model runs twice at the same prior draw, and
//! every statement must give the same bits.

use super::Validated;
use super::look::{Found, look};
use crate::error::{Error, ProblemKind};
use crate::model::Compiled;
use crate::model::fingerprint::Fingerprint;

impl Found {
    /// For each statement, a hash of the numbers that it drew, added to the density or kept.
    pub(super) fn marks(&self) -> Vec<Fingerprint> {
        let mut marks = vec![Fingerprint::default(); self.traces.len()];
        for (statement, bits) in &self.numbers {
            marks[*statement].word(*bits);
        }
        marks
    }
}

/// Runs the model once more at the first prior draw.
///
/// # Errors
/// [`Error::Model`] with the first statement whose numbers changed.
pub(super) fn check(model: &dyn Compiled, first: &Found) -> Result<(), Error> {
    match first.stopped {
        true => Ok(()),
        false => compare(model, &first.marks()),
    }
}

/// The same check at a later time, for a model that was validated.
///
/// # Errors
/// The errors of [`check`].
pub(crate) fn check_again(model: &dyn Compiled, validated: &Validated) -> Result<(), Error> {
    compare(model, &validated.marks)
}

fn compare(model: &dyn Compiled, before: &[Fingerprint]) -> Result<(), Error> {
    let now = look(model, 0).marks();
    let Some(statement) = (0..before.len()).find(|i| before[*i] != now[*i]) else {
        return Ok(());
    };
    Err(Error::Model {
        model: model.name().to_owned(),
        problems: vec![model.statements()[statement].problem(model.file(), ProblemKind::Changes)],
    })
}
