//! Errors in a distribution's parameters and in observed data.

use crate::text::exact;
use thiserror::Error;

/// A parameter that is not allowed.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ParameterError {
    /// A value outside the range of the parameter.
    #[error("{distribution}: parameter `{parameter}`{} is {}, must be {allowed}", at(*index), exact(*value))]
    Value {
        /// The distribution's name.
        distribution: &'static str,
        /// The parameter's name.
        parameter: &'static str,
        /// Position within a vector parameter.
        index: Option<usize>,
        /// The value received.
        value: f64,
        /// What it must be, in words.
        allowed: &'static str,
    },
    /// Vector parameters of different lengths, or an empty one.
    #[error("{distribution}: parameter `{parameter}` has length {length}, must be {allowed}")]
    Length {
        /// The distribution's name.
        distribution: &'static str,
        /// The parameter's name.
        parameter: &'static str,
        /// The length received.
        length: usize,
        /// What it must be, in words.
        allowed: String,
    },
    /// A parameter of another shape.
    #[error("{distribution}: parameter `{parameter}` is {given}, must be {allowed}")]
    Shape {
        /// The distribution's name.
        distribution: &'static str,
        /// The parameter's name.
        parameter: &'static str,
        /// The shape received, in words.
        given: String,
        /// What it must be, in words.
        allowed: String,
    },
    /// A component of a mixture that differs from the first in something that all must share.
    #[error("Mixture: component {component} has another {what} than component 0")]
    Component {
        /// Which component.
        component: usize,
        /// What differs.
        what: &'static str,
    },
}

impl ParameterError {
    /// The value that is not allowed, for an error about a value.
    #[doc(hidden)]
    #[must_use]
    pub fn value(&self) -> Option<f64> {
        match self {
            Self::Value { value, .. } => Some(*value),
            _ => None,
        }
    }
}

/// Data that a distribution cannot have produced.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum DataError {
    /// A datum that is NaN or outside the support.
    #[error("{distribution}: observation{} is {}, must be {allowed}", at(*index), exact(*value))]
    Value {
        /// The distribution's name.
        distribution: &'static str,
        /// Position within the data; `None` for a scalar.
        index: Option<usize>,
        /// The value received.
        value: f64,
        /// The support in words.
        allowed: String,
    },
    /// Data whose length does not match the distribution's parameters, or no data.
    #[error("{distribution}: got {length} observations, must be {allowed}")]
    Length {
        /// The distribution's name.
        distribution: &'static str,
        /// Observations received.
        length: usize,
        /// The expected number, in words.
        allowed: String,
    },
}

fn at(index: Option<usize>) -> String {
    index.map(|i| format!(" at index {i}")).unwrap_or_default()
}

impl DataError {
    /// The same error for data that begin at index `start` of a longer list.
    #[doc(hidden)]
    #[must_use]
    pub fn shifted(self, start: usize) -> Self {
        self.with_index(|index| Some(start + index.unwrap_or(0)))
    }

    /// The same error for data whose indices are `place` of these among others.
    #[doc(hidden)]
    #[must_use]
    pub fn placed(self, place: impl FnOnce(usize) -> usize) -> Self {
        self.with_index(|index| index.map(place))
    }

    fn with_index(mut self, of: impl FnOnce(Option<usize>) -> Option<usize>) -> Self {
        if let Self::Value { index, .. } = &mut self {
            *index = of(*index);
        }
        self
    }
}
