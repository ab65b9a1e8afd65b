//! The distribution of responses with weights, censoring, truncation or parameters that vary by row: a product over rows.

use super::Given;
use crate::adjustments::{Adjustments, Region};
use crate::design::Margin;
use bayes::dist::{
    Cumulative, Data, DataError, Distribution, Domain, ParameterError, Parameters, ScalarForm,
    Shape, Term, Univariate,
};
use bayes::prelude::*;
use bayes::rng::Stream;
use std::marker::PhantomData;

/// Responses, each with its own distribution.
pub(super) struct ByRow<'d, R, T> {
    rows: usize,
    d: &'d Margin,
    /// The distribution of a row.
    row: R,
    /// Whether probabilities of intervals are known.
    intervals: PhantomData<T>,
}

/// The probability of an interval under the distribution of a row, and draws within bounds.
pub(super) trait Intervals<M: Mode, D> {
    /// The log probability; both ends are included.
    fn log_mass(row: D, ends: [f64; 2]) -> Real<M>;
    fn draw_within(row: D, bounds: [f64; 2], stream: &mut Stream) -> f64;
}

/// Intervals of distributions with a distribution function.
pub(super) struct Known;

/// Intervals of other distributions: formulas that need them are refused.
pub(super) struct Unknown;

impl<M, F, P, const K: usize> Intervals<M, Univariate<F, P, K>> for Known
where
    M: Mode,
    F: Cumulative<K>,
    P: Parameters<M, K, Form = ScalarForm>,
{
    #[inline(always)]
    fn log_mass(row: Univariate<F, P, K>, [low, high]: [f64; 2]) -> Real<M> {
        row.interval_censored()
            .log_likelihood(&(One(low), One(high)))
    }

    fn draw_within(row: Univariate<F, P, K>, [low, high]: [f64; 2], stream: &mut Stream) -> f64 {
        let within = row.truncated(low, high);
        Distribution::<M>::draw(&within, stream)[0]
    }
}

impl<M: Mode, D> Intervals<M, D> for Unknown {
    #[inline(always)]
    fn log_mass(_: D, _: [f64; 2]) -> Real<M> {
        Real::constant(f64::NAN)
    }

    fn draw_within(_: D, _: [f64; 2], _: &mut Stream) -> f64 {
        f64::NAN
    }
}

/// One datum.
pub(super) struct One(pub(super) f64);

impl<D: Domain> Data<D> for One {
    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape::Scalar
    }
    #[inline(always)]
    fn at(&self, _: usize) -> f64 {
        self.0
    }
}

impl<'d, R, T> ByRow<'d, R, T> {
    #[inline(always)]
    pub(super) fn new<M: Mode>(given: &Given<'d, M>, row: R) -> Self {
        Self {
            rows: given.first.len(),
            d: given.d,
            row,
            intervals: PhantomData,
        }
    }

    /// Whether these are the responses of the table, and not others such as simulated ones.
    fn is_own(&self, data: impl Fn(usize) -> f64) -> bool {
        let Margin { y, counts, .. } = self.d;
        let own = |i: usize| y.get(i).copied().or_else(|| counts.get(i).map(|y| y.0));
        (0..self.rows).all(|i| own(i).is_some_and(|own| own == data(i) || own.is_nan()))
    }

    /// The log likelihood of a datum of a row, from whether the data are the table's.
    #[inline(always)]
    fn log_likelihood_of<M, D>(&self, i: usize, y: f64, is_own: impl FnOnce() -> bool) -> Real<M>
    where
        M: Mode,
        D: Distribution<M, Value = Real<M>>,
        R: Fn(usize) -> D,
        T: Intervals<M, D>,
    {
        let Adjustments {
            weights,
            regions,
            bounds,
        } = &self.d.adjustments;
        let is_censored = |region: &Region| region.recorded == y && !(region.was_seen && is_own());
        let region = regions.get(i).copied().flatten();
        let mut term: Real<M> = match region.filter(is_censored) {
            Some(region) => T::log_mass((self.row)(i), region.ends),
            None => {
                let mut exact = Real::constant(0.0);
                (self.row)(i).add_likelihood(&One(y), &mut exact);
                exact
            }
        };
        if let Some(bounds) = bounds.get(i) {
            term -= T::log_mass((self.row)(i), *bounds);
        }
        match weights.get(i) {
            Some(weight) => term * *weight,
            None => term,
        }
    }
}

