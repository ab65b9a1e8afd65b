//! A draw with its unconstrained coordinates.

use crate::transform::Support;
use bayes_autodiff::{Real, Value};

/// [`Drawn::rounding`] of coordinates, from the coordinates of the rounded elements.
pub(super) fn rounding(coordinates: &[f64], of_elements: &[f64]) -> f64 {
    let pairs = coordinates.iter().zip(of_elements);
    let each = pairs.map(|(exact, found)| (exact - found).abs() / (1.0 + exact.abs()));
    each.fold(
        0.0,
        |worst, gap| if gap <= worst { worst } else { gap.min(1.0) },
    )
}

/// The value with a coordinate.
pub(super) fn constrained(support: Support<Value>, u: f64) -> f64 {
    support.constrain(Real::constant(u)).0.primal()
}

/// The elements of one or more values, row-major, and their unconstrained coordinates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawn {
    /// The elements. An element that would round to an end of the support is one rounding inside it.
    pub elements: Vec<f64>,
    /// The coordinates, which do not round.
    pub coordinates: Vec<f64>,
    /// Largest distance between these coordinates and the coordinates of the elements, relative to `1 + |coordinate|`: 0 unless an element
    /// rounds.
    pub rounding: f64,
    /// Whether an element rounded to an end of the support or to infinity and its coordinate is unknown. The element then stands for mass
    /// that lies elsewhere.
    pub lost: bool,
}

impl Drawn {
    /// A scalar with this coordinate.
    pub(super) fn of_coordinate(support: Support<Value>, u: f64) -> Self {
        let x = constrained(support, u);
        Self {
            elements: vec![support.interior(x)],
            coordinates: vec![u],
            rounding: rounding(&[u], &[support.unconstrain(x)]),
            lost: false,
        }
    }

    /// A scalar with this value. If the value rounded to an end of the support, it is moved inside.
    pub(super) fn of_value(support: Support<Value>, x: f64) -> Self {
        let inside = support.interior(x);
        Self {
            elements: vec![inside],
            coordinates: vec![support.unconstrain(inside)],
            rounding: 0.0,
            lost: inside != x && !x.is_nan(),
        }
    }

    /// Appends the elements and the coordinates of another draw.
    pub(super) fn extend(&mut self, other: Self) {
        self.elements.extend(other.elements);
        self.coordinates.extend(other.coordinates);
        self.rounding = self.rounding.max(other.rounding);
        self.lost |= other.lost;
    }
}
