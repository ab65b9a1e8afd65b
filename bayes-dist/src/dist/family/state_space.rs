//! Linear Gaussian state space models.

use super::rows::{check_number, check_rows, count_rows, require_series};
use super::series::{Block, Coefficient, Filter, Moments, Part, draw};
use super::{
    Constraint, Continuous, Data, DataError, Distribution, Iid, Parameter, ParameterError, Shape,
};
use crate::rng::Stream;
use bayes_autodiff::{Matrix, Mode, PlainValue, Real, Task, Vector};
use std::marker::PhantomData;

/// A series that is the sum of Gaussian parts and noise; their states are summed out by the Kalman filter (Kalman 1960; Durbin and Koopman
/// 2012).
///
/// ```text
/// x_t = Z_t α_t + sd e_t,    α_{t+1} = T α_t + η_t,    η_t ~ Normal(0, Q),    α_1 ~ Normal(a, P)
/// ```
///
/// Parts add up:
///
/// ```text
/// let level = Level::new(sd_level).start(1000.0, 500.0);
/// observe(y, StateSpace::new(level + Season::new(12, sd_season).start(100.0), sd, y.len()));
/// ```
///
/// They are [`Level`](super::Level), [`Trend`](super::Trend), [`Season`](super::Season), [`Cycle`](super::Cycle),
/// [`Autoregression`](super::Autoregression), [`Regression`](super::Regression), [`States`](super::States) with any matrices, and any
/// [`Part`]. Their first states have a proper prior, so an evidence is right. A series is one observation; the rows of a matrix are
/// independent series. With `K` states a value costs about `K²` operations.
///
/// The filter subtracts covariances: with several states the standard deviation of the first ones may be at most about 3e6 times the one of
/// a value given the values before it. It computes with variances: the standard deviation of a value given the values before it must be between
/// 1e-145 and 1e145, and so must those of first states at most. Beyond, the density is NaN, which a run counts and reports, and parameters that
/// are data are refused.
///
/// Elsewhere: `gaussian_dlm_obs` (Stan, without parts).
#[derive(Clone, Copy, Debug)]
pub struct StateSpace<P, S> {
    parts: P,
    sd: S,
    length: usize,
    skip_missing: bool,
}

const NAME: &str = "StateSpace";

impl<P, S> StateSpace<P, S> {
    /// `parts`: a part or a sum of parts; `sd`: the standard deviation of the noise of a value, a number, at least zero; `length`: the
    /// number of values.
    pub fn new(parts: P, sd: S, length: usize) -> Self {
        Self {
            parts,
            sd,
            length,
            skip_missing: false,
        }
    }

    /// Values of the data that are NaN are missing: the filter passes over them. Without this they are refused.
    #[must_use]
    pub fn skip_missing(self) -> Self {
        Self {
            skip_missing: true,
            ..self
        }
    }

    /// Independent series: the rows of a matrix.
    pub fn iid<E>(self, extent: E) -> Iid<Self, E> {
        Iid::new(self, extent)
    }

    #[inline(always)]
    fn filter<M: Mode>(&self) -> Filter<'_, M, P>
    where
        P: Part<M>,
        S: Parameter<M>,
    {
        Filter::new(&self.parts, Coefficient::of(&self.sd, 0).square())
    }

    /// The value of a series at a time; none where it is missing.
    #[inline(always)]
    fn value<M: Mode, T: Data<Continuous> + ?Sized>(
        &self,
        data: &T,
        place: usize,
    ) -> Option<Real<M>> {
        let value = data.at(place);
        (!(self.skip_missing && value.is_nan())).then(|| Real::constant(value))
    }
}

/// The log densities of series with elements one after another, as a task, because the filter is long.
struct Densities<'a, M: Mode, P, S, V, F> {
    model: &'a StateSpace<P, S>,
    count: usize,
    value: V,
    visit: F,
    mode: PhantomData<M>,
}

