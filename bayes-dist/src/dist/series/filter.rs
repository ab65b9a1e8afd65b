//! The Kalman filter of a univariate series (Kalman 1960; Durbin and Koopman 2012, section 4.3).
//!
//! The covariances do not depend on the data, so series with the same missing values have their gains in common.

use super::super::ParameterError;
use super::super::elementary::HALF_LN_TAU;
use super::coefficient::dot;
use super::{Block, Coefficient, Part, Symmetric, System};
use bayes_autodiff::{Mask, Mode, PlainValue, Real};

/// The least variance of a value given the values before it, over the largest variance of a first state: with less, differences of
/// covariances have no digits left.
const SMALLEST: f64 = 1e-13;

/// A state space model that is filtered.
pub struct Filter<'a, M: Mode, P> {
    parts: &'a P,
    pub(super) system: System<M>,
    /// The variance of the noise of a value.
    noise: Coefficient<M>,
}

/// How a value moves the states.
#[derive(Clone, Debug)]
pub struct Gain<M: Mode> {
    pub(super) loadings: Vec<Coefficient<M>>,
    /// The covariances of the states with the value.
    pub(super) covariance: Vec<Coefficient<M>>,
    /// The same over the variance of the value.
    weights: Vec<Coefficient<M>>,
    variance: Real<M>,
    /// One over the variance of the value.
    pub(super) precision: Real<M>,
}

/// The distribution of the states at a time, given the values before it.
#[derive(Clone, Debug)]
pub struct Moments<M: Mode> {
    pub(super) mean: Vec<Coefficient<M>>,
    pub(super) covariance: Symmetric<M>,
}

impl<M: Mode> Moments<M> {
    /// Writes them as the moments of the first states.
    pub(in super::super) fn write(&self, block: &mut Block<'_, M>) {
        for (i, mean) in self.mean.iter().enumerate() {
            block.mean(i, *mean);
            for k in 0..=i {
                block.covariance(i, k, self.covariance.at(i, k));
            }
        }
    }
}

/// The gains of a whole series; none where a value is missing.
pub struct Gains<M: Mode> {
    pub(super) each: Vec<Option<Gain<M>>>,
    /// The covariances of the states at each time given the values before it, if they are kept.
    pub(super) covariances: Vec<Symmetric<M>>,
    /// The covariance at the time after the last.
    pub(super) last: Symmetric<M>,
    log_variances: Real<M>,
    count: usize,
}

impl<M: Mode> Gain<M> {
    /// The variance of the value given the values before it.
    pub(super) fn variance(&self) -> Real<M> {
        self.variance
    }
}

impl<'a, M: Mode, P: Part<M>> Filter<'a, M, P> {
    #[inline(always)]
    pub fn new(parts: &'a P, noise: Coefficient<M>) -> Self {
        Self {
            parts,
            system: System::of(parts),
            noise,
        }
    }

    /// Where differences of covariances have digits; everywhere if `None`, as for a single state, which needs no differences.
    #[inline(always)]
    pub fn is_accurate(&self, length: usize) -> Option<M::Mask> {
        if self.system.dim < 2 {
            return None;
        }
        let smallest = self.least_variance().real();
        let largest = self.first_variances(length).into_iter();
        let holds = largest.map(|variance| (variance.real() * SMALLEST).le(smallest));
        holds.reduce(Mask::and)
    }

    /// A bound of the variance of a value given the values before it, from below.
    #[inline(always)]
    pub fn least_variance(&self) -> Coefficient<M> {
        let loadings = &self.system.loadings;
        let noise = self.system.noise.times(loadings);
        dot(loadings, &noise).plus(self.noise)
    }

    /// The variances of the first states, in the unit of the series; the largest one that is data, and all others.
    #[inline(always)]
    pub fn first_variances(&self, length: usize) -> Vec<Coefficient<M>> {
        let scales = self.scales(length);
        let (mut known, mut found) = (0.0_f64, Vec::new());
        for (i, scale) in scales.into_iter().enumerate() {
            match self
                .system
                .covariance
                .at(i, i)
                .times(Coefficient::Known(scale))
            {
                Coefficient::Known(x) => known = known.max(x),
                random => found.push(random),
            }
        }
        found.push(Coefficient::Known(known));
        found
    }

    /// For each state the largest square of a loading that changes, 1 for others.
    fn scales(&self, length: usize) -> Vec<f64> {
        let mut largest = vec![0.0_f64; self.system.dim];
        for time in 0..length {
            let mut loadings = vec![Coefficient::ZERO; self.system.dim];
            if !self.parts.load(time, &mut loadings) {
                break;
            }
            for (largest, loading) in largest.iter_mut().zip(loadings) {
                if let Coefficient::Known(x) = loading {
                    *largest = largest.max(x * x);
                }
            }
        }
        let scale = |x: f64| if x > 0.0 { x } else { 1.0 };
        largest.into_iter().map(scale).collect()
    }

    /// `density` where the states have a distribution and the filter is `accurate`: 0 without the one, NaN without the other.
    #[inline(always)]
    pub fn guarded(&self, density: Real<M>, accurate: Option<M::Mask>) -> Real<M> {
        let density = match accurate {
            Some(mask) => Real::select(mask, density, f64::NAN),
            None => density,
        };
        match self.system.allowed {
            Some(mask) => Real::select(mask, density, f64::NEG_INFINITY),
            None => density,
        }
    }

