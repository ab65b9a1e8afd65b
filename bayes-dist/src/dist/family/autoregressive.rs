//! Autoregressive time series.

use super::elementary::HALF_LN_TAU;
use super::rows::{check_number, check_rows};
use super::square::for_each_value;
use super::{
    Constraint, Continuous, Data, DataError, Distribution, Iid, Parameter, ParameterError, Shape,
};
use crate::rng::Stream;
use bayes_autodiff::{Buffer, Mask, Mode, PlainValue, Real, Vector};
use rand_distr::{Distribution as _, StandardNormal};

/// Autoregressive series `[length]` of order `p` about a mean.
///
/// ```text
/// x_t - mean = Σ_{k=1..p} φ_k (x_{t-k} - mean) + e_t,    e_t ~ Normal(0, sd)
/// ```
///
/// The values before the first are either given or integrated out under the stationary distribution. In the second case
/// the first `p` values are predicted from the previous ones by the Durbin-Levinson recursion, run backwards from `φ`
/// (Brockwell and Davis 1991, section 5.2; Barndorff-Nielsen and Schou 1973).
#[derive(Clone, Copy, Debug)]
pub struct Autoregressive<C, S, P = Stationarity, A = f64> {
    coefficients: C,
    sd: S,
    past: P,
    length: usize,
    mean: A,
}

const NAME: &str = "Autoregressive";

/// A past that is integrated out under the stationary distribution.
#[derive(Clone, Copy, Debug)]
pub struct Stationarity;

/// The known values before the first.
pub trait Past<M: Mode> {
    /// The value `back` steps before the first, if known; `order` is the number of such values.
    fn value(&self, back: usize, order: usize) -> Option<Real<M>>;
    /// Checks that the number of known finite values equals the order of the series.
    ///
    /// # Errors
    /// A wrong number of values, or the first value that is not finite.
    fn check(&self, order: usize) -> Result<(), ParameterError>;
}

impl<M: Mode> Past<M> for Stationarity {
    #[inline(always)]
    fn value(&self, _: usize, _: usize) -> Option<Real<M>> {
        None
    }
    fn check(&self, _: usize) -> Result<(), ParameterError> {
        Ok(())
    }
}

/// Values before the first, in order of time.
#[derive(Clone, Copy, Debug)]
pub struct Given<P>(P);

impl<M: Mode, P: Parameter<M>> Past<M> for Given<P> {
    #[inline(always)]
    fn value(&self, back: usize, order: usize) -> Option<Real<M>> {
        Some(self.0.at(order - back))
    }
    fn check(&self, order: usize) -> Result<(), ParameterError> {
        let length = self.0.shape().elements();
        if length != order {
            return Err(ParameterError::Length {
                distribution: NAME,
                parameter: "past",
                length,
                allowed: format!("{order}, the length of `coefficients`"),
            });
        }
        check_finite(NAME, "past", &self.0)
    }
}

impl<C, S> Autoregressive<C, S> {
    /// The stationary series. `coefficients`: `φ`, a vector `[p]`, or one number for order 1; `sd`: the standard
    /// deviation of the innovations, a number above zero; `length`: the number of values.
    ///
    /// The density is 0 if the coefficients have no stationary distribution.
    pub fn stationary(coefficients: C, sd: S, length: usize) -> Self {
        Self {
            coefficients,
            sd,
            past: Stationarity,
            length,
            mean: 0.0,
        }
    }
}

impl<C, S, P> Autoregressive<C, S, Given<P>> {
    /// The series that continues `past`, the `p` values before the first in order of time. Any finite coefficients are
    /// allowed. The other parameters are as in [`Autoregressive::stationary`].
    pub fn conditional(coefficients: C, sd: S, past: P, length: usize) -> Self {
        Self {
            coefficients,
            sd,
            past: Given(past),
            length,
            mean: 0.0,
        }
    }
}

impl<C, S, P, A> Autoregressive<C, S, P, A> {
    /// The mean of the series, a number; 0 by default.
    pub fn mean<N>(self, mean: N) -> Autoregressive<C, S, P, N> {
        Autoregressive {
            coefficients: self.coefficients,
            sd: self.sd,
            past: self.past,
            length: self.length,
            mean,
        }
    }

    /// Independent copies: the rows of a matrix.
    pub fn iid<E>(self, extent: E) -> Iid<Self, E> {
        Iid::new(self, extent)
    }

