//! What a program made a model of.

use serde::{Deserialize, Serialize};

/// What a program made a model of, such as a formula on a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipe {
    /// The model in a line, for the head of a printed run.
    pub title: String,
    /// All that the program needs to make the model of other data, in a text that it can read again.
    pub text: String,
    /// The quantities that are no answers, such as standardised effects: printed runs leave out their rows.
    pub hidden: Vec<String>,
}
