//! Data simulated from a model: parameters from the prior, observations given them.

use super::draw::value_of;
use super::{Interpreter, Model, StatementKind};
use crate::dist::{Data, Distribution};
use crate::rng::Stream;
use bayes_autodiff::{Mode, Value};
use std::collections::BTreeMap;

/// Draws every random quantity from its prior and every observation from its distribution.
struct Simulate<'a> {
    stream: &'a mut Stream,
    statement: usize,
    /// Names of the observed data, by statement.
    names: Vec<&'static str>,
    values: BTreeMap<&'static str, Vec<f64>>,
    position: Vec<f64>,
}

/// A data set simulated from a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulated {
    /// The unconstrained coordinates of the parameters, `[dim]`.
    pub position: Vec<f64>,
    /// The simulated observations, row-major, by the name of the data in `observe(data, ..)`.
    pub values: BTreeMap<&'static str, Vec<f64>>,
}

/// Simulates parameters and data.
///
/// For each `observe` statement, as many values are drawn as the model holds; the values that it holds do not matter.
///
/// # Errors
/// The text of a `factor` statement, from which data cannot be simulated.
pub fn simulate<Mo: Model>(model: &Mo, stream: &mut Stream) -> Result<Simulated, &'static str> {
    let statements = model.statements();
    let factor = statements.iter().find(|s| s.kind == StatementKind::Factor);
    if let Some(factor) = factor {
        return Err(factor.text);
    }
    let mut simulation = Simulate {
        stream,
        statement: 0,
        names: statements.iter().map(|s| s.name).collect(),
        values: BTreeMap::new(),
        position: Vec::new(),
    };
    model.program::<Value, _>(&mut simulation);
    Ok(Simulated {
        position: simulation.position,
        values: simulation.values,
    })
}

impl<M: Mode> Interpreter<M> for Simulate<'_> {
    fn at(&mut self, statement: usize) -> &mut Self {
        self.statement = statement;
        self
    }
    fn random<D: Distribution<M>>(&mut self, distribution: D) -> D::Value {
        let elements = distribution.draw(self.stream);
        self.position.extend(distribution.unconstrain(&elements));
        value_of(&distribution, &elements)
    }
    fn observe_under<D: Distribution<M>, T: Data<D::Domain>>(&mut self, distribution: D, data: T) {
        let values = self.values.entry(self.names[self.statement]).or_default();
        let wanted = values.len() + data.shape().elements();
        while values.len() < wanted && distribution.shape().elements() > 0 {
            values.extend(distribution.draw(self.stream));
        }
    }
}
