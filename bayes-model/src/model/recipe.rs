//! The origin of a model that a program made.

use serde::{Deserialize, Serialize};

/// The origin of a model that a program made, such as a formula with a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipe {
    /// The model in a line, for the head of a printed run.
    pub title: String,
    /// All that the program needs to make the model for other data, as text that it can read again.
    pub text: String,
    /// Quantities that are not part of the answer, such as standardised effects: printed runs leave out
    /// their rows.
    pub hidden: Vec<String>,
}
