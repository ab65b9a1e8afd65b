//! Names, shapes and offsets of the quantities in a draw.

use crate::dist::Shape;
use serde::{Deserialize, Serialize};

/// The columns of a draw: every sampled, learnt and deterministic quantity, in the order of the program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// The quantities; their elements follow one another in a draw.
    pub variables: Vec<Variable>,
    /// Number of unconstrained coordinates.
    pub dim: usize,
}

/// The origin of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum VariableKind {
    /// `sample` of a continuous distribution.
    Continuous,
    /// `sample` of a discrete distribution.
    Discrete,
    /// `param`.
    Param,
    /// `deterministic`.
    Deterministic,
}

/// One named quantity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variable {
    /// The `let` name.
    pub name: String,
    /// Its shape in the output.
    pub shape: Shape,
    /// Its origin.
    pub kind: VariableKind,
    /// Whether its elements are angles, whose circle is cut where their coordinates run to infinity.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_angle: bool,
    /// Position of its first element in a draw.
    pub offset: usize,
    /// Its dimensions with the names of the places along them, rows first; empty without names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dims: Vec<Dim>,
    /// The lengths of its parts, if it is made in a loop whose turns have different lengths; otherwise empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<usize>,
}

/// A dimension and the names of the places along it, such as schools or years.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dim {
    /// The dimension, such as `school`.
    pub name: String,
    /// The places, one for each index.
    pub places: Vec<String>,
    /// A hash of data, if the places are the numbers of rows of these data, so that they mean the same only where the data are the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows_of: Option<u64>,
}

impl Layout {
    /// Number of values in a draw.
    #[must_use]
    pub fn elements(&self) -> usize {
        self.variables
            .last()
            .map_or(0, |v| v.offset + v.shape.elements())
    }

    /// The names of the quantities, in the order of the model.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.variables
            .iter()
            .map(|variable| variable.name.clone())
            .collect()
    }

    /// The names of all elements, in the order of a draw.
    #[must_use]
    pub fn element_names(&self) -> Vec<String> {
        self.variables
            .iter()
            .flat_map(Variable::element_names)
            .collect()
    }

    /// The quantity called `name`.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|v| v.name == name)
    }
}

impl Variable {
    /// The range of its elements in a draw.
    #[must_use]
    pub fn range(&self) -> std::ops::Range<usize> {
        self.offset..self.offset + self.shape.elements()
    }

    /// Names of the elements: `mu`, `beta[3]`, `w[2,0]` with indices from 0, or `theta[Choate]` if places have names.
    pub fn element_names(&self) -> Vec<String> {
        element_names(&self.name, self.shape, &self.dims)
    }
}

/// Names of the elements of a quantity.
pub(crate) fn element_names(name: &str, shape: Shape, dims: &[Dim]) -> Vec<String> {
    match shape {
        Shape::Scalar => vec![name.to_owned()],
        _ => named(name, element_places(shape, dims)),
    }
}

/// `y[2,0]` for each place `2,0`.
pub(crate) fn named(name: &str, places: Vec<String>) -> Vec<String> {
    places
        .into_iter()
        .map(|place| format!("{name}[{place}]"))
        .collect()
}

/// The places of the elements of a quantity: `3`, `2,0`, `Choate`; empty for a scalar.
pub(crate) fn element_places(shape: Shape, dims: &[Dim]) -> Vec<String> {
    // the name of a place along a dimension, by default its index
    let place = |dim: usize, index: usize| {
        let named = dims.get(dim).and_then(|dim| dim.places.get(index));
        named.cloned().unwrap_or_else(|| index.to_string())
    };
    match shape {
        Shape::Scalar => Vec::new(),
        Shape::Vector(n) => (0..n).map(|i| place(0, i)).collect(),
        Shape::Matrix(rows, columns) => (0..rows)
            .flat_map(|i| (0..columns).map(move |j| (i, j)))
            .map(|(i, j)| format!("{},{}", place(0, i), place(1, j)))
            .collect(),
    }
}