    #[inline(always)]
    fn order<M: Mode>(&self) -> usize
    where
        C: Parameter<M>,
    {
        self.coefficients.shape().elements()
    }
}

/// The coefficients in reverse, so that the coefficient of the latest value is last, as in a series.
#[inline(always)]
fn reversed<M: Mode>(phi: &Vector<M>) -> Vector<M> {
    let mut reversed = phi.clone();
    reversed.reverse();
    reversed
}

/// The best linear predictors of a stationary series from its last `0..p` values.
pub(in crate::dist) struct Predictors<M: Mode> {
    /// The coefficients from the last `m` values, the latest first, for `m = 0..p`.
    pub(in crate::dist) coefficients: Vec<Vector<M>>,
    /// The logarithm of the error's standard deviation, in units of an innovation's.
    pub(in crate::dist) log_scales: Vec<Real<M>>,
    /// Whether the series is stationary.
    pub(in crate::dist) stationary: M::Mask,
}

/// Steps down from order `p`: `φ'_k = (φ_k + κ φ_{m-k})/(1 - κ²)` with `κ = φ_m`, and the variance over `1 - κ²`.
#[inline(always)]
pub(in crate::dist) fn predictors<M: Mode>(mut phi: Vector<M>) -> Predictors<M> {
    let order = phi.len();
    let mut coefficients = Vec::with_capacity(order);
    let mut log_scales = Vec::with_capacity(order);
    let mut log_scale = Real::constant(0.0);
    let mut stationary = Real::<M>::constant(0.0).le(0.0);
    for m in (1..=order).rev() {
        let kappa = phi[m - 1];
        let rest = 1.0 - kappa.square();
        stationary = stationary.and(rest.gt(0.0));
        let mut lower = Vector::zeros(m - 1);
        for (k, x) in lower.iter_mut().enumerate() {
            *x = (phi[k] + kappa * phi[m - 2 - k]) / rest;
        }
        log_scale -= rest.ln() * 0.5;
        coefficients.push(lower.clone());
        log_scales.push(log_scale);
        phi = lower;
    }
    coefficients.reverse();
    log_scales.reverse();
    Predictors {
        coefficients,
        log_scales,
        stationary,
    }
}

impl<C, S, P, A> Autoregressive<C, S, P, A> {
    #[inline(always)]
    fn phi<M: Mode>(&self) -> Vector<M>
    where
        C: Parameter<M>,
    {
        let mut phi = Vector::zeros(self.order());
        for (k, x) in phi.iter_mut().enumerate() {
            *x = self.coefficients.at(k);
        }
        phi
    }

    /// The predictors of the first values, if the past is unknown.
    #[inline(always)]
    fn start<M: Mode>(&self) -> Option<Predictors<M>>
    where
        C: Parameter<M>,
        P: Past<M>,
    {
        if self.order() > 0 && self.past.value(1, self.order()).is_none() {
            Some(predictors(self.phi()))
        } else {
            None
        }
    }

    /// The log density of one series.
    #[inline(always)]
    fn log_density_of_one<M: Mode>(
        &self,
        series: &[Real<M>],
        start: Option<&Predictors<M>>,
    ) -> Real<M>
    where
        C: Parameter<M>,
        S: Parameter<M>,
        P: Past<M>,
        A: Parameter<M>,
    {
        let (order, mean, sd) = (self.order(), self.mean.at(0), self.sd.at(0));
        // the deviations from the mean, the known past first
        let known = if start.is_some() { 0 } else { order };
        let mut deviations = Buffer::with_capacity(known + series.len());
        for back in (1..=known).rev() {
            let past = self.past.value(back, order).unwrap_or(mean);
            deviations.push(past - mean);
        }
        for x in series {
            deviations.push(*x - mean);
        }
        let phi = reversed(&self.phi());
        let mut log_density = -(sd.ln() + HALF_LN_TAU) * series.len() as f64;
        let mut errors = Vector::zeros(series.len());
        for (t, error) in errors.iter_mut().enumerate() {
            let now = known + t;
            let early = start.filter(|_| t < order);
            *error = match early {
                Some(start) => {
                    let weights = reversed(&start.coefficients[t]);
                    let log_scale = start.log_scales[t];
                    log_density -= log_scale;
                    let predicted = M::dot_random(&weights, &deviations[..now]);
                    (deviations[now] - predicted) * (-log_scale).exp()
                }
                None => deviations[now] - M::dot_random(&phi, &deviations[now - order..now]),
            };
        }
        log_density -= M::dot_random(&errors, &errors) / sd.square() * 0.5;
        match start {
            Some(start) => Real::select(start.stationary, log_density, f64::NEG_INFINITY),
            None => log_density,
        }
    }
}

