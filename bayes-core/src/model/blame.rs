//! Which statement made a log density NaN or infinite.

use super::Interpreter;
use crate::dist::{ContinuousDomain, Data, Discrete, Distribution, Quantity};
use bayes_autodiff::{Mode, Real};

/// Scores the model statement by statement and remembers the terms that are not finite.
///
/// Run only where a total was found not to be finite: the hot path does not pay for it.
pub struct Blame<'a, M: Mode> {
    coordinates: &'a [Real<M>],
    statement: usize,
    /// Statement and value of every term that is not finite, in the order of execution.
    pub culprits: Vec<(usize, f64)>,
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

    fn note(&mut self, term: Real<M>) {
        let term = term.primal();
        if !term.is_finite() {
            self.culprits.push((self.statement, term));
        }
    }

    fn score<D: Distribution<M>>(&mut self, distribution: &D) -> D::Value {
        let (mine, rest) = self.coordinates.split_at(distribution.dim());
        self.coordinates = rest;
        let (value, log_jacobian) = distribution.constrain(mine);
        self.note(distribution.log_density_at(&value) + log_jacobian);
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
        self.note(distribution.log_likelihood(&data));
    }
    fn deterministic<Q: Quantity<M>>(&mut self, value: Q) -> Q {
        value
    }
    fn factor(&mut self, log_weight: impl Into<Real<M>>) {
        self.note(log_weight.into());
    }
}
