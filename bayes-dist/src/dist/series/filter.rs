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

/// The least and the largest variance with which the filter computes. Beyond, squares, products of two covariances over a variance, and
/// their slopes leave the doubles or lose digits.
const VARIANCES: [f64; 2] = [1e-290, 1e290];

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
    /// The same over the standard deviation of the value.
    scaled: Vec<Coefficient<M>>,
    /// The variance of the value given the values before it.
    pub(super) variance: Real<M>,
    /// One over the standard deviation of the value. The slope of one over the variance is a square of a variance, which leaves the doubles.
    pub(super) inverse_sd: Coefficient<M>,
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

impl<'a, M: Mode, P: Part<M>> Filter<'a, M, P> {
    #[inline(always)]
    pub fn new(parts: &'a P, noise: Coefficient<M>) -> Self {
        Self {
            parts,
            system: System::of(parts),
            noise,
        }
    }

    /// Where variances are doubles with all their digits, and so are differences of covariances, which a single state does not need.
    #[inline(always)]
    pub fn is_accurate(&self, length: usize) -> M::Mask {
        let smallest = self.least_variance().real();
        let [least, most] = VARIANCES;
        let mut holds = smallest.ge(least).and(smallest.le(most));
        for variance in self.first_variances(length) {
            let variance = variance.real();
            holds = holds.and(variance.le(most));
            if self.system.dim > 1 {
                holds = holds.and((variance * SMALLEST).le(smallest));
            }
        }
        holds
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
    pub fn guarded(&self, density: Real<M>, accurate: M::Mask) -> Real<M> {
        let density = Real::select(accurate, density, f64::NAN);
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
    /// The standard deviation of a value given the values before it, and the largest one of a first state, if it is too small or large.
    pub fn check(&self, distribution: &'static str, length: usize) -> Result<(), ParameterError> {
        let smallest = self.least_variance().real().plain_value();
        let first = self.first_variances(length).into_iter();
        let largest = first.map(|x| x.real().plain_value()).fold(0.0, f64::max);
        let [least, most] = VARIANCES;
        let (parameter, variance, allowed) = if smallest < least || smallest > most {
            let allowed = "such that the standard deviation of a value given the values before it is between 1e-145 and 1e145: the filter \
                           computes with its square";
            ("sd", smallest, allowed)
        } else if largest > most {
            let allowed = "at most 1e145: the filter computes with its square";
            ("start: sd", largest, allowed)
        } else if self.system.dim > 1 && largest * SMALLEST > smallest {
            let allowed = "at most 3e6 times the standard deviation of a value given the values before it: the filter has no digits left";
            ("start: sd", largest, allowed)
        } else {
            return Ok(());
        };
        Err(ParameterError::Value {
            distribution,
            parameter,
            index: None,
            value: variance.sqrt(),
            allowed,
        })
    }

    /// The gain of the value at a time.
    #[inline(always)]
    pub(super) fn gain(&self, time: usize, covariance: &Symmetric<M>) -> Gain<M> {
        let loadings = self.loadings(time);
        let with_value = covariance.times(&loadings);
        let variance = dot(&loadings, &with_value).plus(self.noise).real();
        let inverse_sd = Coefficient::Random(variance.sqrt().recip());
        Gain {
            scaled: with_value.iter().map(|x| x.times(inverse_sd)).collect(),
            loadings,
            covariance: with_value,
            variance,
            inverse_sd,
        }
    }

    /// Takes what a value tells out of the covariance of the states.
    #[inline(always)]
    fn update(&self, gain: &Gain<M>, covariance: &mut Symmetric<M>) {
        let mut loaded = (0..self.system.dim).filter(|i| !gain.loadings[*i].is_zero());
        let first = loaded.next();
        // of a state that the value is about alone, without a difference of large numbers
        let alone = first.filter(|_| loaded.next().is_none());
        let kept = self.noise.times(gain.inverse_sd).times(gain.inverse_sd);
        for i in 0..self.system.dim {
            for k in 0..=i {
                let before = covariance.at(i, k);
                let after = if alone == Some(i) || alone == Some(k) {
                    before.times(kept)
                } else {
                    before.minus(gain.scaled[i].times(gain.scaled[k]))
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
                let deviate = Coefficient::Random(error).times(gain.inverse_sd);
                for (x, scaled) in mean.iter_mut().zip(&gain.scaled) {
                    *x = x.plus(scaled.times(deviate));
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
                let deviate = Coefficient::Random(error).times(gain.inverse_sd);
                squares += deviate.real().square();
            }
        });
        let constant = HALF_LN_TAU * gains.count as f64;
        (squares + gains.log_variances) * -0.5 - constant
    }
}
