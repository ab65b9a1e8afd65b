//! The densities of a model over plain numbers: log prior and log likelihood at a point, as [`Evaluate`](super::Evaluate) in other modes.

use super::plain::{PlainData, PlainDistribution, PlainInterpreter};
use super::sum_out::{OpenSum, are_excluded_plain};
use crate::numeric::log_sum_exp;

/// Evaluates the model at given unconstrained coordinates.
pub struct PlainDensities<'a> {
    coordinates: &'a [f64],
    /// Whether the log prior includes the log Jacobian of the transforms.
    jacobian: bool,
    log_prior: f64,
    /// Sum of `observe` and `factor` terms; inside a sum, only the terms of the present value.
    log_likelihood: f64,
    /// The sums around the present place, outermost first, each with the log likelihood before it.
    sums: Vec<(OpenSum<f64>, f64)>,
}

impl<'a> PlainDensities<'a> {
    /// An evaluation at `coordinates`, `[dim]`.
    pub fn new(coordinates: &'a [f64], jacobian: bool) -> Self {
        Self {
            coordinates,
            jacobian,
            log_prior: 0.0,
            log_likelihood: 0.0,
            sums: Vec::new(),
        }
    }

    /// `[log_prior, log_likelihood]`.
    pub fn densities(&self) -> [f64; 2] {
        [self.log_prior, self.log_likelihood]
    }

    /// The coordinates of a quantity, the next `dim`.
    fn next(&mut self, dim: usize) -> &'a [f64] {
        let (mine, rest) = self.coordinates.split_at(dim);
        self.coordinates = rest;
        mine
    }
}

impl PlainInterpreter for PlainDensities<'_> {
    fn at(&mut self, _statement: usize) {}
    fn random(&mut self, distribution: &dyn PlainDistribution) -> Vec<f64> {
        let mine = self.next(distribution.dim());
        distribution.add_sample(mine, self.jacobian, &mut self.log_prior)
    }
    fn param(&mut self, start: &dyn PlainDistribution) -> Vec<f64> {
        let mine = self.next(start.dim());
        start.constrain(mine).0
    }
    fn observe(&mut self, distribution: &dyn PlainDistribution, data: &dyn PlainData) {
        if !self.sums.is_empty() && are_excluded_plain(distribution, data) {
            self.log_likelihood += f64::NEG_INFINITY;
            return;
        }
        distribution.add_likelihood(data, &mut self.log_likelihood);
    }
    fn factor(&mut self, log_weight: f64) {
        self.log_likelihood += log_weight;
    }
    fn begin_sum(&mut self, distribution: &dyn PlainDistribution) {
        let sum = OpenSum::over_plain(distribution);
        self.sums.push((sum, self.log_likelihood));
    }
    fn next_value(&mut self) -> Option<usize> {
        let (sum, before) = self.sums.last_mut()?;
        let next = sum.next(self.log_likelihood);
        self.log_likelihood = match next {
            Some(_) => 0.0,
            None => *before + log_sum_exp(sum.terms()),
        };
        if next.is_none() {
            self.sums.pop();
        }
        next
    }
}
