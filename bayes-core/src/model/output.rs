//! The output of a draw: constrained values and deterministic quantities.

use super::Interpreter;
use crate::dist::{Distribution, Quantity};
use bayes_autodiff::{Mode, PlainValue, Real};
use std::collections::BTreeMap;

/// Collects the constrained values at given unconstrained coordinates, statement by statement.
pub struct Output<'a, M: Mode> {
    coordinates: &'a [Real<M>],
    statement: usize,
    /// Elements in the order of execution, for each statement that has output.
    pub values: BTreeMap<usize, Vec<f64>>,
}

impl<'a, M: Mode> Output<'a, M> {
    /// The output at `coordinates`, `[dim]`.
    pub fn new(coordinates: &'a [Real<M>]) -> Self {
        Self {
            coordinates,
            statement: 0,
            values: BTreeMap::new(),
        }
    }

    fn keep<Q: Quantity<M>>(&mut self, value: &Q) {
        let elements = value.elements().iter().map(|x| x.plain_value());
        self.values
            .entry(self.statement)
            .or_default()
            .extend(elements);
    }
}

impl<M: Mode> Interpreter<M> for Output<'_, M> {
    fn at(&mut self, statement: usize) -> &mut Self {
        self.statement = statement;
        self
    }
    fn random<D: Distribution<M>>(&mut self, distribution: D) -> D::Value {
        let (mine, rest) = self.coordinates.split_at(distribution.dim());
        self.coordinates = rest;
        let (value, _) = distribution.constrain(mine);
        self.keep(&value);
        value
    }
    fn deterministic<Q: Quantity<M>>(&mut self, value: Q) -> Q {
        self.keep(&value);
        value
    }
}
