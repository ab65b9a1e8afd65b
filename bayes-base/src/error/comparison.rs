//! Errors of cross-validation and of comparisons.

use thiserror::Error;

/// Why models cannot be compared, or cross-validated.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ComparisonError {
    /// Fewer than two models.
    #[error("a comparison needs at least two models, there are {found}")]
    TooFew {
        /// Number of models.
        found: usize,
    },
    /// Two models with the same name.
    #[error("two of the models are called `{name}`")]
    SameName {
        /// The name.
        name: String,
    },
    /// Models with different numbers of observations.
    #[error(
        "`{first}` has {observations} observations and `{other}` has {found}; compare models of the same data, observed by the same \
         statements"
    )]
    Observations {
        /// The first model.
        first: String,
        /// Its observations.
        observations: usize,
        /// The other model.
        other: String,
        /// Its observations.
        found: usize,
    },
    /// Models of different data.
    #[error(
        "`{first}` and `{other}` observe different data, so that neither their predictive densities nor their evidences can be compared; give both \
         models the same observed values, in the same order and on the same scale, with the same weights and limits of censoring"
    )]
    Data {
        /// The first model.
        first: String,
        /// The other model.
        other: String,
    },
    /// Models that weight or censor the same data differently.
    #[error(
        "`{first}` and `{other}` weight or censor the same data differently; a weighted term or the probability of an interval cannot be \
         compared with a density"
    )]
    Terms {
        /// The first model.
        first: String,
        /// The other model.
        other: String,
    },
    /// Estimates by different methods.
    #[error("`{first}` is estimated by {method}, `{other}` by {found}; use one method for all")]
    Method {
        /// The first model.
        first: String,
        /// Its method.
        method: &'static str,
        /// The other model.
        other: String,
        /// Its method.
        found: &'static str,
    },
    /// Observations without one per row.
    #[error(
        "`{variable}` has {observations} observations for {rows} rows; leaving out rows needs one observation of it in each row"
    )]
    Rows {
        /// The observed variable.
        variable: String,
        /// Its observations.
        observations: usize,
        /// The rows.
        rows: usize,
    },
    /// Observations that are not single numbers.
    #[error(
        "`{variable}` has {elements} elements in {observations} observations; a probability integral transform needs single \
         numbers"
    )]
    Elements {
        /// The observed variable.
        variable: String,
        /// Its elements.
        elements: usize,
        /// Its observations.
        observations: usize,
    },
}
