//! Which statement made a log density NaN or infinite.

use super::Interpreter;
use crate::dist::{ContinuousDomain, Data, Discrete, Distribution, ParameterError, Quantity};
use bayes_autodiff::{Mode, Real};

/// Scores the model statement by statement and remembers the terms that are not finite.
///
/// Run only where a total was found not to be finite: the hot path does not pay for it.
pub struct Blame<'a, M: Mode> {
    coordinates: &'a [Real<M>],
    statement: usize,
    /// Every term that is not finite, in the order of execution.
    pub culprits: Vec<Culprit>,
}

/// A term that is not finite.
#[derive(Clone, Debug, PartialEq)]
pub struct Culprit {
    /// Its statement's index.
    pub statement: usize,
    /// Its value.
    pub term: f64,
    /// Where it is NaN, the parameter that is not allowed.
    pub cause: Option<ParameterError>,
}

impl<'a, M: Mode> Blame<'a, M> {
    /// The search at `coordinates`, `[dim]`.
    pub fn new(coordinates: &'a [Real<M>]) -> Self {
        Self {
            coordinates,
            statement: 0,
            culprits: Vec::new(),
        }
    }

    fn note(&mut self, term: Real<M>, check: impl FnOnce() -> Result<(), ParameterError>) {
        let (statement, term) = (self.statement, term.primal());
        if !term.is_finite() {
            let cause = if term.is_nan() { check().err() } else { None };
            self.culprits.push(Culprit {
                statement,
                term,
                cause,
            });
        }
    }

    fn score<D: Distribution<M>>(&mut self, distribution: &D) -> D::Value {
        let (mine, rest) = self.coordinates.split_at(distribution.dim());
        self.coordinates = rest;
        let (value, log_jacobian) = distribution.constrain(mine);
        let term = distribution.log_density_at(&value) + log_jacobian;
        self.note(term, || distribution.check());
        value
    }
}

impl<M: Mode> Interpreter<M> for Blame<'_, M> {
    fn at(&mut self, statement: usize) -> &mut Self {
        self.statement = statement;
        self
    }
    fn sample<D: Distribution<M>>(&mut self, distribution: D) -> D::Value
    where
        D::Domain: ContinuousDomain,
    {
        self.score(&distribution)
    }
    fn sample_discrete<D: Distribution<M, Domain = Discrete>>(
        &mut self,
        distribution: D,
    ) -> D::Value {
        self.score(&distribution)
    }
    fn observe<T: Data<D::Domain>, D: Distribution<M>>(&mut self, data: T, distribution: D) {
        let term = distribution.log_likelihood(&data);
        self.note(term, || distribution.check());
    }
    fn deterministic<Q: Quantity<M>>(&mut self, value: Q) -> Q {
        value
    }
    fn factor(&mut self, log_weight: impl Into<Real<M>>) {
        self.note(log_weight.into(), || Ok(()));
    }
}