impl<M, D, R, T> Distribution<M> for ByRow<'_, R, T>
where
    M: Mode,
    D: Distribution<M, Value = Real<M>>,
    R: Fn(usize) -> D,
    T: Intervals<M, D>,
{
    type Value = Vector<M>;
    type Domain = D::Domain;

    fn name(&self) -> &'static str {
        (self.row)(0).name()
    }

    fn shape(&self) -> Shape {
        Shape::Vector(self.rows)
    }

    fn dim(&self) -> usize {
        self.rows
    }

    fn check(&self) -> Result<(), ParameterError> {
        (0..self.rows).try_for_each(|i| (self.row)(i).check().map_err(|error| of_row(error, i)))
    }

    fn is_of_data(&self) -> bool {
        true
    }

    fn censoring_limits(&self, element: usize) -> Option<[f64; 2]> {
        let region = self.d.adjustments.regions.get(element)?;
        let none = [f64::NEG_INFINITY, f64::INFINITY];
        Some(region.map_or(none, |region| match region.ends {
            [low, high] if high == f64::INFINITY => [f64::NEG_INFINITY, low.min(region.recorded)],
            [low, _] if low == f64::NEG_INFINITY => [region.recorded, f64::INFINITY],
            _ => none,
        }))
    }

    fn term(&self, element: usize, datum: f64) -> Term {
        let Adjustments {
            weights, regions, ..
        } = &self.d.adjustments;
        let region = regions.get(element).copied().flatten();
        let censored = region.filter(|region| region.recorded == datum && !region.was_seen);
        Term {
            weight: weights.get(element).copied().unwrap_or(1.0),
            interval: censored.map(|region| region.ends),
        }
    }

    fn categories(&self) -> Option<usize> {
        (self.row)(0).categories()
    }

    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let mut sum = Real::constant(0.0);
        for (i, x) in elements.iter().enumerate() {
            sum += (self.row)(i % self.rows).log_density_of(std::slice::from_ref(x));
        }
        sum
    }

    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Vector<M>, Real<M>) {
        let value = Vector::from_fn(coordinates.len(), |i| coordinates[i]);
        (value, Real::constant(0.0))
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        elements.to_vec()
    }

    /// A draw within the bounds of truncation; a draw in the interval of a censored response is recorded like that response.
    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let mut one = |i: usize| {
            let row = (self.row)(i);
            let x = match self.d.adjustments.bounds.get(i) {
                Some(bounds) => T::draw_within(row, *bounds, stream),
                None => row.draw(stream)[0],
            };
            let region = self.d.adjustments.regions.get(i).copied().flatten();
            let region = region.filter(|region| (region.ends[0]..=region.ends[1]).contains(&x));
            region.map_or(x, |region| region.recorded)
        };
        (0..self.rows).map(&mut one).collect()
    }

    fn check_data<S: Data<Self::Domain> + ?Sized>(&self, data: &S) -> Result<(), DataError> {
        let length = data.shape().elements();
        if length != self.rows {
            return Err(DataError::Length {
                distribution: self.name(),
                length,
                allowed: format!("{}, the number of rows", self.rows),
            });
        }
        (0..self.rows).try_for_each(|i| {
            let checked = (self.row)(i).check_data(&One(data.at(i)));
            checked.map_err(|error| of_datum(error, i))
        })
    }

    #[inline(always)]
    fn for_each_term<S: Data<Self::Domain> + ?Sized>(
        &self,
        data: &S,
        mut visit: impl FnMut(Real<M>),
    ) {
        let mut known = None;
        for i in 0..data.shape().elements() {
            let is_own = || *known.get_or_insert_with(|| self.is_own(|i| data.at(i)));
            visit(self.log_likelihood_of(i, data.at(i), is_own));
        }
    }
}

/// The error of a parameter with the number of its row.
fn of_row(error: ParameterError, row: usize) -> ParameterError {
    match error {
        ParameterError::Value {
            distribution,
            parameter,
            value,
            allowed,
            ..
        } => ParameterError::Value {
            distribution,
            parameter,
            index: Some(row),
            value,
            allowed,
        },
        other => other,
    }
}

/// The error of a datum with the number of its row.
fn of_datum(error: DataError, row: usize) -> DataError {
    match error {
        DataError::Value {
            distribution,
            value,
            allowed,
            ..
        } => DataError::Value {
            distribution,
            index: Some(row),
            value,
            allowed,
        },
        other => other,
    }
}
