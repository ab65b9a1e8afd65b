//! A prior above a bound.

use crate::prior::Prior;
use bayes::dist::{Continuous, Data, DataError, Distribution, ParameterError, Shape};
use bayes::prelude::*;
use bayes::rng::Stream;

/// A prior of a positive parameter, given that the parameter is above a bound; without a bound the prior itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Above {
    prior: Prior,
    bound: Option<f64>,
}

impl Above {
    /// A uniform prior above a bound is a uniform prior, whose coordinates keep its upper end too.
    pub(crate) fn new(prior: Prior, bound: Option<f64>) -> Self {
        match (prior.ends(), bound) {
            (Some([low, high]), Some(bound)) => Self {
                prior: Prior::uniform(low.max(bound), high),
                bound: None,
            },
            _ => Self { prior, bound },
        }
    }
}

impl<M: Mode> Distribution<M> for Above {
    type Value = Real<M>;
    type Domain = Continuous;

    fn name(&self) -> &'static str {
        Distribution::<M>::name(&self.prior)
    }

    fn shape(&self) -> Shape {
        Shape::Scalar
    }

    fn dim(&self) -> usize {
        1
    }

    fn check(&self) -> Result<(), ParameterError> {
        Distribution::<M>::check(&self.prior)
    }

    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let all = self.prior.log_density_of(elements);
        let Some(bound) = self.bound else {
            return all;
        };
        let mut sum = all - self.prior.log_sf(bound) * elements.len() as f64;
        for x in elements {
            sum = Real::select(x.gt(bound), sum, f64::NEG_INFINITY);
        }
        sum
    }

    fn constrain(&self, coordinates: &[Real<M>]) -> (Real<M>, Real<M>) {
        match self.bound {
            None => self.prior.constrain(coordinates),
            Some(bound) => (bound + coordinates[0].exp(), coordinates[0]),
        }
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        match self.bound {
            None => Distribution::<M>::unconstrain(&self.prior, elements),
            Some(bound) => elements.iter().map(|x| (x - bound).ln()).collect(),
        }
    }

    /// By inversion of the distribution function above the bound.
    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let Some(bound) = self.bound else {
            return Distribution::<M>::draw(&self.prior, stream);
        };
        let below = self.prior.cdf(bound);
        let uniform = Uniform::new(0.0, 1.0);
        // rounding may return the bound itself
        loop {
            let share: f64 = Distribution::<M>::draw(&uniform, stream)[0];
            let x = self.prior.quantile(below + share * (1.0 - below));
            if x > bound && x.is_finite() {
                return vec![x];
            }
        }
    }

    fn check_data<T: Data<Continuous> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        Distribution::<M>::check_data(&self.prior, data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bayes::autodiff::{PlainValue, Value};
    use bayes::rng::{Key, Purpose};

    /// Fails where the coordinates reach beyond the upper end.
    #[test]
    fn a_uniform_prior_above_a_bound_keeps_both_ends() {
        for (low, bound) in [(0.0, 2.0), (2.0, 1.0)] {
            let above = Above::new(Prior::uniform(low, 5.0), Some(bound));
            for k in -10..=10 {
                let u = [Real::<Value>::constant(f64::from(k))];
                let (x, _) = above.constrain(&u);
                let density = above.log_density_of(&[x]).plain_value();
                assert!((density + 3.0_f64.ln()).abs() < 1e-12, "{k}: {density}");
            }
        }
    }

    /// The mutations that it detects: no normaliser, a wrong Jacobian, draws of the whole prior.
    #[test]
    fn a_prior_above_a_bound_is_normalised_in_its_coordinate() {
        let prior = Prior::gamma(2.0, 0.1);
        let above = Above::new(prior, Some(1.0));
        const STEP: f64 = 1e-3;
        let (mut total, mut low) = (0.0, 0.0);
        for k in -20_000..8_000 {
            let u = [Real::<Value>::constant(f64::from(k) * STEP)];
            let (x, log_jacobian) = above.constrain(&u);
            let mass = (above.log_density_of(&[x]) + log_jacobian)
                .plain_value()
                .exp()
                * STEP;
            total += mass;
            low += if x.plain_value() < 10.0 { mass } else { 0.0 };
        }
        assert!((total - 1.0).abs() < 1e-6, "{total}");
        let wanted = (prior.cdf(10.0) - prior.cdf(1.0)) / (1.0 - prior.cdf(1.0));
        assert!((low - wanted).abs() < 1e-3, "{low}, {wanted}");
        let mut stream = Key::new(1, Purpose::Initial).stream();
        let draws = (0..4000).map(|_| Distribution::<Value>::draw(&above, &mut stream)[0]);
        let draws: Vec<f64> = draws.collect();
        assert!(draws.iter().all(|x| *x > 1.0));
        let share = draws.iter().filter(|x| **x < 10.0).count() as f64 / 4000.0;
        assert!(
            (share - wanted).abs() < 4.0 * 0.5 / 4000.0_f64.sqrt(),
            "{share}, {wanted}"
        );
        let coordinate = Distribution::<Value>::unconstrain(&above, &[3.0])[0];
        assert!((coordinate - 2.0_f64.ln()).abs() < 1e-15);
    }
}
