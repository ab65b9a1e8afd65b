//! Errors of metrics.

use thiserror::Error;

/// Inconsistent input of a metric.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum MetricsError {
    /// Nothing to score.
    #[error("there are no {what}")]
    Empty {
        /// What is missing, in words.
        what: &'static str,
    },
    /// Two inputs whose lengths do not fit.
    #[error("there are {found} {what}, must be {wanted}")]
    Length {
        /// What the length counts, in words.
        what: &'static str,
        /// The number received.
        found: usize,
        /// The number needed, in words.
        wanted: String,
    },
    /// A number that is not a probability.
    #[error(
        "member {member}, observation {observation}: the probability of class {class} is {value}, must be from 0 to 1"
    )]
    Probability {
        /// The member (draw), from 0.
        member: usize,
        /// The observation, from 0.
        observation: usize,
        /// The class, from 0.
        class: usize,
        /// The value received.
        value: f64,
    },
    /// Probabilities of an observation that do not sum to one.
    #[error(
        "member {member}, observation {observation}: the probabilities of all classes sum to {sum}, must be 1"
    )]
    Sum {
        /// The member (draw), from 0.
        member: usize,
        /// The observation, from 0.
        observation: usize,
        /// Their sum.
        sum: f64,
    },
    /// A label that is not one of the classes.
    #[error("label {observation} is {value}, must be a whole number from 0 to {}", classes - 1)]
    Label {
        /// The observation, from 0.
        observation: usize,
        /// The label received.
        value: f64,
        /// Number of classes.
        classes: usize,
    },
    /// A weight that is negative or not finite, or weights that do not sum to one.
    #[error("the weights of the members: {what} is {value}, must be {allowed}")]
    Weight {
        /// `weight 3`, or `their sum`.
        what: String,
        /// The value received.
        value: f64,
        /// What it must be, in words.
        allowed: &'static str,
    },
    /// Labels of a single class where two are needed.
    #[error("all labels are {label}; this metric compares observations of both classes")]
    OneClass {
        /// `positive` or `negative`.
        label: &'static str,
    },
    /// A number that is not finite.
    #[error("{what} {index} is {value}, must be finite")]
    NotFinite {
        /// The kind of number, in words.
        what: &'static str,
        /// Its index, from 0.
        index: usize,
        /// The value received.
        value: f64,
    },
    /// An option outside its range.
    #[error("`{option}` is {value}, must be {allowed}")]
    Option {
        /// The option.
        option: &'static str,
        /// The value received.
        value: String,
        /// What it must be, in words.
        allowed: &'static str,
    },
}

impl MetricsError {
    /// `Ok` if the two numbers agree.
    pub fn same_length(what: &'static str, found: usize, wanted: usize) -> Result<(), Self> {
        if found == wanted {
            return Ok(());
        }
        Err(Self::Length {
            what,
            found,
            wanted: wanted.to_string(),
        })
    }

    /// `Ok` if all numbers are finite.
    pub fn finite(what: &'static str, values: &[f64]) -> Result<(), Self> {
        match values.iter().position(|value| !value.is_finite()) {
            None => Ok(()),
            Some(index) => Err(Self::NotFinite {
                what,
                index,
                value: values[index],
            }),
        }
    }
}