impl<M, P, S, V, F> Task for Densities<'_, M, P, S, V, F>
where
    M: Mode,
    P: Part<M>,
    S: Parameter<M>,
    V: Fn(usize) -> Option<Real<M>>,
    F: FnMut(Real<M>),
{
    type Output = ();
    #[inline(always)]
    fn run(mut self) {
        let (filter, length) = (self.model.filter::<M>(), self.model.length);
        let pattern = |row: usize| -> Vec<bool> {
            let times = row * length..(row + 1) * length;
            times.map(|place| (self.value)(place).is_some()).collect()
        };
        let accurate = filter.is_accurate(length);
        let mut known = pattern(0);
        let mut gains = filter.gains(length, |time| known[time], false);
        for row in 0..self.count {
            let own = pattern(row);
            if own != known {
                known = own;
                gains = filter.gains(length, |time| known[time], false);
            }
            let value = |time| (self.value)(row * length + time).unwrap_or_default();
            let density = filter.log_density(&gains, value);
            (self.visit)(filter.guarded(density, accurate));
        }
    }
}

impl<P, S> StateSpace<P, S> {
    /// The means of the states at each time given the whole series, `[length, K]`: smoothed. The states of the parts stand in their order.
    ///
    /// ```text
    /// let series = StateSpace::new(Level::new(sd_level).start(1000.0, 500.0), sd, y.len());
    /// let level = deterministic(series.states(y));
    /// observe(y, series);
    /// ```
    ///
    /// # Panics
    /// With a [`Fault::Shape`](bayes_autodiff::fault::Fault) (in a model, an error before the run) unless `series` is one series of
    /// `length` values.
    pub fn states<M, T>(&self, series: &T) -> Matrix<M>
    where
        M: Mode,
        P: Part<M>,
        S: Parameter<M>,
        T: Data<Continuous> + ?Sized,
    {
        self.state_means(series, true)
    }

    /// The standard deviations of the states at each time given the whole series, `[length, K]`.
    ///
    /// # Panics
    /// As [`StateSpace::states`].
    pub fn state_sds<M, T>(&self, series: &T) -> Matrix<M>
    where
        M: Mode,
        P: Part<M>,
        S: Parameter<M>,
        T: Data<Continuous> + ?Sized,
    {
        require_series(NAME, "states", self.length, series);
        let is_known = |time| self.value::<M, T>(series, time).is_some();
        let each = self.filter().state_variances(self.length, is_known);
        Matrix::from_fn(self.length, self.parts.dim(), |t, k| {
            root(each[t][k].real())
        })
    }

    /// The means of the states at each time given the values up to it, `[length, K]`: filtered.
    ///
    /// # Panics
    /// As [`StateSpace::states`].
    pub fn filtered_states<M, T>(&self, series: &T) -> Matrix<M>
    where
        M: Mode,
        P: Part<M>,
        S: Parameter<M>,
        T: Data<Continuous> + ?Sized,
    {
        self.state_means(series, false)
    }

    fn state_means<M, T>(&self, series: &T, smooth: bool) -> Matrix<M>
    where
        M: Mode,
        P: Part<M>,
        S: Parameter<M>,
        T: Data<Continuous> + ?Sized,
    {
        require_series(NAME, "states", self.length, series);
        let value = |time| self.value(series, time);
        let each = self.filter().state_means(self.length, value, smooth);
        Matrix::from_fn(self.length, self.parts.dim(), |t, k| each[t][k].real())
    }

    /// The means and the standard deviations of `count` values after the series, given the series and the parameters, `[count, 2]`.
    ///
    /// ```text
    /// let next = deterministic(series.forecast(y, 12));
    /// ```
    ///
    /// Over the posterior, forecasts spread by these means and by these standard deviations; for draws, take
    /// [`StateSpace::after`].
    ///
    /// # Panics
    /// As [`StateSpace::states`], and if a [`Regression`](super::Regression) has no rows for the times after the series.
    pub fn forecast<M, T>(&self, series: &T, count: usize) -> Matrix<M>
    where
        M: Mode,
        P: Part<M>,
        S: Parameter<M>,
        T: Data<Continuous> + ?Sized,
    {
        require_series(NAME, "a forecast", self.length, series);
        let filter = self.filter();
        let states = filter.ahead(self.length, |time| self.value(series, time));
        let each = filter.forecast(self.length, count, states);
        Matrix::from_fn(count, 2, |t, k| match k {
            0 => each[t][0],
            _ => root(each[t][1]),
        })
    }

