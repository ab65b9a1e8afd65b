//! The states of a series given all of its values (de Jong 1989; Durbin and Koopman 2012, section 4.4), and the moments of what follows.

use super::coefficient::dot;
use super::filter::{Filter, Gain, Gains, Moments};
use super::{Coefficient, Part, Symmetric};
use bayes_autodiff::{Mode, Real};

impl<M: Mode, P: Part<M>> Filter<'_, M, P> {
    /// The means of the states at each time, given all values if `smooth`, otherwise given the values up to it.
    pub fn state_means(
        &self,
        length: usize,
        value: impl Fn(usize) -> Option<Real<M>>,
        smooth: bool,
    ) -> Vec<Vec<Coefficient<M>>> {
        let gains = self.gains(length, |time| value(time).is_some(), true);
        let (mut found, mut errors) = (Vec::new(), Vec::new());
        let known = |time| value(time).unwrap_or_default();
        self.means(&gains, known, |mean, error| {
            found.push(mean.to_vec());
            errors.push(error.map_or(Coefficient::ZERO, Coefficient::Random));
        });
        found.truncate(length);
        let mut score = vec![Coefficient::ZERO; self.system.dim];
        for time in (0..length).rev() {
            score = match smooth {
                true => self.system.backward(&score),
                false => vec![Coefficient::ZERO; self.system.dim],
            };
            if let Some(gain) = &gains.each[time] {
                gain.add_score(errors[time], &mut score);
            }
            let steps = gains.covariances[time].times(&score);
            for (mean, step) in found[time].iter_mut().zip(steps) {
                *mean = mean.plus(step);
            }
        }
        found
    }

    /// The variances of the states at each time given all values that are there.
    pub fn state_variances(
        &self,
        length: usize,
        is_known: impl Fn(usize) -> bool,
    ) -> Vec<Vec<Coefficient<M>>> {
        let (dim, gains) = (self.system.dim, self.gains(length, is_known, true));
        let mut information = Symmetric::zeros(dim);
        let mut found = Vec::with_capacity(length);
        for time in (0..length).rev() {
            information = self.system.moved_back(&information);
            if let Some(gain) = &gains.each[time] {
                gain.add_information(&mut information);
            }
            let covariance = &gains.covariances[time];
            let variance = |i: usize| {
                let row: Vec<Coefficient<M>> = (0..dim).map(|k| covariance.at(i, k)).collect();
                let known = dot(&row, &information.times(&row));
                covariance.at(i, i).minus(known)
            };
            found.push((0..dim).map(variance).collect());
        }
        found.reverse();
        found
    }

    /// The moments of the states at the time after the last, given the series.
    pub fn ahead(&self, length: usize, value: impl Fn(usize) -> Option<Real<M>>) -> Moments<M> {
        let gains: Gains<M> = self.gains(length, |time| value(time).is_some(), false);
        let mut last = Vec::new();
        let known = |time| value(time).unwrap_or_default();
        self.means(&gains, known, |mean, _| last = mean.to_vec());
        Moments {
            mean: last,
            covariance: gains.last,
        }
    }

    /// The means and variances of values at `count` times from `first` on, of which the states have these moments at `first`.
    pub fn forecast(
        &self,
        first: usize,
        count: usize,
        mut states: Moments<M>,
    ) -> Vec<[Real<M>; 2]> {
        let mut found = Vec::with_capacity(count);
        for time in first..first + count {
            let gain = self.gain(time, &states.covariance);
            let mean = dot(&gain.loadings, &states.mean).real();
            found.push([mean, gain.variance]);
            states.covariance = self.predicted(&states.covariance);
            states.mean = self.system.forward(&states.mean);
        }
        found
    }
}

/// Values from a time on change what is known of the states there: the mean by the covariance times a *score*, and the covariance by minus
/// the covariance times an *information* times the covariance.
impl<M: Mode> Gain<M> {
    /// A number over the variance of the value.
    fn over_variance(&self, x: Coefficient<M>) -> Coefficient<M> {
        x.times(self.inverse_sd).times(self.inverse_sd)
    }

    /// Adds a value to the score of the values after it; `error` is its deviation from what the values before it predict.
    fn add_score(&self, error: Coefficient<M>, score: &mut [Coefficient<M>]) {
        let known = dot(&self.covariance, score);
        let step = self.over_variance(error.minus(known));
        for (r, z) in score.iter_mut().zip(&self.loadings) {
            *r = r.plus(z.times(step));
        }
    }

    /// Adds a value to the information of the values after it.
    fn add_information(&self, information: &mut Symmetric<M>) {
        let z = &self.loadings;
        let b = information.times(&self.covariance).into_iter();
        let b: Vec<Coefficient<M>> = b.map(|x| self.over_variance(x)).collect();
        let both = self.over_variance(Coefficient::ONE.plus(dot(&self.covariance, &b)));
        for i in 0..z.len() {
            for k in 0..=i {
                let cross = z[i].times(b[k]).plus(b[i].times(z[k]));
                let own = z[i].times(z[k]).times(both);
                let entry = information.at(i, k).minus(cross).plus(own);
                information.set(i, k, entry);
            }
        }
    }
}
