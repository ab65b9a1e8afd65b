//! Values by name that do not fit a model.

use thiserror::Error;

/// Why values do not fit a model.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GivenError {
    /// A random quantity has too few elements, or none.
    #[error("`{name}` has {given} elements; the model needs at least {wanted}")]
    Missing {
        /// The random quantity.
        name: &'static str,
        /// Elements given.
        given: usize,
        /// Elements that the model asked for so far.
        wanted: usize,
    },
    /// A random quantity has more elements than the model asks for.
    #[error("`{name}` has {left} elements more than the model asks for")]
    Left {
        /// The random quantity.
        name: String,
        /// Elements that are left.
        left: usize,
    },
    /// There is no random quantity of this name.
    #[error("the model has no random quantity `{name}`; it has {known}")]
    Unknown {
        /// The name that was given.
        name: String,
        /// The random quantities, in words.
        known: String,
    },
}
