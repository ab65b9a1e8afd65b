//! Columns of data with coefficients.

use super::super::rows::check_number;
use super::super::{Constraint, Continuous, Data, Parameter, ParameterError, Shape};
use super::system::{variance, wrong_length};
use super::{Block, Coefficient, First, Part, Unknown};
use bayes_autodiff::Mode;
use bayes_autodiff::fault::{Fault, raise};

/// A regression on data, `Σ_k β_k x_{t,k}`, whose coefficients are states: summed out, and constant unless they walk at random by
/// [`Regression::sd`].
///
/// A row of the data belongs to a time of the series; a forecast needs rows of the times to come too. One state for each column.
#[derive(Clone, Copy, Debug)]
pub struct Regression<X, S = f64, F = Unknown> {
    x: X,
    sd: S,
    first: F,
}

const NAME: &str = "Regression";

impl<X> Regression<X> {
    /// `x`: numbers `[length]`, one column, or a matrix `[length, columns]`; rows for times after the series may follow.
    pub fn new(x: X) -> Self {
        Self {
            x,
            sd: 0.0,
            first: Unknown,
        }
    }
}

impl<X, S> Regression<X, S> {
    /// The priors of the first coefficients, normal: `mean` and `sd`, a number for all columns or a vector with one for each, in the unit
    /// of the series per unit of the column.
    pub fn start<A, B>(self, mean: A, sd: B) -> Regression<X, S, First<A, B>> {
        Regression {
            x: self.x,
            sd: self.sd,
            first: First { mean, sd },
        }
    }
}

impl<X, S, F> Regression<X, S, F> {
    /// The standard deviation of a step of a coefficient, a number, at least zero; 0 by default.
    pub fn sd<N>(self, sd: N) -> Regression<X, N, F> {
        Regression {
            x: self.x,
            sd,
            first: self.first,
        }
    }

    /// Rows and columns.
    fn extent(&self) -> (usize, usize)
    where
        X: Data<Continuous>,
    {
        match self.x.shape() {
            Shape::Matrix(rows, columns) => (rows, columns),
            other => (other.elements(), 1),
        }
    }
}

impl<M, X, S, A, B> Part<M> for Regression<X, S, First<A, B>>
where
    M: Mode,
    X: Data<Continuous>,
    S: Parameter<M>,
    A: Parameter<M>,
    B: Parameter<M>,
{
    fn dim(&self) -> usize {
        self.extent().1
    }
    fn write(&self, block: &mut Block<'_, M>) {
        let columns = self.extent().1;
        for i in 0..columns {
            block.transition(i, i, Coefficient::ONE);
            block.noise(i, i, variance(&self.sd, 0));
        }
        self.first.write(columns, block);
    }
    fn load(&self, time: usize, loadings: &mut [Coefficient<M>]) -> bool {
        let (rows, columns) = self.extent();
        if time >= rows {
            raise(Fault::Shape {
                operation: format!(
                    "a state space model at time {time} (from 0 on) with a Regression on {rows} rows"
                ),
            });
        }
        for (k, loading) in loadings.iter_mut().enumerate() {
            *loading = Coefficient::Known(self.x.at(time * columns + k));
        }
        true
    }
    fn check(&self, length: usize) -> Result<(), ParameterError> {
        let (rows, columns) = self.extent();
        if rows < length {
            let allowed = format!("at least {length}, the length of the series");
            return Err(wrong_length(NAME, "x", rows, allowed));
        }
        if let Some(i) = (0..rows * columns).find(|i| !self.x.at(*i).is_finite()) {
            return Err(ParameterError::Value {
                distribution: NAME,
                parameter: "x",
                index: Some(i),
                value: self.x.at(i),
                allowed: Constraint::Finite.words(),
            });
        }
        check_number(NAME, "sd", &self.sd, Constraint::NonNegative)?;
        self.first.check(NAME, columns, true)
    }
}
