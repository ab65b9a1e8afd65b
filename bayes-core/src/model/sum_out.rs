//! A discrete quantity that is summed out: the rest of its block runs once for each of its values.
//!
//! ```text
//! ln Σ_k p(k) exp(t_k),    t_k = the log likelihood of the rest of the block at the value k
//! ```

use super::plain::PlainDistribution;
use crate::dist::{Discrete, Distribution, Shape};
use bayes_autodiff::fault::{Fault, raise};
use bayes_autodiff::{Mode, Real};
use std::ops::Range;

/// The most values that a sum has: more take longer than a kernel for whole numbers does.
const MOST_VALUES: f64 = 1e6;

/// A sum whose terms are being computed, over numbers of the type `T`.
#[derive(Clone, Debug)]
pub(super) struct OpenSum<T> {
    /// The values of the quantity.
    values: Range<usize>,
    /// The log probability of each value, `[values]`.
    log_prior: Vec<T>,
    /// The terms of the sum so far, `ln p(k) + t_k`.
    terms: Vec<T>,
    /// Whether the rest of the block has begun for a value.
    has_begun: bool,
}

impl<T: Copy + std::ops::Add<Output = T>> OpenSum<T> {
    /// A sum over these values, with their log probabilities.
    pub(super) fn new(values: Range<usize>, log_prior: Vec<T>) -> Self {
        Self {
            terms: Vec::with_capacity(log_prior.len()),
            values,
            log_prior,
            has_begun: false,
        }
    }

    /// The value for which the rest of the block runs next; `log_likelihood` is what it gave for the one before. `None` after the last.
    pub(super) fn next(&mut self, log_likelihood: T) -> Option<usize> {
        if self.has_begun {
            let log_prior = self.log_prior[self.terms.len()];
            self.terms.push(log_prior + log_likelihood);
        }
        self.has_begun = true;
        let next = self.values.start + self.terms.len();
        (next < self.values.end).then_some(next)
    }

    /// The terms of the sum, `[values]` at its end.
    pub(super) fn terms(&self) -> &[T] {
        &self.terms
    }

    /// The log probability of each value, `[values]`.
    pub(super) fn log_prior(&self) -> &[T] {
        &self.log_prior
    }

    /// The smallest value.
    pub(super) fn first(&self) -> usize {
        self.values.start
    }
}

impl<M: Mode> OpenSum<Real<M>> {
    /// A sum over the values of a distribution.
    pub(super) fn over<D: Distribution<M, Domain = Discrete>>(distribution: &D) -> Self {
        let values = values(
            distribution.name(),
            distribution.shape(),
            distribution.whole_numbers(),
        );
        let log_prior = values
            .clone()
            .map(|value| distribution.log_likelihood(&(value as u64)));
        Self::new(values.clone(), log_prior.collect())
    }
}

impl OpenSum<f64> {
    /// A sum over the values of a distribution.
    pub(super) fn over_plain(distribution: &dyn PlainDistribution) -> Self {
        let values = values(
            distribution.name(),
            distribution.shape(),
            distribution.whole_numbers(),
        );
        let log_prior = values
            .clone()
            .map(|value| distribution.log_density(&[value as f64]));
        Self::new(values.clone(), log_prior.collect())
    }
}

/// The values of a distribution of this name and shape, whose values are whole numbers between these two.
fn values(name: &str, shape: Shape, ends: Option<[f64; 2]>) -> Range<usize> {
    if shape != Shape::Scalar {
        refuse(format!(
            "{name} has {} elements here: sum out one at a time, in a loop",
            shape.elements()
        ));
    }
    let Some([low, high]) = ends else {
        refuse(format!(
            "{name} has no values that could be counted: their number is infinite or random; bound it by data, for example \
             `Poisson::new(rate).truncated(0.0, 100.0)`"
        ));
    };
    if low < 0.0 {
        refuse(format!(
            "{name} has values below 0 here, from {low} on: sum out its distance from the smallest"
        ));
    }
    if !(high - low < MOST_VALUES) {
        refuse(format!(
            "{name} has {} values here: at most 10^6 can be summed",
            high - low + 1.0
        ));
    }
    low as usize..(high as usize + 1).max(low as usize)
}

/// Stops the model.
#[cold]
fn refuse(reason: String) -> ! {
    raise(Fault::Sum { reason })
}