/// Checks that all numbers of a parameter are finite.
pub(in crate::dist) fn check_finite<M: Mode, V: Parameter<M>>(
    distribution: &'static str,
    parameter: &'static str,
    values: &V,
) -> Result<(), ParameterError> {
    let finite = |i: &usize| values.at(*i).plain_value().is_finite();
    let wrong = (0..values.shape().elements()).find(|i| !finite(i));
    wrong.map_or(Ok(()), |i| {
        Err(ParameterError::Value {
            distribution,
            parameter,
            index: (values.shape() != Shape::Scalar).then_some(i),
            value: values.at(i).plain_value(),
            allowed: Constraint::Finite.words(),
        })
    })
}

impl<M, C, S, P, A> Distribution<M> for Autoregressive<C, S, P, A>
where
    M: Mode,
    C: Parameter<M>,
    S: Parameter<M>,
    P: Past<M>,
    A: Parameter<M>,
{
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
        let order = self.order();
        let wrong_length = |parameter, length, allowed| {
            Err(ParameterError::Length {
                distribution: NAME,
                parameter,
                length,
                allowed,
            })
        };
        if self.length == 0 {
            return wrong_length("length", 0, "at least 1".to_owned());
        }
        if order == 0 {
            return wrong_length("coefficients", 0, "at least 1".to_owned());
        }
        check_finite(NAME, "coefficients", &self.coefficients)?;
        check_number(NAME, "sd", &self.sd, Constraint::Positive)?;
        check_number(NAME, "mean", &self.mean, Constraint::Finite)?;
        self.past.check(order)?;
        // random coefficients may be drawn outside of the stationary region, where the density is zero
        let stationary = |start: Predictors<M>| start.log_scales[0].plain_value().is_finite();
        if !C::DATA || self.start().is_none_or(stationary) {
            return Ok(());
        }
        Err(ParameterError::Value {
            distribution: NAME,
            parameter: "coefficients",
            index: Some(order - 1),
            value: self.coefficients.at(order - 1).plain_value(),
            allowed: "such that the series is stationary (the value shown is the last coefficient)",
        })
    }

    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let start = self.start();
        let mut sum = Real::constant(0.0);
        for series in elements.chunks_exact(self.length.max(1)) {
            sum += self.log_density_of_one(series, start.as_ref());
        }
        sum
    }

    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Vector<M>, Real<M>) {
        (Vector::from(coordinates), Real::constant(0.0))
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        elements.to_vec()
    }

    /// NaN without a stationary distribution; the density counts and rejects it.
    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let (order, mean, sd) = (
            self.order(),
            self.mean.at(0).plain_value(),
            self.sd.at(0).plain_value(),
        );
        let start = self.start();
        let known = if start.is_some() { 0 } else { order };
        let past = |back| {
            self.past
                .value(back, order)
                .map_or(mean, PlainValue::plain_value)
        };
        let mut deviations: Vec<f64> = (1..=known).rev().map(|back| past(back) - mean).collect();
        let phi = self.phi();
        for t in 0..self.length {
            let early = start.as_ref().filter(|_| t < order);
            let (weights, log_scale) = early.map_or((&phi, 0.0), |start| {
                (&start.coefficients[t], start.log_scales[t].plain_value())
            });
            let latest = deviations.iter().rev();
            let predicted: f64 = weights
                .iter()
                .zip(latest)
                .map(|(w, x)| w.plain_value() * x)
                .sum();
            let z: f64 = StandardNormal.sample(stream);
            deviations.push(predicted + sd * log_scale.exp() * z);
        }
        deviations[known..].iter().map(|x| x + mean).collect()
    }

    fn check_data<T: Data<Continuous> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        check_rows(NAME, self.length, data)
    }

    #[inline(always)]
    fn for_each_term<T: Data<Continuous> + ?Sized>(
        &self,
        data: &T,
        mut visit: impl FnMut(Real<M>),
    ) {
        let start = self.start();
        for_each_value(
            self.length,
            data,
            #[inline(always)]
            |series| visit(self.log_density_of_one(series, start.as_ref())),
        );
    }
}
