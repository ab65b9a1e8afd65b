//! Numbers of random values of each statement, without drawing any.

use crate::model::Model;
use crate::model::plain::{PlainDistribution, PlainInterpreter};
use bayes_autodiff::fault::{self, Fault};

/// Number of coordinates and of elements that each statement samples, `[statements]`.
#[derive(Debug, PartialEq, Eq)]
pub struct Outline(pub Vec<(usize, usize)>);

impl Outline {
    /// The outline of `model` at the middle of its prior.
    ///
    /// # Errors
    /// The fault that stopped the model.
    pub fn of<Mo: Model>(model: &Mo) -> Result<Self, Fault> {
        let mut interpreter = Sizes {
            statement: 0,
            sizes: vec![(0, 0); model.statements().len()],
        };
        fault::catch(|| model.run_plain(&mut interpreter))?;
        Ok(Self(interpreter.sizes))
    }
}

struct Sizes {
    statement: usize,
    sizes: Vec<(usize, usize)>,
}

impl PlainInterpreter for Sizes {
    fn at(&mut self, statement: usize) {
        self.statement = statement;
    }
    fn random(&mut self, distribution: &dyn PlainDistribution) -> Vec<f64> {
        let (coordinates, elements) = &mut self.sizes[self.statement];
        *coordinates += distribution.dim();
        *elements += distribution.shape().elements();
        distribution.constrain(&vec![0.0; distribution.dim()]).0
    }
}
