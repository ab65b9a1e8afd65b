//! The Gaussian random walk.

use super::data::Window;
use super::elementary::HALF_LN_TAU;
use super::rows::{check_rows, count_rows};
use super::{
    Constraint, Continuous, CovarianceRoot, Data, DataError, Distribution, Gaussian, Iid,
    Parameter, ParameterError, Shape,
};
use crate::rng::Stream;
use bayes_autodiff::{Mode, PlainValue, Real, Vector};
use rand_distr::{Distribution as _, StandardNormal};

/// Gaussian random walk `[length]`: a start with any distribution, and normal steps.
///
/// ```text
/// x_1 ~ start,    x_t ~ Normal(x_{t-1} + drift, sd)        t = 2..length
/// ```
///
/// The steps share one standard deviation or each have their own. If the data are weak, independent steps mix better:
/// `start + sd * &z.cumulative_sum()` with `z` standard normal.
#[derive(Clone, Copy, Debug)]
pub struct GaussianRandomWalk<D, S, R = f64> {
    start: D,
    sd: S,
    length: usize,
    drift: R,
}

const NAME: &str = "GaussianRandomWalk";

impl<D, S> GaussianRandomWalk<D, S> {
    /// `start`: the distribution of the first value, continuous and scalar. `sd`: the standard deviation of the
    /// steps, a number above zero or a vector `[length - 1]` of them. `length`: the number of values, including the
    /// first.
    pub fn new(start: D, sd: S, length: usize) -> Self {
        Self {
            start,
            sd,
            length,
            drift: 0.0,
        }
    }
}

impl<D, S, R> GaussianRandomWalk<D, S, R> {
    /// The mean of the steps: a number, or a vector `[length - 1]`. 0 by default.
    pub fn drift<N>(self, drift: N) -> GaussianRandomWalk<D, S, N> {
        GaussianRandomWalk {
            start: self.start,
            sd: self.sd,
            length: self.length,
            drift,
        }
    }

    /// Independent copies: the rows of a matrix.
    pub fn iid<E>(self, extent: E) -> Iid<Self, E> {
        Iid::new(self, extent)
    }

    /// The log density of the steps of one path.
    #[inline(always)]
    fn log_density_of_steps<M: Mode>(&self, path: &[Real<M>]) -> Real<M>
    where
        S: Parameter<M>,
        R: Parameter<M>,
    {
        let count = path.len() - 1;
        let mut steps = Vector::zeros(count);
        for (t, step) in steps.iter_mut().enumerate() {
            *step = (path[t + 1] - path[t] - self.drift.at(t)) / self.sd.at(t);
        }
        let mut log_density = M::dot_random(&steps, &steps) * -0.5 - HALF_LN_TAU * count as f64;
        if self.sd.shape() == Shape::Scalar {
            log_density -= self.sd.at(0).ln() * count as f64;
        } else {
            for t in 0..count {
                log_density -= self.sd.at(t).ln();
            }
        }
        log_density
    }

    /// Checks a parameter of the steps: one number for all, or one for each.
    fn check_steps<M: Mode, P: Parameter<M>>(
        &self,
        parameter: &'static str,
        values: &P,
        allowed: Constraint,
    ) -> Result<(), ParameterError> {
        let (shape, length) = (values.shape(), values.shape().elements());
        if shape != Shape::Scalar && length + 1 != self.length {
            let steps = self.length - 1;
            return Err(ParameterError::Length {
                distribution: NAME,
                parameter,
                length,
                allowed: format!("{steps}, the number of steps"),
            });
        }
        let values = (0..length).map(|t| values.at(t).plain_value());
        let wrong = values.enumerate().find(|(_, x)| !allowed.holds(*x));
        wrong.map_or(Ok(()), |(t, value)| {
            Err(ParameterError::Value {
                distribution: NAME,
                parameter,
                index: (shape != Shape::Scalar).then_some(t),
                value,
                allowed: allowed.words(),
            })
        })
    }
}

/// Whether the value of a scalar distribution is its own unconstrained coordinate.
fn is_its_own_coordinate<M: Mode, D: Distribution<M, Value = Real<M>>>(distribution: &D) -> bool {
    // two points distinguish any two transforms of scalars
    [-0.7, 0.4]
        .into_iter()
        .all(|u| distribution.constrain(&[Real::constant(u)]).0.plain_value() == u)
}

impl<M, D, S, R> Distribution<M> for GaussianRandomWalk<D, S, R>
where
    M: Mode,
    D: Distribution<M, Value = Real<M>, Domain = Continuous>,
    S: Parameter<M>,
    R: Parameter<M>,
{
    type Value = Vector<M>;
    type Domain = Continuous;

    fn name(&self) -> &'static str {
        NAME
    }

    fn is_proper(&self) -> bool {
        self.start.is_proper()
    }

    fn unnormalised(&self) -> Option<&'static str> {
        self.start.unnormalised()
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape::Vector(self.length)
    }

    #[inline(always)]
    fn dim(&self) -> usize {
        self.length
    }

    fn check(&self) -> Result<(), ParameterError> {
        if self.length == 0 {
            return Err(ParameterError::Value {
                distribution: NAME,
                parameter: "length",
                index: None,
                value: 0.0,
                allowed: "a whole number, at least 1",
            });
        }
        self.start.check()?;
        self.check_steps("sd", &self.sd, Constraint::Positive)?;
        self.check_steps("drift", &self.drift, Constraint::Finite)
    }

    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let mut sum = Real::constant(0.0);
        for path in elements.chunks_exact(self.length.max(1)) {
            sum += self.start.log_density_of(&path[..1]) + self.log_density_of_steps(path);
        }
        sum
    }

    /// Transforms the start by its own transform; the other values are their own coordinates.
    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Vector<M>, Real<M>) {
        let mut path = Vector::from(coordinates);
        let (first, log_jacobian) = self.start.constrain(&coordinates[..1]);
        path[0] = first;
        (path, log_jacobian)
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        let mut coordinates = self.start.unconstrain(&elements[..1]);
        coordinates.extend_from_slice(&elements[1..]);
        coordinates
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let mut path = self.start.draw(stream);
        for t in 0..self.length - 1 {
            let z: f64 = StandardNormal.sample(stream);
            let (drift, sd) = (self.drift.at(t).plain_value(), self.sd.at(t).plain_value());
            path.push(path[t] + drift + sd * z);
        }
        path
    }

    /// Gaussian if the start is Gaussian and its own coordinate.
    fn gaussian(&self) -> Option<Gaussian> {
        let start = self.start.gaussian()?;
        let CovarianceRoot::Diagonal(sd) = start.factor else {
            return None;
        };
        if !is_its_own_coordinate(&self.start) {
            return None;
        }
        let n = self.length;
        let mut mean = start.mean;
        for t in 0..n - 1 {
            mean.push(mean[t] + self.drift.at(t).plain_value());
        }
        let column = |k: usize| {
            if k == 0 {
                sd[0]
            } else {
                self.sd.at(k - 1).plain_value()
            }
        };
        let entry = |i: usize| if i % n <= i / n { column(i % n) } else { 0.0 };
        Some(Gaussian {
            mean,
            factor: CovarianceRoot::Lower((0..n * n).map(entry).collect()),
        })
    }

    fn check_data<T: Data<Continuous> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        check_rows(NAME, self.length, data)?;
        for row in 0..count_rows(NAME, self.length, data)? {
            let start = row * self.length;
            let first = Window::new(data, start, 1);
            self.start
                .check_data(&first)
                .map_err(|error| error.shifted(start))?;
        }
        Ok(())
    }
}