    fn loadings(&self, time: usize) -> Vec<Coefficient<M>> {
        let mut loadings = self.system.loadings.clone();
        self.parts.load(time, &mut loadings);
        loadings
    }

    /// What is in the value at a time of these states.
    pub(super) fn signal(&self, time: usize, states: &[Coefficient<M>]) -> Coefficient<M> {
        dot(&self.loadings(time), states)
    }

    /// Checks that the filter has digits at the present parameters.
    ///
    /// # Errors
    /// The largest standard deviation of a first state, if it is too large.
    pub fn check(&self, distribution: &'static str, length: usize) -> Result<(), ParameterError> {
        let smallest = self.least_variance().real().plain_value();
        let first = self.first_variances(length).into_iter();
        let largest = first.map(|x| x.real().plain_value()).fold(0.0, f64::max);
        if self.system.dim < 2 || largest * SMALLEST <= smallest {
            return Ok(());
        }
        Err(ParameterError::Value {
            distribution,
            parameter: "start: sd",
            index: None,
            value: largest.sqrt(),
            allowed: "at most 3e6 times the standard deviation of a value given the values before it: the filter has no digits left",
        })
    }

    /// The gain of the value at a time.
    #[inline(always)]
    pub(super) fn gain(&self, time: usize, covariance: &Symmetric<M>) -> Gain<M> {
        let loadings = self.loadings(time);
        let with_value = covariance.times(&loadings);
        let variance = dot(&loadings, &with_value).plus(self.noise).real();
        let precision = variance.recip();
        let weight = |x: &Coefficient<M>| x.times(Coefficient::Random(precision));
        Gain {
            weights: with_value.iter().map(weight).collect(),
            loadings,
            covariance: with_value,
            variance,
            precision,
        }
    }

    /// Takes what a value tells out of the covariance of the states.
    #[inline(always)]
    fn update(&self, gain: &Gain<M>, covariance: &mut Symmetric<M>) {
        let mut loaded = (0..self.system.dim).filter(|i| !gain.loadings[*i].is_zero());
        let first = loaded.next();
        // of a state that the value is about alone, without a difference of large numbers
        let alone = first.filter(|_| loaded.next().is_none());
        let kept = self.noise.times(Coefficient::Random(gain.precision));
        for i in 0..self.system.dim {
            for k in 0..=i {
                let before = covariance.at(i, k);
                let after = if alone == Some(i) || alone == Some(k) {
                    before.times(kept)
                } else {
                    before.minus(gain.weights[i].times(gain.covariance[k]))
                };
                covariance.set(i, k, after);
            }
        }
    }

    /// The covariance a step later.
    #[inline(always)]
    pub(super) fn predicted(&self, covariance: &Symmetric<M>) -> Symmetric<M> {
        let mut next = self.system.moved(covariance);
        self.system.add_noise(&mut next);
        next
    }

    /// The gains of a series of `length` values of which `is_known` ones are there.
    #[inline(always)]
    pub fn gains(&self, length: usize, is_known: impl Fn(usize) -> bool, keep: bool) -> Gains<M> {
        let mut found = Gains {
            each: Vec::with_capacity(length),
            covariances: Vec::new(),
            last: self.system.covariance.clone(),
            log_variances: Real::constant(0.0),
            count: 0,
        };
        for time in 0..length {
            if keep {
                found.covariances.push(found.last.clone());
            }
            let gain = is_known(time).then(|| self.gain(time, &found.last));
            if let Some(gain) = &gain {
                self.update(gain, &mut found.last);
                found.log_variances += gain.variance.ln();
                found.count += 1;
            }
            found.each.push(gain);
            found.last = self.predicted(&found.last);
        }
        found
    }

    /// The means of the states at each time given the values before it, and, where a value is there, its deviation from what they predict.
    /// One more mean than there are times.
    #[inline(always)]
    pub fn means(
        &self,
        gains: &Gains<M>,
        value: impl Fn(usize) -> Real<M>,
        mut visit: impl FnMut(&[Coefficient<M>], Option<Real<M>>),
    ) {
        let mut mean = self.system.mean.clone();
        for (time, gain) in gains.each.iter().enumerate() {
            let error = gain.as_ref().map(|gain| {
                let predicted = dot(&gain.loadings, &mean);
                Coefficient::Random(value(time)).minus(predicted).real()
            });
            visit(&mean, error);
            if let (Some(gain), Some(error)) = (gain, error) {
                for (x, weight) in mean.iter_mut().zip(&gain.weights) {
                    *x = x.plus(weight.times(Coefficient::Random(error)));
                }
            }
            mean = self.system.forward(&mean);
        }
        visit(&mean, None);
    }

    /// The log density of a series.
    #[inline(always)]
    pub fn log_density(&self, gains: &Gains<M>, value: impl Fn(usize) -> Real<M>) -> Real<M> {
        let mut squares = Real::constant(0.0);
        let mut each = gains.each.iter();
        self.means(gains, value, |_, error| {
            if let (Some(Some(gain)), Some(error)) = (each.next(), error) {
                squares += error.square() * gain.precision;
            }
        });
        let constant = HALF_LN_TAU * gains.count as f64;
        (squares + gains.log_variances) * -0.5 - constant
    }
}
