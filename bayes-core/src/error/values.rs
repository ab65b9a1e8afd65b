//! Errors of values given by name that do not match a model.

use thiserror::Error;

/// Why values do not match a model.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ValuesError {
    /// A random quantity has too few elements, or none.
    #[error("`{name}` has {given} elements; the model needs at least {wanted}")]
    Missing {
        /// The random quantity.
        name: &'static str,
        /// Elements given.
        given: usize,
        /// Elements that the model needs so far.
        wanted: usize,
    },
    /// A random quantity has more elements than the model needs.
    #[error("`{name}` has {left} more elements than the model needs")]
    Left {
        /// The random quantity.
        name: String,
        /// Surplus elements.
        left: usize,
    },
    /// There is no random quantity or param of this name, or no param where only params have values.
    #[error("the model has no quantity `{name}`; it has {known}")]
    Unknown {
        /// The name that was given.
        name: String,
        /// Those that it has, in words.
        known: String,
    },
}
