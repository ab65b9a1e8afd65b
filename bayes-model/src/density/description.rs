//! The description of a density: the quantities behind its coordinates.

use super::{Arithmetic, RoundedPrior, Solutions};
use crate::dist::Shape;
use crate::model::{Layout, NonFiniteTerm, Recipe, StatementInfo, Variable, VariableKind};

/// The description of a density, stored with its runs; plain data.
#[derive(Clone, Debug)]
pub struct Description {
    /// The model function's name.
    pub name: String,
    /// The text of the model function; empty if it is unknown.
    pub source: String,
    /// The recipe from which a program made the model.
    pub recipe: Option<Recipe>,
    /// Names and shapes of the output.
    pub layout: Layout,
    /// The statements; counts refer to their indices.
    pub statements: Vec<StatementInfo>,
    /// The evaluation of the density.
    pub arithmetic: Arithmetic,
    /// One flag per coordinate: whether it is a whole number, `[dim]`.
    pub discrete: Vec<bool>,
    /// One flag per coordinate: whether it belongs to a param, learnt and not sampled, `[dim]`.
    pub params: Vec<bool>,
}

impl Description {
    /// One vector `x` of `dim` continuous coordinates.
    #[must_use]
    pub fn unnamed(dim: usize) -> Self {
        let variable = Variable {
            dims: Vec::new(),
            turns: Vec::new(),
            is_angle: false,
            name: "x".to_owned(),
            shape: Shape::Vector(dim),
            kind: VariableKind::Continuous,
            offset: 0,
        };
        Self {
            name: "density".to_owned(),
            source: String::new(),
            recipe: None,
            layout: Layout {
                variables: vec![variable],
                dim,
            },
            statements: vec![StatementInfo {
                words: None,
                text: "the density".to_owned(),
                line: 0,
                improper: false,
            }],
            arithmetic: Arithmetic::by_hand(),
            discrete: vec![false; dim],
            params: vec![false; dim],
        }
    }
}

/// The quantities behind the coordinates of a density: names, values, and non-finite terms.
///
/// Every method has a default, for which the coordinates are the output.
pub trait Quantities: Sync {
    /// For a decorator: the quantities of the wrapped density, which by default are also its own, except for the fingerprint.
    fn inner(&self) -> Option<&dyn Quantities> {
        None
    }

    /// Name, quantities and statements; `None` for one vector `x`.
    fn describe(&self) -> Option<Description> {
        self.inner().and_then(|inner| inner.describe())
    }

    /// A hash of the density; 0 if it is unknown, and then runs can be neither merged nor saved in checkpoints. A decorator that changes
    /// the density needs another hash than the density that it wraps.
    fn fingerprint(&self) -> u64 {
        0
    }

    /// A hash of the model of a posterior and of exactly its data ([`Model::identity`](crate::model::Model::identity)); `None` if it is
    /// unknown, and for a decorator that changes the density otherwise.
    fn identity(&self) -> Option<u64> {
        None
    }

    /// A hash of exactly the observed values, in order, whatever the predictors and the prior are: only runs that share it have a Bayes
    /// factor. `None` if it is unknown, and then nothing is compared. A decorator that changes the data needs another hash.
    fn observed_data(&self) -> Option<u64> {
        self.inner().and_then(|inner| inner.observed_data())
    }

    /// The quantities whose prior draws often round to an end of the support or to infinity; by default none.
    fn rounded_priors(&self) -> Vec<RoundedPrior> {
        Vec::new()
    }

    /// The constrained values at a position, `[layout.elements()]`.
    fn output(&self, position: &[f64]) -> Vec<f64> {
        match self.inner() {
            Some(inner) => inner.output(position),
            None => position.to_vec(),
        }
    }

    /// [`Quantities::output`] at many positions, `[particles, dim]`: `[particles, layout.elements()]`, row-major.
    fn outputs(&self, positions: &[f64], dim: usize) -> Vec<f64> {
        let positions = positions.chunks_exact(dim.max(1));
        positions
            .flat_map(|position| self.output(position))
            .collect()
    }

    /// The log density of each statement at a position, Jacobians included.
    fn terms(&self, position: &[f64]) -> Vec<f64> {
        let inner = self.inner();
        inner.map_or_else(Vec::new, |inner| inner.terms(position))
    }

    /// The solutions of differential equations at a position, beside those by steps that fit their error; by default there are none.
    fn solutions(&self, position: &[f64]) -> Solutions {
        let inner = self.inner();
        inner.map_or_else(Solutions::default, |inner| inner.solutions(position))
    }

    /// The non-finite terms at a position with these values `[log_prior, log_likelihood]`, in the order of execution. By
    /// default, the first non-finite value of the two, as a term of the first statement.
    fn non_finite_terms(&self, position: &[f64], values: [f64; 2]) -> Vec<NonFiniteTerm> {
        if let Some(inner) = self.inner() {
            return inner.non_finite_terms(position, values);
        }
        let term = values.into_iter().find(|value| !value.is_finite());
        let non_finite_term = |term| NonFiniteTerm {
            statement: 0,
            term,
            cause: None,
            observation: None,
        };
        term.map(non_finite_term).into_iter().collect()
    }
}

/// Coordinates without names.
#[derive(Clone, Copy, Debug)]
pub struct Unnamed;

impl Quantities for Unnamed {}
