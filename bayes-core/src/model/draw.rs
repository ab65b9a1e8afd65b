//! Prior draws, perhaps at given params, with the exact Gaussian distributions of the random quantities.

use super::{Interpreter, Statement};
use crate::dist::{Distribution, Gaussian, Quantity};
use crate::error::ValuesError;
use crate::rng::Stream;
use bayes_autodiff::{Mode, PlainValue, Real};

/// The relative difference that the transforms of a value to coordinates and back may make.
const ROUNDING: f64 = 1e-6;

/// Elements of quantities by name, row-major and in the order of execution, that a program has not used yet.
pub(super) struct Unused<'a>(Vec<(&'a str, &'a [f64])>);

impl<'a> Unused<'a> {
    pub(super) fn new(values: &'a [(String, Vec<f64>)]) -> Self {
        let values = values.iter().map(|(name, x)| (name.as_str(), x.as_slice()));
        Self(values.collect())
    }

    /// The next `count` elements of a quantity; `None` if it has no given value.
    ///
    /// # Panics
    /// If fewer are left.
    pub(super) fn take(&mut self, name: &str, count: usize) -> Option<&'a [f64]> {
        let (_, left) = self.0.iter_mut().find(|(other, _)| *other == name)?;
        let (mine, rest) = left.split_at(count);
        *left = rest;
        Some(mine)
    }
}

/// Given values of random quantities, and how they fare.
struct GivenValues<'a> {
    statements: &'static [Statement],
    unused: Unused<'a>,
    /// The first statement whose distribution cannot have its value.
    outside: Option<usize>,
}

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
    params: Option<&'a [f64]>,
    /// Values that are not drawn.
    values: Option<GivenValues<'a>>,
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
            params: None,
            values: None,
        }
    }

    /// The same with the params of a position, `[dim]`, in place of draws from their starts.
    #[must_use]
    pub fn at_params_of(self, position: &'a [f64]) -> Self {
        Self {
            params: Some(position),
            ..self
        }
    }

    /// The same with given elements of some random quantities, row-major and in the order of execution, in place of draws.
    #[must_use]
    pub fn at_values(
        self,
        statements: &'static [Statement],
        values: &'a [(String, Vec<f64>)],
    ) -> Self {
        Self {
            values: Some(GivenValues {
                statements,
                unused: Unused::new(values),
                outside: None,
            }),
            ..self
        }
    }

    /// Checks that the given values are values of their distributions, after the draw.
    ///
    /// # Errors
    /// [`ValuesError::Outside`] with the first that is not.
    pub fn check_values(&self) -> Result<(), ValuesError> {
        let outside = |values: &GivenValues<'_>| Some(values.statements[values.outside?]);
        match self.values.as_ref().and_then(outside) {
            Some(Statement { name, text, .. }) => Err(ValuesError::Outside {
                name,
                statement: text,
            }),
            None => Ok(()),
        }
    }

    /// The elements of the present statement's quantity: given, or drawn. Their coordinates are noted.
    fn elements<M: Mode, D: Distribution<M>>(&mut self, distribution: &D) -> Vec<f64> {
        let count = distribution.shape().elements();
        let given = self.values.as_mut().and_then(|values| {
            let name = values.statements[self.statement].name;
            values.unused.take(name, count)
        });
        let is_given = given.is_some();
        let elements = match given {
            Some(elements) => elements.to_vec(),
            None => distribution.draw(self.stream),
        };
        let coordinates = distribution.unconstrain(&elements);
        if is_given && !comes_back(distribution, &coordinates, &elements) {
            let values = self.values.as_mut();
            values.map(|values| values.outside.get_or_insert(self.statement));
        }
        self.position.extend(coordinates);
        elements
    }
}

/// Whether coordinates are finite and have the value with these elements: those of a value outside the support, or at its end, are not.
fn comes_back<M: Mode, D: Distribution<M>>(
    distribution: &D,
    coordinates: &[f64],
    elements: &[f64],
) -> bool {
    let mine: Vec<Real<M>> = coordinates.iter().map(|x| Real::constant(*x)).collect();
    let value = distribution.constrain(&mine).0;
    let found = value.elements().iter().map(|x| x.plain_value());
    let is_same = |(found, x): (f64, &f64)| (found - x).abs() <= ROUNDING * (1.0 + x.abs());
    coordinates.iter().all(|x| x.is_finite()) && found.zip(elements).all(is_same)
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
        let elements = self.elements(&distribution);
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
        match self.params {
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
