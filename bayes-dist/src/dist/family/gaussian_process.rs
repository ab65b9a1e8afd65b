//! Gaussian processes at given inputs.

use super::cholesky::Lower;
use super::covariance_function::{CovarianceFunction, Points};
use super::elementary::HALF_LN_TAU;
use super::rows::{check_location, check_number, real_vectors};
use super::{
    Constraint, Continuous, CovarianceRoot, Data, DataError, Distribution, Gaussian, Iid,
    Parameter, ParameterError, Shape,
};
use crate::rng::Stream;
use bayes_autodiff::fault::{Fault, raise};
use bayes_autodiff::{Mode, PlainValue, Real, Task, Vector};
use rand_distr::{Distribution as _, StandardNormal};
use std::marker::PhantomData;

/// The values of a Gaussian process at `n` inputs: a multivariate normal vector `[n]`.
///
/// ```text
/// f ~ Normal(mean, K + s² I),    K_ij = k(x_i, x_j)
/// ```
///
/// The inputs are data: numbers, or the rows of a matrix. `k` is [`SquaredExponential`](super::SquaredExponential),
/// [`Matern12`](super::Matern12), [`Matern32`](super::Matern32), [`Matern52`](super::Matern52), a pair of covariance
/// functions, which is their sum, or any [`CovarianceFunction`]. Rasmussen and Williams (2006), chapter 2.
///
/// In `observe` it integrates the function out: `observe(y, GaussianProcess::new(0.0, kernel, x).noise(sigma))`. If the
/// likelihood is not Gaussian, sample the function: by `sample(GaussianProcess::new(0.0, kernel, x))`, or from
/// independent normals by [`GaussianProcess::at`], which mixes better if the data are weak.
#[derive(Clone, Copy, Debug)]
pub struct GaussianProcess<A, K, X, S = f64> {
    mean: A,
    kernel: K,
    x: X,
    noise: S,
    jitter: f64,
}

const NAME: &str = "GaussianProcess";

/// The share of its variance that is added to each value, so that the covariance of smooth functions at close inputs is
/// positive definite in double precision.
const JITTER: f64 = 1e-9;

impl<A, K, X> GaussianProcess<A, K, X> {
    /// `mean`: a number, or a vector with one for each input; `kernel`: a covariance function; `x`: inputs, numbers or the
    /// rows of a matrix.
    pub fn new(mean: A, kernel: K, x: X) -> Self {
        Self {
            mean,
            kernel,
            x,
            noise: 0.0,
            jitter: JITTER,
        }
    }
}

impl<A, K, X, S> GaussianProcess<A, K, X, S> {
    /// Adds independent noise with standard deviation `sd`: a number, at least zero. None by default.
    pub fn noise<N>(self, sd: N) -> GaussianProcess<A, K, X, N> {
        GaussianProcess {
            mean: self.mean,
            kernel: self.kernel,
            x: self.x,
            noise: sd,
            jitter: self.jitter,
        }
    }

    /// The share of its variance that is added to each value, for numerical stability; 1e-9 by default.
    #[must_use]
    pub fn jitter(self, share: f64) -> Self {
        Self {
            jitter: share,
            ..self
        }
    }

    /// Independent copies at the same inputs: the rows of a matrix.
    pub fn iid<E>(self, extent: E) -> Iid<Self, E> {
        Iid::new(self, extent)
    }

    /// The function given by standard normal variables `z` `[n]`: `mean + L z`, with `L Lᵀ` the covariance.
    ///
    /// ```text
    /// let z = sample(Normal::new(0.0, 1.0).iid(x.len()));
    /// let f = deterministic(GaussianProcess::new(0.0, kernel, x).at(&z));
    /// ```
    ///
    /// # Panics
    /// With a [`Fault::Shape`] unless `z` has one element per input.
    #[inline(always)]
    pub fn at<M: Mode>(&self, z: &Vector<M>) -> Vector<M>
    where
        A: Parameter<M>,
        K: CovarianceFunction<M>,
        X: Data<Continuous>,
        S: Parameter<M>,
    {
        if z.len() != self.len() {
            raise(Fault::Shape {
                operation: format!(
                    "a Gaussian process at {} inputs from a vector of length {}",
                    self.len(),
                    z.len()
                ),
            });
        }
        let mut values = self.lower().product(z);
        for (i, f) in values.iter_mut().enumerate() {
            *f += self.mean.at(i);
        }
        values
    }

    #[inline(always)]
    fn len(&self) -> usize
    where
        X: Data<Continuous>,
    {
        match self.x.shape() {
            Shape::Matrix(rows, _) => rows,
            other => other.elements(),
        }
    }

