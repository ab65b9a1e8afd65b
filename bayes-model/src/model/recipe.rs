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
    /// Hidden quantities whose distributions are part of what is learnt, such as standardised effects: the sensitivity to the priors scales
    /// none of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub latent: Vec<String>,
    /// The terms whose coefficients have a random scale, so that warnings can name them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scales: Vec<TermScale>,
}

/// A term whose coefficients have a random scale, such as the effects of groups.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TermScale {
    /// The term, as its user wrote it: `(1 | site)`.
    pub term: String,
    /// The element that is the scale: `sd[site:Intercept]`.
    pub scale: String,
}
