//! The density of a model: log prior and log likelihood at a point.

use super::Interpreter;
use crate::dist::{ContinuousDomain, Data, Discrete, Distribution, Quantity};
use bayes_autodiff::{Mode, Real};

/// Scores the model at given unconstrained coordinates.
pub struct Evaluate<'a, M: Mode> {
    coordinates: &'a [Real<M>],
    /// Log prior including the log Jacobian of the transforms.
    pub log_prior: Real<M>,
    /// Sum of `observe` and `factor` terms.
    pub log_likelihood: Real<M>,
}

impl<'a, M: Mode> Evaluate<'a, M> {
    /// An evaluation at `coordinates`, `[dim]`.
    #[inline(always)]
    pub fn new(coordinates: &'a [Real<M>]) -> Self {
        let zero = Real::constant(0.0);
        Self {
            coordinates,
            log_prior: zero,
            log_likelihood: zero,
        }
    }

    #[inline(always)]
    fn score<D: Distribution<M>>(&mut self, distribution: &D) -> D::Value {
        let (mine, rest) = self.coordinates.split_at(distribution.dim());
        self.coordinates = rest;
        let (value, log_jacobian) = distribution.constrain(mine);
        self.log_prior += distribution.log_density_at(&value) + log_jacobian;
        value
    }
}

impl<M: Mode> Interpreter<M> for Evaluate<'_, M> {
    #[inline(always)]
    fn at(&mut self, _: usize) -> &mut Self {
        self
    }
    #[inline(always)]
    fn sample<D: Distribution<M>>(&mut self, distribution: D) -> D::Value
    where
        D::Domain: ContinuousDomain,
    {
        self.score(&distribution)
    }
    #[inline(always)]
    fn sample_discrete<D: Distribution<M, Domain = Discrete>>(
        &mut self,
        distribution: D,
    ) -> D::Value {
        self.score(&distribution)
    }
    #[inline(always)]
    fn observe<T: Data<D::Domain>, D: Distribution<M>>(&mut self, data: T, distribution: D) {
        self.log_likelihood += distribution.log_likelihood(&data);
    }
    #[inline(always)]
    fn deterministic<Q: Quantity<M>>(&mut self, value: Q) -> Q {
        value
    }
    #[inline(always)]
    fn factor(&mut self, log_weight: impl Into<Real<M>>) {
        self.log_likelihood += log_weight.into();
    }
}
