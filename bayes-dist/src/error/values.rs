//! Errors of values given by name that do not match a model.

use super::run::closest;
use thiserror::Error;

/// Why values do not match a model.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ValuesError {
    /// A random quantity with too few elements, or none.
    #[error("`{name}` has {given} elements; the model needs at least {wanted}")]
    Missing {
        /// The random quantity.
        name: &'static str,
        /// Elements given.
        given: usize,
        /// Number of elements that the model has needed so far.
        wanted: usize,
    },
    /// A random quantity with more elements than the model needs.
    #[error("`{name}` has {left} more elements than the model needs")]
    Left {
        /// The random quantity.
        name: String,
        /// Surplus elements.
        left: usize,
    },
    /// A random quantity with another number of elements.
    #[error("`{name}` has {wanted} elements, got {given}")]
    Elements {
        /// The random quantity.
        name: String,
        /// Elements given.
        given: usize,
        /// Number of elements that the quantity has.
        wanted: usize,
    },
    /// A value that the distribution of the quantity cannot have.
    #[error(
        "`{name}` in `{statement}` cannot have the given value: its density there is zero or undefined"
    )]
    Outside {
        /// The random quantity.
        name: &'static str,
        /// Its statement.
        statement: &'static str,
    },
    /// A value at which no chain can start.
    #[error(
        "no chain can start with `{name}` {value}: it is outside of the support of `{statement}`, or at its end"
    )]
    NoStart {
        /// The random quantity.
        name: &'static str,
        /// Its statement.
        statement: &'static str,
        /// The value, in words: at an index, or all elements.
        value: String,
    },
    /// A quantity that is given two values.
    #[error("`{name}` has two values; give one")]
    Twice {
        /// The quantity.
        name: String,
    },
    /// A density whose prior cannot draw around given values.
    #[error(
        "the prior of this density knows no quantities by name, so that none can have a given value; implement `Prior::draw_at`"
    )]
    NotByName,
    /// All random quantities have values.
    #[error("every random quantity has a given value, so nothing is left to sample")]
    NothingLeft,
    /// No random quantity or param has this name, or no param where only params have values.
    #[error(
        "the model has no quantity `{name}`; it has `{}`{}",
        known.join("`, `"),
        meant(name, known)
    )]
    Unknown {
        /// The name that was given.
        name: String,
        /// The known names.
        known: Vec<String>,
    },
}

/// A suggestion; empty if no name is close, or if the message has just named the only one.
fn meant(name: &str, known: &[String]) -> String {
    let found = closest(name, known).filter(|_| known.len() > 1);
    found.map_or_else(String::new, |found| format!("; did you mean `{found}`?"))
}
