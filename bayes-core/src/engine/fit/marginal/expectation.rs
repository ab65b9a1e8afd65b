//! Particles that need no reweighting: states of Markov chains at the posterior, and draws of the prior.

use super::training::{Estimate, State, Trainer};
use crate::engine::fit::map::Reader;
use crate::error::Error;

impl Trainer<'_> {
    /// Monte Carlo EM: the particles follow the posterior of all training rows while the params move.
    pub(super) fn expect(
        &self,
        state: &mut State,
        batch: &[usize],
        reader: &mut dyn Reader,
    ) -> Result<Estimate, Error> {
        let step = state.steps();
        if step.is_multiple_of(self.settings.maximisation_steps as u64) {
            self.advance(state, None, 0, reader)?;
        }
        self.mean_over_equals(state, batch, reader)
    }

    /// Plain Monte Carlo: draws from the prior, regardless of the data.
    pub(super) fn average_over_prior(
        &self,
        state: &mut State,
        batch: &[usize],
        reader: &mut dyn Reader,
    ) -> Result<Estimate, Error> {
        let at = self.at(self.data.all, &state.params);
        state.population = self.prior_draws(&at, state.steps());
        drop(at);
        self.mean_over_equals(state, batch, reader)
    }

    /// The means of the log likelihood and of its gradient over particles of equal weight.
    fn mean_over_equals(
        &self,
        state: &mut State,
        batch: &[usize],
        reader: &mut dyn Reader,
    ) -> Result<Estimate, Error> {
        let mut log_likelihood = 0.0;
        let gradient = self.mean_gradient(state, batch, reader, &mut |population| {
            log_likelihood = population.mean_log_likelihood();
            population.weights()
        })?;
        Ok(Estimate {
            log_likelihood,
            gradient,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Effects, data, mean};
    use super::super::training::Trainer;
    use crate::density::Quantities;
    use crate::engine::MarginalLikelihood;
    use crate::engine::fit::map::Batches;
    use crate::observe::Observers;
    use crate::optimise::{Adam, LearningRate};

    /// Seen to detect: particles that are not moved, and `maximisation_steps` that skips all moves but the first.
    #[test]
    fn monte_carlo_em_finds_the_variance_of_random_effects() {
        let effects = Effects::simulated(6, 4, 8);
        let wanted = effects.maximum();
        for (steps, minibatch) in [(1, 24), (4, 6)] {
            let engine = MarginalLikelihood::expectation()
                .particles(200)
                .epochs(80)
                .maximisation_steps(steps)
                .seed(1)
                .optimiser(Adam::new(LearningRate::cosine(0.1, 0.001)));
            let learnt = engine.learn(&data(&effects, minibatch)).unwrap();
            let value = |name| learnt.fit.value(name).unwrap()[0];
            let found = [value("shift"), value("log_scale")];
            // with 200 chains the gradient divided by the curvature has an error of 0.03, and the last steps average over ten; the other
            // minibatches of an epoch cancel the effect of a minibatch of 6 rows
            for (found, wanted) in found.iter().zip(wanted) {
                assert!((found - wanted).abs() < 0.05, "{found:?}, {wanted}");
            }
        }
    }

    /// The prior mean of the log likelihood is its value at the mean of z, minus `τ²/2` for every row. Seen to detect: weights by the
    /// likelihood.
    #[test]
    fn the_gradient_of_the_expected_likelihood_is_that_of_the_closed_form() {
        let effects = Effects::simulated(3, 4, 5);
        let params: [f64; 2] = [0.1, 0.2];
        let engine = MarginalLikelihood::prior_draws().particles(256);
        let (data, rows) = (data(&effects, 12), Vec::from_iter(0..12));
        let is_param = effects.describe().unwrap().params;
        let estimate = |seed| {
            let trainer = Trainer {
                settings: &engine.runner.own.settings,
                data: &data,
                seed,
                is_param: &is_param,
                observer: &Observers::default(),
            };
            let mut state = trainer.start(params.to_vec()).unwrap();
            let mut reader = effects.reader().unwrap();
            trainer
                .average_over_prior(&mut state, &rows, &mut *reader)
                .unwrap()
        };
        let found: Vec<_> = (0..60).map(estimate).collect();
        let sums = effects.sums(params[0]);
        let residuals: f64 = sums.iter().map(|[_, sum, _]| sum).sum();
        let wanted = [residuals, -12.0 * (2.0 * params[1]).exp()];
        for (k, wanted) in wanted.into_iter().enumerate() {
            let (slope, error) = mean(found.iter().map(|e| e.gradient[k]));
            assert!(
                (slope - wanted).abs() < 4.0 * error && error < 0.3,
                "{slope} ± {error}, {wanted}"
            );
        }
    }
}
