//! A finding, and to whom it is told.

use super::is_of_formula;
use crate::run::Run;
use serde::{Deserialize, Serialize};
use std::ops::Deref;

/// The finding of a rule, to which it dereferences, and to whom it is told: a warning has one remedy for those who wrote the model, and
/// perhaps another one for users of formulas.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Told<R> {
    /// What the rule found.
    #[serde(flatten)]
    pub found: R,
    #[serde(default)]
    formula: bool,
}

impl<R> Told<R> {
    pub(super) fn of(run: &Run, found: R) -> Self {
        Self {
            found,
            formula: is_of_formula(run),
        }
    }

    /// Whether the model was written as a formula.
    #[must_use]
    pub fn is_of_formula(&self) -> bool {
        self.formula
    }
}

impl<R> Deref for Told<R> {
    type Target = R;

    fn deref(&self) -> &R {
        &self.found
    }
}

/// A finding that is told to the author of a model.
impl<R> From<R> for Told<R> {
    fn from(found: R) -> Self {
        Self {
            found,
            formula: false,
        }
    }
}
