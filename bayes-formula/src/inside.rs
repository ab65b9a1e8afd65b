//! Priors within bounds.

use crate::prior::{Each, Prior};
use bayes::dist::{Continuous, Data, DataError, Distribution, ParameterError, Shape};
use bayes::prelude::*;
use bayes::rng::Stream;

/// A vector whose elements each have their own prior, given that all lie between two ends; without ends the priors themselves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inside<'a> {
    priors: &'a [Prior],
    ends: Option<[f64; 2]>,
}

impl<'a> Inside<'a> {
    pub(crate) fn new(priors: &'a [Prior], ends: Option<[f64; 2]>) -> Self {
        Self { priors, ends }
    }

    fn each(&self) -> Each<'a> {
        Each(self.priors)
    }
}

/// The probability of a prior between two ends.
pub(crate) fn mass(prior: Prior, [low, high]: [f64; 2]) -> f64 {
    prior.cdf(high) - prior.cdf(low)
}

/// The ends within which a prior has its values: its own, where they are narrower.
fn narrowed(prior: Prior, [low, high]: [f64; 2]) -> [f64; 2] {
    let [own_low, own_high] = match prior.ends() {
        Some(ends) => ends,
        None if prior.is_share() => [0.0, 1.0],
        None if prior.is_positive() => [0.0, high],
        None => [low, high],
    };
    [low.max(own_low), high.min(own_high)]
}

impl<M: Mode> Distribution<M> for Inside<'_> {
    type Value = Vector<M>;
    type Domain = Continuous;

    fn name(&self) -> &'static str {
        "Inside"
    }

    fn shape(&self) -> Shape {
        Distribution::<M>::shape(&self.each())
    }

    fn dim(&self) -> usize {
        self.priors.len()
    }

    fn check(&self) -> Result<(), ParameterError> {
        Distribution::<M>::check(&self.each())
    }

    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let mut sum = self.each().log_density_of(elements);
        let Some(ends) = self.ends else {
            return sum;
        };
        for (prior, x) in self.priors.iter().cycle().zip(elements) {
            sum -= mass(*prior, ends).ln();
            let [low, high] = narrowed(*prior, ends);
            sum = Real::select(x.gt(low), sum, f64::NEG_INFINITY);
            sum = Real::select(x.gt(high), f64::NEG_INFINITY, sum);
        }
        sum
    }

    fn constrain(&self, coordinates: &[Real<M>]) -> (Vector<M>, Real<M>) {
        let Some(ends) = self.ends else {
            return self.each().constrain(coordinates);
        };
        let mut log_jacobian = Real::constant(0.0);
        let value = Vector::from_fn(self.priors.len(), |k| {
            let [low, high] = narrowed(self.priors[k], ends);
            let uniform = Uniform::new(low, high);
            let (value, jacobian) = Distribution::<M>::constrain(&uniform, &coordinates[k..=k]);
            log_jacobian += jacobian;
            value
        });
        (value, log_jacobian)
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        let Some(ends) = self.ends else {
            return Distribution::<M>::unconstrain(&self.each(), elements);
        };
        let one = |(prior, x): (&Prior, &f64)| {
            let [low, high] = narrowed(*prior, ends);
            Distribution::<M>::unconstrain(&Uniform::new(low, high), &[*x])
        };
        self.priors.iter().zip(elements).flat_map(one).collect()
    }

    /// By inversion of the distribution function between the ends.
    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let Some(ends) = self.ends else {
            return Distribution::<M>::draw(&self.each(), stream);
        };
        let mut one = |prior: &Prior| {
            let [low, high] = narrowed(*prior, ends);
            // rounding may return an end itself
            loop {
                let share: f64 = Distribution::<M>::draw(&Uniform::new(0.0, 1.0), stream)[0];
                let x = prior.quantile(prior.cdf(low) + share * mass(*prior, [low, high]));
                if x > low && x < high {
                    return x;
                }
            }
        };
        self.priors.iter().map(&mut one).collect()
    }

    fn check_data<T: Data<Continuous> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        Distribution::<M>::check_data(&self.each(), data)
    }
}
