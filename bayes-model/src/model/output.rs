//! The output of a draw: constrained values and deterministic quantities.

use super::plain::{PlainDistribution, PlainInterpreter};
use crate::dist::Shape;
use bayes_autodiff::{PlainValue, Real, Value};
use std::collections::BTreeMap;

/// Collects the constrained values at given unconstrained coordinates, statement by statement.
pub struct Output<'a> {
    coordinates: &'a [f64],
    statement: usize,
    /// Elements in the order of execution, for each statement with output.
    pub values: BTreeMap<usize, Vec<f64>>,
}

impl<'a> Output<'a> {
    /// The output at `coordinates`, `[dim]`.
    pub fn new(coordinates: &'a [f64]) -> Self {
        Self {
            coordinates,
            statement: 0,
            values: BTreeMap::new(),
        }
    }

    fn keep(&mut self, elements: impl IntoIterator<Item = f64>) {
        let kept = self.values.entry(self.statement).or_default();
        kept.extend(elements);
    }
}

impl PlainInterpreter for Output<'_> {
    fn at(&mut self, statement: usize) {
        self.statement = statement;
    }
    fn random(&mut self, distribution: &dyn PlainDistribution) -> Vec<f64> {
        let (mine, rest) = self.coordinates.split_at(distribution.dim());
        self.coordinates = rest;
        let (elements, _) = distribution.constrain(mine);
        self.keep(elements.iter().copied());
        elements
    }
    fn deterministic(&mut self, elements: &[Real<Value>], _shape: Shape) {
        self.keep(elements.iter().map(|x| x.plain_value()));
    }
}
