//! The multivariate normal distribution.

use super::cholesky::Lower;
use super::elementary::HALF_LN_TAU;
use super::rows::count_rows;
use super::{
    Continuous, Data, DataError, Distribution, Factor, Gaussian, Iid, Parameter, ParameterError,
    Shape,
};
use crate::rng::Stream;
use bayes_autodiff::{Mode, Real, Value, Vector};
use rand_distr::{Distribution as _, StandardNormal};

/// Multivariate normal distribution with a mean and a covariance `Σ = L Lᵀ`.
///
/// ```text
/// ln p(x) = -½ |L⁻¹(x - mean)|² - Σ_i ln L_ii - d/2 ln 2π
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MultivariateNormal<A, B> {
    mean: A,
    matrix: B,
    given: Given,
}

/// What the matrix of a [`MultivariateNormal`] is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Given {
    Covariance,
    Cholesky,
}

const NAME: &str = "MultivariateNormal";

impl<A, B> MultivariateNormal<A, B> {
    /// `mean`: a vector, or one number for all; `covariance`: a symmetric positive definite matrix.
    pub fn new(mean: A, covariance: B) -> Self {
        Self {
            mean,
            matrix: covariance,
            given: Given::Covariance,
        }
    }

    /// `mean`: a vector, or one number for all; `lower`: the lower Cholesky factor of the covariance, with a
    /// positive diagonal.
    pub fn from_cholesky(mean: A, lower: B) -> Self {
        Self {
            mean,
            matrix: lower,
            given: Given::Cholesky,
        }
    }

    /// Independent copies: the rows of a matrix.
    pub fn iid<E>(self, extent: E) -> Iid<Self, E> {
        Iid::new(self, extent)
    }

    #[inline(always)]
    fn size<M: Mode>(&self) -> usize
    where
        B: Parameter<M>,
    {
        match self.matrix.shape() {
            Shape::Matrix(rows, _) => rows,
            // a 1 x 1 covariance may be written as a number
            other => other.elements(),
        }
    }

    #[inline(always)]
    fn lower<M: Mode>(&self) -> Lower<M>
    where
        B: Parameter<M>,
    {
        let dim = self.size();
        match self.given {
            // what no random value moves is factored in plain numbers
            Given::Covariance if B::DATA => self.plain().constant(),
            given => {
                let entries = Vector::from_fn(
                    dim * dim,
                    #[inline(always)]
                    |i| self.matrix.at(i),
                );
                match given {
                    Given::Cholesky => Lower::new(dim, entries),
                    Given::Covariance => Lower::of(dim, entries),
                }
            }
        }
    }

    /// [`Self::lower`] of a covariance in plain numbers.
    #[inline(always)]
    fn plain<M: Mode>(&self) -> Lower<Value>
    where
        B: Parameter<M>,
    {
        let dim = self.size();
        let entries = Vector::from_fn(
            dim * dim,
            #[inline(always)]
            |i| Real::constant(self.matrix.at(i).primal()),
        );
        Lower::of(dim, entries)
    }

    /// Visits the log density of each row `x(row)`, where `fill` writes `x` into its argument.
    #[inline(always)]
    fn for_each_row<M: Mode>(
        &self,
        rows: usize,
        mut fill: impl FnMut(usize, &mut [Real<M>]),
        mut visit: impl FnMut(Real<M>),
    ) where
        A: Parameter<M>,
        B: Parameter<M>,
    {
        let dim = self.size();
        let lower = self.lower();
        let log_normaliser = -lower.log_determinant() - HALF_LN_TAU * dim as f64;
        let mut x = Vector::zeros(dim);
        for row in 0..rows {
            fill(row, &mut x);
            for (i, x) in x.iter_mut().enumerate() {
                *x -= self.mean.at(i);
            }
            visit(lower.whiten(&mut x) * -0.5 + log_normaliser);
        }
    }

    fn check_shapes<M: Mode>(&self) -> Result<(), ParameterError>
    where
        A: Parameter<M>,
        B: Parameter<M>,
    {
        let dim = self.size();
        let length = self.matrix.shape().elements();
        if length != dim * dim || length == 0 {
            let allowed = format!("{dim} x {dim}, a square matrix");
            return Err(ParameterError::Length {
                distribution: NAME,
                parameter: self.matrix_name(),
                length,
                allowed,
            });
        }
        let length = self.mean.shape().elements();
        if self.mean.shape() != Shape::Scalar && length != dim {
            let allowed = format!("{dim}, like the rows of `{}`", self.matrix_name());
            return Err(ParameterError::Length {
                distribution: NAME,
                parameter: "mean",
                length,
                allowed,
            });
        }
        Ok(())
    }

