//! Responses of several columns: counts of outcomes among trials, and shares of a whole.
//!
//! ```text
//! p_k = exp(eta_k) / Σ_j exp(eta_j),    eta_1 = 0
//! multinomial:  ln p(y) = ln n! + Σ_k y_k ln p_k - ln y_k!
//! Dirichlet:    ln p(y) = ln Γ(phi) + Σ_k (phi p_k - 1) ln y_k - ln Γ(phi p_k)
//! ```

use super::Given;
use crate::class::{Class, Support};
use crate::family::Family;
use bayes::autodiff::{Buffer, PlainValue, Value};
use bayes::dist::{
    Continuous, Data, DataError, Dirichlet, Distribution, Multinomial, ParameterError, Shape,
};
use bayes::prelude::*;
use bayes::rng::Stream;

/// Responses of several columns, `[rows, columns]`.
pub(crate) struct OfColumns<'d, M: Mode>(pub(crate) Given<'d, M>);

impl<M: Mode> OfColumns<'_, M> {
    fn rows(&self) -> usize {
        self.0.first.len()
    }

    fn columns(&self) -> usize {
        self.0.levels.len() + 1
    }

    /// The log probabilities of the columns in a row.
    fn log_shares(&self, row: usize) -> Buffer<Real<M>> {
        let mut scores = Buffer::from_fn(self.columns(), |k| match k {
            0 => Real::constant(0.0),
            k => self.0.levels[k - 1][row],
        });
        let total = M::log_sum_exp(&scores);
        scores.iter_mut().for_each(|score| *score -= total);
        scores
    }

    fn phi(&self, row: usize) -> Real<M> {
        self.0.others.of(Class::Phi).row(row)
    }

    fn trials(&self, row: usize) -> u64 {
        self.0.d.trials.get(row).copied().unwrap_or(0)
    }

    /// The log density of a row.
    fn log_density_of_row(&self, row: usize, y: impl Fn(usize) -> f64) -> Real<M> {
        let shares = self.log_shares(row);
        let mut sum = match self.0.d.family {
            Family::Dirichlet => self.phi(row).ln_gamma(),
            _ => constant_ln_factorial(self.trials(row) as f64),
        };
        for (k, share) in shares.iter().enumerate() {
            sum += match self.0.d.family {
                Family::Dirichlet => {
                    let part = self.phi(row) * share.exp();
                    (part - 1.0) * y(k).ln() - part.ln_gamma()
                }
                // a probability may be 0 where nothing was counted
                _ if y(k) == 0.0 => Real::constant(0.0),
                _ => *share * y(k) - constant_ln_factorial::<M>(y(k)),
            };
        }
        match self.0.d.adjustments.weights.get(row) {
            Some(weight) => sum * *weight,
            None => sum,
        }
    }

    fn wrong(&self, parameter: &'static str, row: usize, value: f64) -> ParameterError {
        ParameterError::Value {
            distribution: Distribution::<M>::name(self),
            parameter,
            index: Some(row),
            value,
            allowed: "within its range and finite",
        }
    }
}

fn constant_ln_factorial<M: Mode>(count: f64) -> Real<M> {
    let value = Real::<Value>::constant(count + 1.0).ln_gamma();
    Real::constant(value.plain_value())
}

impl<M: Mode> Distribution<M> for OfColumns<'_, M> {
    type Value = Matrix<M>;
    type Domain = Continuous;

    fn name(&self) -> &'static str {
        match self.0.d.family {
            Family::Dirichlet => "dirichlet",
            _ => "multinomial",
        }
    }

    fn shape(&self) -> Shape {
        Shape::Matrix(self.rows(), self.columns())
    }

    fn dim(&self) -> usize {
        self.rows() * self.columns()
    }

    fn check(&self) -> Result<(), ParameterError> {
        for row in 0..self.rows() {
            for eta in &self.0.levels {
                let eta = eta[row].plain_value();
                if !eta.is_finite() {
                    return Err(self.wrong("eta", row, eta));
                }
            }
            let phi = self.phi(row).plain_value();
            if self.0.d.family == Family::Dirichlet && !Support::Positive.has(phi) {
                return Err(self.wrong("phi", row, phi));
            }
        }
        Ok(())
    }

    fn is_of_data(&self) -> bool {
        true
    }

    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let mut sum = Real::constant(0.0);
        for (row, y) in elements.chunks_exact(self.columns()).enumerate() {
            sum += self.log_density_of_row(row % self.rows(), |k| y[k].plain_value());
        }
        sum
    }

    fn constrain(&self, coordinates: &[Real<M>]) -> (Matrix<M>, Real<M>) {
        let values = Vector::from_fn(coordinates.len(), |k| coordinates[k]);
        let value = Matrix::from_elements(self.rows(), self.columns(), values);
        (value, Real::constant(0.0))
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        elements.to_vec()
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let mut all = Vec::with_capacity(self.rows() * self.columns());
        for row in 0..self.rows() {
            let shares = self.log_shares(row);
            let shares = shares.iter().map(|share| share.plain_value().exp());
            let shares: Vec<f64> = shares.collect();
            all.extend(match self.0.d.family {
                Family::Dirichlet => {
                    let phi = self.phi(row).plain_value();
                    let parts: Vec<f64> = shares.iter().map(|share| phi * share).collect();
                    Distribution::<Value>::draw(&Dirichlet::new(parts), stream)
                }
                _ => {
                    let counts = Multinomial::new(self.trials(row), shares);
                    Distribution::<Value>::draw(&counts, stream)
                }
            });
        }
        all
    }

    fn check_data<T: Data<Continuous> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        let (length, allowed) = (data.shape().elements(), self.rows() * self.columns());
        if length != allowed {
            return Err(DataError::Length {
                distribution: Distribution::<M>::name(self),
                length,
                allowed: format!("{allowed}, rows times columns"),
            });
        }
        let is_wrong = |value: f64| value.is_nan() || value < 0.0;
        match (0..length).find(|k| is_wrong(data.at(*k))) {
            None => Ok(()),
            Some(k) => Err(DataError::Value {
                distribution: Distribution::<M>::name(self),
                index: Some(k),
                value: data.at(k),
                allowed: self.0.d.family.response().words().to_owned(),
            }),
        }
    }

    fn for_each_term<T: Data<Continuous> + ?Sized>(
        &self,
        data: &T,
        mut visit: impl FnMut(Real<M>),
    ) {
        let columns = self.columns();
        for row in 0..data.shape().elements() / columns {
            visit(self.log_density_of_row(row, |k| data.at(row * columns + k)));
        }
    }
}
