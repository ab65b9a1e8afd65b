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
    /// For each random quantity its dimension and, if it is exactly Gaussian, the distribution of its coordinates.
    pub distributions: Vec<(usize, Option<Gaussian>)>,
}

impl<'a> Draw<'a> {
    /// A draw by `stream`.
    pub fn new(stream: &'a mut Stream) -> Self {
        Self {
            stream,
            position: Vec::new(),
            distributions: Vec::new(),
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
    fn random<D: Distribution<M>>(&mut self, distribution: D) -> D::Value {
        let elements = distribution.draw(self.stream);
        self.position.extend(distribution.unconstrain(&elements));
        self.distributions
            .push((distribution.dim(), distribution.gaussian()));
        value_of(&distribution, &elements)
    }
}