    /// The Cholesky factor of the covariance, computed in a separate function, because the code is long and has many
    /// callers.
    #[inline(always)]
    fn lower<M: Mode>(&self) -> Lower<M>
    where
        K: CovarianceFunction<M>,
        X: Data<Continuous>,
        S: Parameter<M>,
    {
        M::call(Factorise {
            process: self,
            mode: PhantomData,
        })
    }

    #[inline(always)]
    fn factorised<M: Mode>(&self) -> Lower<M>
    where
        K: CovarianceFunction<M>,
        X: Data<Continuous>,
        S: Parameter<M>,
    {
        let n = self.len();
        let mut covariance = self.kernel.covariance(&Points::of(&self.x));
        let variance = self.noise.at(0).square();
        for i in 0..n {
            let own = covariance[i * n + i] * (1.0 + self.jitter);
            covariance[i * n + i] = own + variance;
        }
        if K::DATA && S::DATA {
            Lower::of_data(n, &covariance)
        } else {
            Lower::of(n, covariance)
        }
    }

    /// Visits the log density of each row `x(row)`, where `fill` writes `x` into its argument.
    #[inline(always)]
    fn for_each_row<M: Mode>(
        &self,
        rows: usize,
        fill: impl FnMut(usize, &mut [Real<M>]),
        mut visit: impl FnMut(Real<M>),
    ) where
        A: Parameter<M>,
        K: CovarianceFunction<M>,
        X: Data<Continuous>,
        S: Parameter<M>,
    {
        let lower = self.lower();
        let log_normaliser = -lower.log_determinant() - HALF_LN_TAU * lower.dim() as f64;
        lower.for_each_square(
            &self.mean,
            rows,
            fill,
            #[inline(always)]
            |square| visit(square * -0.5 + log_normaliser),
        );
    }
}

/// [`GaussianProcess::factorised`] as a task.
struct Factorise<'a, M, A, K, X, S> {
    process: &'a GaussianProcess<A, K, X, S>,
    mode: PhantomData<M>,
}

impl<M, A, K, X, S> Task for Factorise<'_, M, A, K, X, S>
where
    M: Mode,
    K: CovarianceFunction<M>,
    X: Data<Continuous>,
    S: Parameter<M>,
{
    type Output = Lower<M>;
    #[inline(always)]
    fn run(self) -> Lower<M> {
        self.process.factorised()
    }
}

impl<M, A, K, X, S> Distribution<M> for GaussianProcess<A, K, X, S>
where
    M: Mode,
    A: Parameter<M>,
    K: CovarianceFunction<M>,
    X: Data<Continuous>,
    S: Parameter<M>,
{
    real_vectors!(self, self.len());

    fn check(&self) -> Result<(), ParameterError> {
        let wrong = |parameter, index, value, allowed| {
            Err(ParameterError::Value {
                distribution: NAME,
                parameter,
                index,
                value,
                allowed,
            })
        };
        let points = Points::of(&self.x);
        if points.count() == 0 {
            return Err(ParameterError::Length {
                distribution: NAME,
                parameter: "x",
                length: 0,
                allowed: "at least 1".to_owned(),
            });
        }
        if let Some((i, x)) = points.first_not_finite() {
            return wrong("x", Some(i), x, "a finite number");
        }
        check_location(NAME, "mean", &self.mean, points.count(), "x")?;
        check_number(NAME, "noise", &self.noise, Constraint::NonNegative)?;
        if !Constraint::NonNegative.holds(self.jitter) {
            return wrong("jitter", None, self.jitter, Constraint::NonNegative.words());
        }
        self.kernel.check(points.columns())?;
        let lower = self.lower();
        let pivot = (0..lower.dim()).map(|i| lower.pivot(i).plain_value());
        let failed = pivot.enumerate().find(|(_, x)| x.is_nan() || *x <= 0.0);
        failed.map_or(Ok(()), |(i, _)| {
            let allowed =
                "larger: the covariance of the inputs up to this one is not positive definite";
            wrong("jitter", Some(i), self.jitter, allowed)
        })
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let z: Vec<f64> = (0..self.len())
            .map(|_| StandardNormal.sample(stream))
            .collect();
        let steps = self.lower().times(&z);
        let value = |(i, step): (usize, &f64)| self.mean.at(i).plain_value() + step;
        steps.iter().enumerate().map(value).collect()
    }

    fn gaussian(&self) -> Option<Gaussian> {
        Some(Gaussian {
            mean: (0..self.len())
                .map(|i| self.mean.at(i).plain_value())
                .collect(),
            factor: CovarianceRoot::Lower(self.lower().values()),
        })
    }
}
