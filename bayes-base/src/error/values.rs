//! Errors of values given by name that do not match a model.

use super::run::closest;
use crate::text::count;
use thiserror::Error;

/// Why values do not match a model.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ValuesError {
    /// A random quantity with too few elements, or none.
    #[error("{}", missing(name, *given, *wanted))]
    Missing {
        /// The random quantity.
        name: &'static str,
        /// Elements given.
        given: usize,
        /// Number of elements that the model has needed so far.
        wanted: usize,
    },
    /// A random quantity with more elements than the model needs.
    #[error("`{name}` is given {} more than the quantity has", count(*left as u64, "element"))]
    Left {
        /// The random quantity.
        name: String,
        /// Surplus elements.
        left: usize,
    },
    /// A random quantity with another number of elements.
    #[error("`{name}` has {}, got {given}", size(*elements, *matrix))]
    Elements {
        /// The random quantity.
        name: String,
        /// Elements given.
        given: usize,
        /// Elements of the quantity.
        elements: usize,
        /// Its rows and columns, if it is a matrix.
        matrix: Option<[usize; 2]>,
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

/// What is missing of a quantity.
fn missing(name: &str, given: usize, wanted: usize) -> String {
    match given {
        0 => format!("`{name}` has no value, but each random quantity needs one"),
        _ => format!(
            "`{name}` is given {}, but the quantity has at least {wanted}",
            count(given as u64, "element")
        ),
    }
}

/// The number of elements of a quantity, in words.
fn size(elements: usize, matrix: Option<[usize; 2]>) -> String {
    let number = count(elements as u64, "element");
    match matrix {
        Some([rows, columns]) => format!("{number} (a matrix of {rows} x {columns}, row by row)"),
        None => number,
    }
}

/// A suggestion; empty if no name is close, or if the message has just named the only one.
fn meant(name: &str, known: &[String]) -> String {
    let found = closest(name, known).filter(|_| known.len() > 1);
    found.map_or_else(String::new, |found| format!("; did you mean `{found}`?"))
}
