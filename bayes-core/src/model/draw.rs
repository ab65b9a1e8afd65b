//! Prior draws, with the exact Gaussian distributions of the random quantities.

use super::Interpreter;
use crate::dist::{Distribution, Gaussian, Quantity};
use crate::rng::Stream;
use bayes_autodiff::{Mode, Real};

/// Draws every random quantity from its prior, given the previous ones.
pub struct Draw<'a> {
    stream: &'a mut Stream,
    /// Unconstrained coordinates drawn so far; `[dim]` at the end.
    pub position: Vec<f64>,
    /// The distribution of each random quantity.
    pub priors: Vec<DrawnPrior>,
    /// The present statement.
    statement: usize,
}

/// The distribution of a random quantity at a draw.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnPrior {
    /// Its statement.
    pub statement: usize,
    /// Number of its coordinates.
    pub dim: usize,
    /// The distribution of its coordinates, if that is exactly Gaussian.
    pub gaussian: Option<Gaussian>,
}

impl<'a> Draw<'a> {
    /// A draw by `stream`.
    pub fn new(stream: &'a mut Stream) -> Self {
        Self {
            stream,
            position: Vec::new(),
            priors: Vec::new(),
            statement: 0,
        }
    }
}

/// The value with the given elements (row-major).
pub(super) fn value_of<M: Mode, D: Distribution<M>>(
    distribution: &D,
    elements: &[f64],
) -> D::Value {
    D::Value::from_fn(distribution.shape(), |i| Real::constant(elements[i]))
}

impl<M: Mode> Interpreter<M> for Draw<'_> {
    fn at(&mut self, statement: usize) -> &mut Self {
        self.statement = statement;
        self
    }
    fn random<D: Distribution<M>>(&mut self, distribution: D) -> D::Value {
        let elements = distribution.draw(self.stream);
        self.position.extend(distribution.unconstrain(&elements));
        self.priors.push(DrawnPrior {
            statement: self.statement,
            dim: distribution.dim(),
            gaussian: distribution.gaussian(),
        });
        value_of(&distribution, &elements)
    }
}