    /// The distribution of the `count` values after the series, given the series and the parameters: `generate` draws forecasts from it.
    ///
    /// ```text
    /// let next = generate(series.after(y, 12));
    /// ```
    ///
    /// # Panics
    /// As [`StateSpace::forecast`].
    pub fn after<M, T>(&self, series: &T, count: usize) -> StateSpace<After<'_, M, P>, &S>
    where
        M: Mode,
        P: Part<M>,
        S: Parameter<M>,
        T: Data<Continuous> + ?Sized,
    {
        require_series(NAME, "values after the series", self.length, series);
        let value = |time| self.value(series, time);
        let states = self.filter().ahead(self.length, value);
        let parts = After {
            parts: &self.parts,
            first: self.length,
            states,
        };
        StateSpace {
            skip_missing: self.skip_missing,
            ..StateSpace::new(parts, &self.sd, count)
        }
    }
}

/// A standard deviation; the variance of a state that is known rounds to below 0.
fn root<M: Mode>(variance: Real<M>) -> Real<M> {
    variance.max(0.0).sqrt()
}

/// Parts that have been observed up to a time.
#[derive(Clone, Debug)]
pub struct After<'a, M: Mode, P> {
    parts: &'a P,
    first: usize,
    states: Moments<M>,
}

impl<M: Mode, P: Part<M>> Part<M> for After<'_, M, P> {
    fn dim(&self) -> usize {
        self.parts.dim()
    }
    fn write(&self, block: &mut Block<'_, M>) {
        self.parts.write(block);
        self.states.write(block);
    }
    fn load(&self, time: usize, loadings: &mut [Coefficient<M>]) -> bool {
        self.parts.load(self.first + time, loadings)
    }
    fn check(&self, length: usize) -> Result<(), ParameterError> {
        self.parts.check(self.first + length)
    }
}

impl<M: Mode, P: Part<M>, S: Parameter<M>> Distribution<M> for StateSpace<P, S> {
    type Value = Vector<M>;
    type Domain = Continuous;

    fn name(&self) -> &'static str {
        NAME
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
            return Err(ParameterError::Length {
                distribution: NAME,
                parameter: "length",
                length: 0,
                allowed: "at least 1".to_owned(),
            });
        }
        check_number(NAME, "sd", &self.sd, Constraint::NonNegative)?;
        self.parts.check(self.length)?;
        self.filter().check(NAME, self.length)
    }

    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let mut sum = Real::constant(0.0);
        M::call(Densities {
            model: self,
            count: elements.len() / self.length.max(1),
            value: |place| Some(elements[place]),
            visit: |term| sum += term,
            mode: PhantomData,
        });
        sum
    }

    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Vector<M>, Real<M>) {
        (Vector::from(coordinates), Real::constant(0.0))
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        elements.to_vec()
    }

    /// NaN where the states have no distribution; the density counts and rejects it.
    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let sd = self.sd.at(0).plain_value();
        draw(&self.filter::<M>(), sd, self.length, stream)
    }

    fn check_data<T: Data<Continuous> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        if !self.skip_missing {
            return check_rows(NAME, self.length, data);
        }
        let length = count_rows(NAME, self.length, data)? * self.length;
        let infinite = (0..length).find(|i| data.at(*i).is_infinite());
        infinite.map_or(Ok(()), |i| {
            Err(DataError::Value {
                distribution: NAME,
                index: Some(i),
                value: data.at(i),
                allowed: "a finite number, or NaN where a value is missing".to_owned(),
            })
        })
    }

    #[inline(always)]
    fn for_each_term<T: Data<Continuous> + ?Sized>(&self, data: &T, visit: impl FnMut(Real<M>)) {
        M::call(Densities {
            model: self,
            count: data.shape().elements() / self.length.max(1),
            value: |place| self.value(data, place),
            visit,
            mode: PhantomData,
        });
    }
}
