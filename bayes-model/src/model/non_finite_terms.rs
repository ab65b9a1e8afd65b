//! Finds the statements whose log density is NaN or infinite.

use super::plain::{PlainData, PlainDistribution, PlainInterpreter};
use super::sum_out::{SumOfTerms, log_likelihood_in_sum};
use crate::dist::ParameterError;
use crate::text::exact;
use std::fmt;

/// Evaluates the model statement by statement, including Jacobians, and stores the non-finite terms.
///
/// Only used if a total is not finite or jumps, so that normal evaluations are not slowed down.
pub struct NonFiniteTerms<'a> {
    coordinates: &'a [f64],
    statement: usize,
    /// Every term that is not finite, in the order of execution.
    pub non_finite_terms: Vec<NonFiniteTerm>,
    /// The sum of each statement's terms.
    pub terms: Vec<f64>,
    /// The number of data that each statement has observed so far.
    observed: Vec<usize>,
    /// The sums around the present place, outermost first.
    sums: Vec<OpenTerms>,
}

/// A sum, the number of data that each statement had observed, and the invalid parameter of its quantity.
type OpenTerms = (SumOfTerms<Vec<usize>>, Option<ParameterError>);

/// A term that is not finite.
#[derive(Clone, Debug, PartialEq)]
pub struct NonFiniteTerm {
    /// The index of its statement.
    pub statement: usize,
    /// The value of the term.
    pub term: f64,
    /// For a NaN: the parameter that is out of range. A parameter that is not finite itself is not a cause, because
    /// something else made it non-finite.
    pub cause: Option<ParameterError>,
    /// The first observation with a non-finite term; `None` for other statements, and for observations of several
    /// elements.
    pub observation: Option<FirstObservation>,
}

/// An observed number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstObservation {
    /// Its index among the statement's observations, from 0, in the order of execution; row-major.
    pub index: usize,
    /// The observed value.
    pub value: f64,
}

impl fmt::Display for FirstObservation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the observation with index {} of those evaluated, which is {}",
            self.index,
            exact(self.value)
        )
    }
}

impl<'a> NonFiniteTerms<'a> {
    /// A search at `coordinates`, `[dim]`, in a model with `statements` statements.
    pub fn new(coordinates: &'a [f64], statements: usize) -> Self {
        Self {
            coordinates,
            statement: 0,
            non_finite_terms: Vec::new(),
            terms: vec![0.0; statements],
            observed: vec![0; statements],
            sums: Vec::new(),
        }
    }

    /// Records that the model panicked: the present statement is the last one reached.
    pub(crate) fn stop(&mut self) {
        self.non_finite_terms.push(NonFiniteTerm {
            statement: self.statement,
            term: f64::NAN,
            cause: None,
            observation: None,
        });
    }

    fn note(
        &mut self,
        term: f64,
        observation: Option<FirstObservation>,
        check: impl FnOnce() -> Result<(), ParameterError>,
    ) {
        let statement = self.statement;
        let is_inside = match self.sums.last_mut() {
            Some((sum, _)) => {
                sum.add(term);
                true
            }
            None => {
                self.terms[statement] += term;
                false
            }
        };
        // in a sum, the other values make up for an impossible one
        let is_wrong = if is_inside {
            term.is_nan()
        } else {
            !term.is_finite()
        };
        if is_wrong {
            let cause = if term.is_nan() { check().err() } else { None };
            let cause = cause.filter(|cause| cause.value().is_some_and(f64::is_finite));
            self.non_finite_terms.push(NonFiniteTerm {
                statement,
                term,
                cause,
                observation,
            });
        }
    }

    /// The first of these observations whose term is not finite.
    fn first(&self, terms: &[f64], data: &dyn PlainData) -> Option<FirstObservation> {
        let first = terms.iter().position(|term| !term.is_finite())?;
        let is_number = terms.len() == data.shape().elements();
        is_number.then(|| FirstObservation {
            index: self.observed[self.statement] + first,
            value: data.at(first),
        })
    }
}

impl PlainInterpreter for NonFiniteTerms<'_> {
    fn at(&mut self, statement: usize) {
        self.statement = statement;
    }
    fn random(&mut self, distribution: &dyn PlainDistribution) -> Vec<f64> {
        let (mine, rest) = self.coordinates.split_at(distribution.dim());
        self.coordinates = rest;
        let mut term = 0.0;
        let elements = distribution.add_sample(mine, true, &mut term);
        self.note(term, None, || distribution.check());
        elements
    }
    fn param(&mut self, start: &dyn PlainDistribution) -> Vec<f64> {
        let (mine, rest) = self.coordinates.split_at(start.dim());
        self.coordinates = rest;
        start.constrain(mine).0
    }
    fn observe(&mut self, distribution: &dyn PlainDistribution, data: &dyn PlainData) {
        let term = match self.sums.is_empty() {
            true => distribution.log_likelihood(data),
            false => log_likelihood_in_sum(distribution, data),
        };
        let first = (!term.is_finite()).then(|| self.first(&distribution.terms(data), data));
        self.note(term, first.flatten(), || distribution.check());
        self.observed[self.statement] += data.shape().elements();
    }
    fn factor(&mut self, log_weight: f64) {
        self.note(log_weight, None, || Ok(()));
    }
    fn begin_sum(&mut self, distribution: &dyn PlainDistribution) {
        let sum = SumOfTerms::new(self.statement, distribution, self.observed.clone());
        self.sums.push((sum, distribution.check().err()));
    }
    fn next_value(&mut self) -> Option<usize> {
        let (open, _) = self.sums.last_mut()?;
        if let Some(value) = open.next(&mut self.observed) {
            return Some(value);
        }
        let (open, wrong) = self.sums.pop()?;
        self.statement = open.statement;
        self.note(open.total(), None, || wrong.map_or(Ok(()), Err));
        None
    }
}
