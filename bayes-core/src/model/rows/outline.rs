//! How many random values each statement has, without drawing any.

use crate::dist::Distribution;
use crate::model::{Interpreter, Model};
use bayes_autodiff::fault::{self, Fault};
use bayes_autodiff::{Mode, Real, Value};

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
        fault::catch(|| model.program::<Value, _>(&mut interpreter))?;
        Ok(Self(interpreter.sizes))
    }
}

struct Sizes {
    statement: usize,
    sizes: Vec<(usize, usize)>,
}

impl<M: Mode> Interpreter<M> for Sizes {
    fn at(&mut self, statement: usize) -> &mut Self {
        self.statement = statement;
        self
    }
    fn random<D: Distribution<M>>(&mut self, distribution: D) -> D::Value {
        let (coordinates, elements) = &mut self.sizes[self.statement];
        *coordinates += distribution.dim();
        *elements += distribution.shape().elements();
        let zeros = vec![Real::constant(0.0); distribution.dim()];
        distribution.constrain(&zeros).0
    }
}