    fn matrix_name(&self) -> &'static str {
        match self.given {
            Given::Covariance => "covariance",
            Given::Cholesky => "lower",
        }
    }

    /// The first entry of the matrix that is not allowed, and what it must be.
    fn wrong_entry<M: Mode>(&self) -> Option<(usize, &'static str)>
    where
        B: Parameter<M>,
    {
        let dim = self.size();
        let at = |i: usize, k: usize| self.matrix.at(i * dim + k).primal();
        let wrong = |i: usize, k: usize| match self.given {
            _ if !at(i, k).is_finite() => Some("a finite number"),
            Given::Cholesky if k > i && at(i, k) != 0.0 => Some("0, being above the diagonal"),
            Given::Cholesky if k == i && at(i, k) <= 0.0 => Some("above 0, being on the diagonal"),
            Given::Covariance
                if (at(i, k) - at(k, i)).abs() > SYMMETRY * (at(i, i) * at(k, k)).abs().sqrt() =>
            {
                Some("equal to its mirror image: the matrix must be symmetric")
            }
            _ => None,
        };
        let entries =
            (0..dim * dim).find_map(|i| wrong(i / dim, i % dim).map(|allowed| (i, allowed)));
        entries.or_else(|| {
            let lower = self.lower::<M>().values();
            let pivot = (0..dim)
                .map(|i| i * dim + i)
                .find(|i| lower[*i].is_nan() || lower[*i] <= 0.0)?;
            Some((pivot, "such that the matrix is positive definite"))
        })
    }
}

/// How far a covariance may be from symmetric, relative to the two standard deviations.
const SYMMETRY: f64 = 1e-9;

impl<M: Mode, A: Parameter<M>, B: Parameter<M>> Distribution<M> for MultivariateNormal<A, B> {
    type Value = Vector<M>;
    type Domain = Continuous;

    fn name(&self) -> &'static str {
        NAME
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape::Vector(self.size())
    }

    #[inline(always)]
    fn dim(&self) -> usize {
        self.size()
    }

    fn check(&self) -> Result<(), ParameterError> {
        self.check_shapes()?;
        let wrong = |parameter, index, value, allowed| {
            Err(ParameterError::Value {
                distribution: NAME,
                parameter,
                index,
                value,
                allowed,
            })
        };
        for i in 0..self.mean.shape().elements() {
            let mean = self.mean.at(i).primal();
            if !mean.is_finite() {
                let index = (self.mean.shape() != Shape::Scalar).then_some(i);
                return wrong("mean", index, mean, "a finite number");
            }
        }
        self.wrong_entry().map_or(Ok(()), |(i, allowed)| {
            wrong(
                self.matrix_name(),
                Some(i),
                self.matrix.at(i).primal(),
                allowed,
            )
        })
    }

    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let dim = self.size();
        let mut sum = Real::constant(0.0);
        let rows = elements.len().checked_div(dim).unwrap_or(0);
        self.for_each_row(
            rows,
            #[inline(always)]
            |row, x| x.copy_from_slice(&elements[row * dim..(row + 1) * dim]),
            #[inline(always)]
            |term| sum += term,
        );
        sum
    }

    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Vector<M>, Real<M>) {
        (Vector::from(coordinates), Real::constant(0.0))
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        elements.to_vec()
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let dim = self.size();
        let lower = self.lower::<M>().values();
        let z: Vec<f64> = (0..dim).map(|_| StandardNormal.sample(stream)).collect();
        let row = |i: usize| {
            lower[i * dim..(i + 1) * dim]
                .iter()
                .zip(&z)
                .map(|(l, z)| l * z)
                .sum::<f64>()
        };
        (0..dim)
            .map(|i| self.mean.at(i).primal() + row(i))
            .collect()
    }

    fn gaussian(&self) -> Option<Gaussian> {
        let mean = (0..self.size()).map(|i| self.mean.at(i).primal()).collect();
        Some(Gaussian {
            mean,
            factor: Factor::Lower(self.lower::<M>().values()),
        })
    }

    fn check_data<T: Data<Continuous> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        let dim = self.size();
        let length = count_rows(NAME, dim, data)? * dim;
        (0..length)
            .find(|i| !data.at(*i).is_finite())
            .map_or(Ok(()), |i| {
                let allowed = "a finite number".to_owned();
                Err(DataError::Value {
                    distribution: NAME,
                    index: Some(i),
                    value: data.at(i),
                    allowed,
                })
            })
    }

    #[inline(always)]
    fn for_each_term<T: Data<Continuous> + ?Sized>(&self, data: &T, visit: impl FnMut(Real<M>)) {
        let dim = self.size();
        let rows = data.shape().elements().checked_div(dim).unwrap_or(0);
        self.for_each_row(
            rows,
            #[inline(always)]
            |row, x| {
                for (k, x) in x.iter_mut().enumerate() {
                    *x = Real::constant(data.at(row * dim + k));
                }
            },
            visit,
        );
    }
}
