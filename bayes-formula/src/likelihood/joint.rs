//! The distribution of several responses, `[rows, responses]`: each with its own family, or normal together.
//!
//! ```text
//! apart:    ln p(y_i) = Σ_k ln p_k(y_ik)
//! together: y_i ~ Normal(eta_i, D_i R D_i),  D_i = diag(sigma_i1, .., sigma_iK),  R = L Lᵀ
//!           ln p(y_i) = -K/2 ln 2π - Σ_k (ln sigma_ik + ln L_kk + z_ik²/2),  L z_i = D_i⁻¹ (y_i - eta_i)
//! ```

use super::Given;
use super::observed::{OfCounts, OfNumbers};
use crate::class::Class;
use crate::design::Whole;
use bayes::autodiff::special::HALF_LN_TAU;
use bayes::autodiff::{Buffer, PlainValue};
use bayes::dist::{Continuous, Data, DataError, Distribution, ParameterError, Shape, Term};
use bayes::prelude::*;
use bayes::rng::Stream;

/// One response among several.
enum One<'d, M: Mode> {
    Numbers(OfNumbers<'d, M>),
    Counts(OfCounts<'d, M>),
}

/// Evaluates `$body` with `$one` as the distribution of a response and `$data` as its values in a column.
macro_rules! with_column {
    ($response:expr, $column:expr, |$one:ident, $data:ident| $body:expr) => {
        match $response {
            One::Numbers($one) => {
                let column: Vec<f64> = $column;
                // the type of the data of a single response, whose code is there already
                let $data = &&column;
                $body
            }
            One::Counts($one) => {
                let column: Vec<Whole> = $column.into_iter().map(Whole).collect();
                let $data = &&column;
                $body
            }
        }
    };
}

/// Evaluates `$body` with `$one` as the distribution of a response.
macro_rules! with_one {
    ($response:expr, $one:ident => $body:expr) => {
        match $response {
            One::Numbers($one) => $body,
            One::Counts($one) => $body,
        }
    };
}

/// Several responses.
pub(crate) struct OfResponses<'d, M: Mode> {
    rows: usize,
    responses: Vec<One<'d, M>>,
    /// The Cholesky factor of the correlations of normal residuals; `None` for responses that are independent given their parameters.
    residual: Option<Matrix<M>>,
}

impl<'d, M: Mode> OfResponses<'d, M> {
    pub(crate) fn new(given: Vec<Given<'d, M>>, residual: Option<Matrix<M>>) -> Self {
        let one = |given: Given<'d, M>| match given.d.family.response().is_real() {
            true => One::Numbers(OfNumbers(given)),
            false => One::Counts(OfCounts(given)),
        };
        Self {
            rows: given[0].first.len(),
            responses: given.into_iter().map(one).collect(),
            residual,
        }
    }

    fn columns(&self) -> usize {
        self.responses.len()
    }

    fn given(&self, k: usize) -> &Given<'d, M> {
        with_one!(&self.responses[k], one => &one.0)
    }

    /// The row and the response of an element.
    fn place(&self, element: usize) -> (usize, usize) {
        (element / self.columns(), element % self.columns())
    }

    /// The values of a response.
    fn column(&self, k: usize, data: &(impl Data<Continuous> + ?Sized)) -> Vec<f64> {
        let columns = self.columns();
        let rows = data.shape().elements() / columns;
        (0..rows).map(|row| data.at(row * columns + k)).collect()
    }

    fn sigma(&self, k: usize, row: usize) -> Real<M> {
        self.given(k).others.of(Class::Sigma).row(row)
    }

    /// The log density of a row of normal responses with these correlations.
    fn log_density_together(&self, l: &Matrix<M>, row: usize, y: impl Fn(usize) -> f64) -> Real<M> {
        let mut sum: Real<M> = Real::constant(-HALF_LN_TAU * self.columns() as f64);
        let mut z: Buffer<Real<M>> = Buffer::from_fn(self.columns(), |_| Real::constant(0.0));
        for k in 0..self.columns() {
            let sigma = self.sigma(k, row);
            let mut rest = (y(k) - self.given(k).first[row]) / sigma;
            for j in 0..k {
                rest -= l[(k, j)] * z[j];
            }
            z[k] = rest / l[(k, k)];
            sum -= sigma.ln() + l[(k, k)].ln() + 0.5 * z[k].square();
        }
        sum
    }

    /// The log density of each row.
    fn terms(&self, data: &(impl Data<Continuous> + ?Sized)) -> Vec<Real<M>> {
        let columns = self.columns();
        let rows = data.shape().elements() / columns;
        if let Some(l) = &self.residual {
            let one = |row: usize| {
                self.log_density_together(l, row % self.rows, |k| data.at(row * columns + k))
            };
            return (0..rows).map(one).collect();
        }
        let mut all: Vec<Real<M>> = vec![Real::constant(0.0); rows];
        for (k, response) in self.responses.iter().enumerate() {
            with_column!(response, self.column(k, data), |one, column| {
                let mut sums = all.iter_mut();
                one.for_each_term(column, |term| {
                    if let Some(sum) = sums.next() {
                        *sum += term;
                    }
                });
            });
        }
        all
    }
}

