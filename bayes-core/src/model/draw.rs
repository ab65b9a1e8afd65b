//! Prior draws, perhaps at given params, with the exact Gaussian distributions of the random quantities.

use super::Interpreter;
use crate::dist::{Distribution, Gaussian, Quantity};
use crate::rng::Stream;
use bayes_autodiff::{Mode, Real};

/// Draws every random quantity from its prior, given the previous ones, and every param from its start unless it is given.
pub struct Draw<'a> {
    stream: &'a mut Stream,
    /// Unconstrained coordinates drawn so far; `[dim]` at the end.
    pub position: Vec<f64>,
    /// The distribution of each random quantity and of each param.
    pub priors: Vec<DrawnPrior>,
    /// The present statement.
    statement: usize,
    /// A position whose params are kept, `[dim]`; none if they are drawn.
    given: Option<&'a [f64]>,
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
    /// Whether it is a param, which has no prior.
    pub is_param: bool,
}

impl<'a> Draw<'a> {
    /// A draw by `stream`.
    pub fn new(stream: &'a mut Stream) -> Self {
        Self {
            stream,
            position: Vec::new(),
            priors: Vec::new(),
            statement: 0,
            given: None,
        }
    }

    /// The same with the params of a position, `[dim]`, in place of draws from their starts.
    #[must_use]
    pub fn at_params_of(self, position: &'a [f64]) -> Self {
        Self {
            given: Some(position),
            ..self
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
            is_param: false,
        });
        value_of(&distribution, &elements)
    }
    fn param<D: Distribution<M>>(&mut self, start: D) -> D::Value {
        let (from, dim) = (self.position.len(), start.dim());
        self.priors.push(DrawnPrior {
            statement: self.statement,
            dim,
            gaussian: None,
            is_param: true,
        });
        match self.given {
            Some(position) => self.position.extend(&position[from..from + dim]),
            None => {
                let elements = start.draw(self.stream);
                self.position.extend(start.unconstrain(&elements));
            }
        }
        let mine = self.position[from..].iter().map(|x| Real::constant(*x));
        start.constrain(&mine.collect::<Vec<Real<M>>>()).0
    }
}
