//! A discrete quantity that is summed out: the rest of its block runs once for each of its values.
//!
//! ```text
//! ln Σ_k p(k) exp(t_k),    t_k = the log likelihood of the rest of the block at the value k
//! ```

use super::numbers::Constant;
use super::plain::{PlainData, PlainDistribution};
use crate::dist::{Data, DataError, Discrete, Distribution, Shape};
use crate::numeric::log_sum_exp;
use bayes_autodiff::fault::{Fault, raise};
use bayes_autodiff::{Mode, Real};
use std::ops::Range;

/// The largest number of values of a sum.
const MOST_VALUES: f64 = 1e6;

/// A sum whose terms are being computed, over numbers of the type `T`.
#[derive(Clone, Debug)]
pub struct OpenSum<T> {
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
    /// A sum over the values of a distribution with this name and shape; `ends` are its smallest and largest whole number.
    fn new(
        name: &str,
        shape: Shape,
        ends: Option<[f64; 2]>,
        log_prior: impl Fn(usize) -> T,
    ) -> Self {
        let values = values(name, shape, ends);
        let log_prior: Vec<T> = values.clone().map(log_prior).collect();
        Self {
            terms: Vec::with_capacity(log_prior.len()),
            values,
            log_prior,
            has_begun: false,
        }
    }

    /// The value for which the rest of the block runs next; `log_likelihood` is the result for the previous value. `None` after the last.
    pub fn next(&mut self, log_likelihood: T) -> Option<usize> {
        if self.has_begun {
            let log_prior = self.log_prior[self.terms.len()];
            self.terms.push(log_prior + log_likelihood);
        }
        self.has_begun = true;
        let next = self.values.start + self.terms.len();
        (next < self.values.end).then_some(next)
    }

    /// Number of values.
    pub(super) fn len(&self) -> usize {
        self.log_prior.len()
    }

    /// The sum at its end, with these terms, `[values]`.
    pub(super) fn ended(self, terms: &[T]) -> Self {
        Self {
            terms: terms.to_vec(),
            has_begun: true,
            ..self
        }
    }

    /// The terms of the sum, `[values]` at its end.
    pub(super) fn terms(&self) -> &[T] {
        &self.terms
    }

    /// The log probability of each value, `[values]`.
    pub fn log_prior(&self) -> &[T] {
        &self.log_prior
    }

    /// The smallest value.
    pub(super) fn first(&self) -> usize {
        self.values.start
    }
}

impl<M: Mode> OpenSum<Real<M>> {
    /// A sum over the values of a distribution.
    pub fn over<D: Distribution<M, Domain = Discrete>>(distribution: &D) -> Self {
        Self::new(
            distribution.name(),
            distribution.shape(),
            distribution.whole_numbers(),
            |value| distribution.log_likelihood(&(value as u64)),
        )
    }
}

impl OpenSum<f64> {
    /// A sum over the values of a distribution.
    pub(super) fn over_plain(distribution: &dyn PlainDistribution) -> Self {
        Self::new(
            distribution.name(),
            distribution.shape(),
            distribution.whole_numbers(),
            |value| distribution.log_density(&[value as f64]),
        )
    }
}

/// A sum in a model that is evaluated statement by statement: a single term of its statement. `S` is the state that is restored for each
/// value.
pub(super) struct SumOfTerms<S> {
    pub(super) statement: usize,
    sum: OpenSum<f64>,
    /// The sum of the terms of the present value.
    log_likelihood: f64,
    /// The state when the sum began: every value starts from it.
    before: S,
}

impl<S: Clone> SumOfTerms<S> {
    pub(super) fn new(statement: usize, distribution: &dyn PlainDistribution, before: S) -> Self {
        Self {
            statement,
            sum: OpenSum::over_plain(distribution),
            log_likelihood: 0.0,
            before,
        }
    }

    /// Adds a term of the present value.
    pub(super) fn add(&mut self, term: f64) {
        self.log_likelihood += term;
    }

    /// The next value, for which `state` is restored.
    pub(super) fn next(&mut self, state: &mut S) -> Option<usize> {
        let next = self.sum.next(self.log_likelihood)?;
        self.log_likelihood = 0.0;
        state.clone_from(&self.before);
        Some(next)
    }

    /// The whole sum, after the last value.
    pub(super) fn total(&self) -> f64 {
        log_sum_exp(self.sum.terms())
    }
}

/// Whether some of these data are impossible. After `sum_out` a value of the quantity may exclude data that other values allow, but a
/// density assumes possible data. No random value is read here; the density checks random bounds.
#[inline(always)]
pub(super) fn are_excluded<M: Mode, D: Distribution<M>, T: Data<D::Domain>>(
    distribution: &D,
    data: &T,
) -> bool {
    let outcome = distribution.check_data(data);
    matches!(outcome, Err(DataError::Value { .. }))
}

/// [`are_excluded`] without types.
pub(super) fn are_excluded_plain(
    distribution: &dyn PlainDistribution,
    data: &dyn PlainData,
) -> bool {
    let outcome = distribution.check_data(data);
    matches!(outcome, Err(DataError::Value { .. }))
}

/// The log density of data after `sum_out`.
pub(super) fn log_likelihood_in_sum(
    distribution: &dyn PlainDistribution,
    data: &dyn PlainData,
) -> f64 {
    match are_excluded_plain(distribution, data) {
        true => f64::NEG_INFINITY,
        false => distribution.log_likelihood(data),
    }
}

/// The log density of data after `sum_out` without missing data (NaN), for quantities that are drawn given the known data. Several
/// elements that form one observation are missing together.
pub(super) fn log_likelihood_of_known(
    distribution: &dyn PlainDistribution,
    data: &dyn PlainData,
) -> f64 {
    let elements = data.shape().elements();
    if !(0..elements).any(|i| data.at(i).is_nan()) {
        return log_likelihood_in_sum(distribution, data);
    }
    let terms = distribution.terms(data);
    if terms.len() != elements {
        return 0.0;
    }
    let is_one_for_all = distribution.shape() == Shape::Scalar;
    let of_element = |i: usize| {
        let datum = Constant {
            value: data.at(i),
            shape: Shape::Scalar,
        };
        match is_one_for_all && are_excluded_plain(distribution, &datum) {
            true => f64::NEG_INFINITY,
            false => terms[i],
        }
    };
    let known = (0..elements).filter(|i| !data.at(*i).is_nan());
    known.map(of_element).sum()
}

/// The values of a distribution with this name and shape; `ends` are its smallest and largest whole number.
fn values(name: &str, shape: Shape, ends: Option<[f64; 2]>) -> Range<usize> {
    if shape != Shape::Scalar {
        refuse(format!(
            "{name} has {} elements here: sum out one at a time, in a loop",
            shape.elements()
        ));
    }
    let Some([low, high]) = ends else {
        refuse(format!(
            "the values of {name} cannot be counted here: their number is infinite, or depends on random values, or the distribution is a combination \
             of others. Take a single family with bounds that are data, for example `Poisson::new(rate).truncated(0.0, 100.0)`"
        ));
    };
    if low < 0.0 {
        refuse(format!(
            "{name} has values below 0 here, from {low} on: sum out its distance from the smallest"
        ));
    }
    if high - low >= MOST_VALUES {
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