impl<M: Mode> Distribution<M> for OfResponses<'_, M> {
    type Value = Matrix<M>;
    type Domain = Continuous;

    fn name(&self) -> &'static str {
        "several responses"
    }

    fn shape(&self) -> Shape {
        Shape::Matrix(self.rows, self.columns())
    }

    fn dim(&self) -> usize {
        self.rows * self.columns()
    }

    fn check(&self) -> Result<(), ParameterError> {
        let mut all = self.responses.iter();
        all.try_for_each(|response| with_one!(response, one => one.check()))
    }

    fn is_of_data(&self) -> bool {
        true
    }

    fn censoring_limits(&self, element: usize) -> Option<[f64; 2]> {
        let is_censored = |k: usize| !self.given(k).d.adjustments.regions.is_empty();
        if !(0..self.columns()).any(is_censored) {
            return None;
        }
        let (row, k) = self.place(element);
        let own = with_one!(&self.responses[k], one => one.censoring_limits(row));
        Some(own.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]))
    }

    fn term(&self, element: usize, datum: f64) -> Term {
        let (row, k) = self.place(element);
        with_one!(&self.responses[k], one => one.term(row, datum))
    }

    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let values: Vec<f64> = elements.iter().map(|x| x.plain_value()).collect();
        let mut sum = Real::constant(0.0);
        for value in values.chunks_exact(self.rows * self.columns()) {
            let value = DMatrix::from_row_slice(self.rows, self.columns(), value);
            self.add_likelihood(&value, &mut sum);
        }
        sum
    }

    fn constrain(&self, coordinates: &[Real<M>]) -> (Matrix<M>, Real<M>) {
        let values = Vector::from_fn(coordinates.len(), |k| coordinates[k]);
        let value = Matrix::from_elements(self.rows, self.columns(), values);
        (value, Real::constant(0.0))
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        elements.to_vec()
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let columns = self.columns();
        let mut all = vec![0.0; self.rows * columns];
        if let Some(l) = &self.residual {
            for (row, y) in all.chunks_exact_mut(columns).enumerate() {
                let z: Vec<f64> = (0..columns)
                    .map(|_| Normal::new(0.0, 1.0).draw_one(stream))
                    .collect();
                for k in 0..columns {
                    let mix: f64 = (0..=k).map(|j| l[(k, j)].plain_value() * z[j]).sum();
                    let [mean, sigma] =
                        [self.given(k).first[row], self.sigma(k, row)].map(PlainValue::plain_value);
                    y[k] = mean + sigma * mix;
                }
            }
            return all;
        }
        for (k, response) in self.responses.iter().enumerate() {
            let drawn = with_one!(response, one => one.draw(stream));
            for (row, y) in drawn.into_iter().enumerate() {
                all[row * columns + k] = y;
            }
        }
        all
    }

    fn check_data<T: Data<Continuous> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        let (length, allowed) = (data.shape().elements(), self.rows * self.columns());
        if length != allowed {
            return Err(DataError::Length {
                distribution: Distribution::<M>::name(self),
                length,
                allowed: format!("{allowed}, rows times responses"),
            });
        }
        for (k, response) in self.responses.iter().enumerate() {
            with_column!(response, self.column(k, data), |one, column| {
                let checked = one.check_data(column);
                checked.map_err(|error| error.placed(|row| row * self.columns() + k))?;
            });
        }
        Ok(())
    }

    fn for_each_term<T: Data<Continuous> + ?Sized>(&self, data: &T, visit: impl FnMut(Real<M>)) {
        self.terms(data).into_iter().for_each(visit);
    }

    fn add_likelihood<T: Data<Continuous> + ?Sized>(&self, data: &T, total: &mut Real<M>) {
        if self.residual.is_some() {
            for term in self.terms(data) {
                *total += term;
            }
            return;
        }
        for (k, response) in self.responses.iter().enumerate() {
            with_column!(response, self.column(k, data), |one, column| one
                .add_likelihood(column, total));
        }
    }
}
