//! Checks that Markov chains stay at the posterior given the params: they start there, and are compared with new draws at the end.

use super::population::Population;
use super::training::{Outcome, Trainer};
use crate::density::{AtParams, Counts, LogDensity, Particles};
use crate::engine::Inference;
use crate::error::Error;
use crate::rng::{Key, Purpose};
use rand::RngExt;

/// If chains and new draws differ by more standard errors than this, the chains did not follow.
const MOST_ERRORS: f64 = 5.0;

/// The time when posterior draws are made, which chooses their random streams.
#[derive(Clone, Copy)]
pub(super) enum When {
    /// Before the first step.
    First,
    /// At the kept params.
    Last,
}

impl Trainer<'_> {
    /// Draws of the posterior of all training rows given the params, one per particle, by tempering from the prior.
    ///
    /// Chains that started at prior draws could stay there for ever: where the prior is a thousand times wider than the posterior, step
    /// sizes that suit the posterior do not bring back the far draws.
    pub(super) fn posterior_draws(
        &self,
        at: &AtParams<'_>,
        when: When,
    ) -> Result<(Population, Counts), Error> {
        let particles = self.settings.particles;
        let key = Key::new(self.seed, Purpose::Initial);
        let key = key.group(0).stage(1 + when as u32);
        let run = Inference::psmc()
            .islands(1)
            .particles(particles)
            .posterior_states(1)
            .seed(key.stream().random())
            .progress(false)
            .run_on(at)?;
        let mut drawn = Particles::new(particles, at.dim());
        let mut counts = Counts::default();
        for group in run.groups {
            drawn.positions.copy_from_slice(&group.positions);
            drawn.log_prior.copy_from_slice(&group.log_prior);
            drawn.log_likelihood.copy_from_slice(&group.log_likelihood);
            counts.merge(&group.counts);
        }
        Ok((Population::new(drawn), counts))
    }

    /// Compares the kept particles with new draws of the posterior given the kept params, by the means that the learning depends on: the
    /// log likelihood, and the derivatives with respect to the params. A warning if they differ.
    pub(super) fn lag(&self, outcome: &mut Outcome) -> Result<Option<String>, Error> {
        let at = self.at(self.data.all, &outcome.params);
        let (mut fresh, counts) = self.posterior_draws(&at, When::Last)?;
        let at = self.at(self.data.apart, &outcome.params);
        outcome.counts.merge(&counts);
        let params = outcome.params.len();
        let mut table = |population: &mut Population| {
            let particles = &mut population.particles;
            let slopes = at.param_gradients([1.0, 1.0], particles, &mut outcome.counts);
            (particles.log_likelihood.clone(), slopes)
        };
        let (kept, wanted) = (table(&mut outcome.population.clone()), table(&mut fresh));
        let column = |slopes: &[f64], k: usize| -> Vec<f64> {
            slopes.iter().skip(k).step_by(params).copied().collect()
        };
        let of_likelihood = differ("log likelihood", &kept.0, &wanted.0);
        let of_slope = |k: usize| {
            let what = format!("derivative with respect to coordinate {k} of the params");
            differ(&what, &column(&kept.1, k), &column(&wanted.1, k))
        };
        let particles = &outcome.population.particles;
        let remembers = stayed(&outcome.first, &particles.positions, at.dim());
        let of_slopes = || (0..params).find_map(of_slope);
        Ok(remembers.or(of_likelihood).or_else(of_slopes))
    }
}

/// A warning if chains remember their starts: if their last positions are correlated with their first. Chains that never move would
/// otherwise pass, because they hold the params near the values at which the chains were drawn.
fn stayed(first: &[f64], last: &[f64], dim: usize) -> Option<String> {
    let n = first.len() / dim;
    let deviations = |all: &[f64], k: usize| -> Vec<f64> {
        let values: Vec<f64> = all.iter().skip(k).step_by(dim).copied().collect();
        let mean = values.iter().sum::<f64>() / n as f64;
        values.iter().map(|x| x - mean).collect()
    };
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let correlation = |k: usize| {
        let (a, b) = (deviations(first, k), deviations(last, k));
        product(&a, &b) / (product(&a, &a) * product(&b, &b)).sqrt()
    };
    let coordinates = if first.is_empty() { 0 } else { dim };
    let highest = (0..coordinates).map(correlation).fold(0.0, f64::max);
    // chains that forgot their starts have a correlation of 0 ± 1 / √n
    (highest * (n as f64).sqrt() > MOST_ERRORS).then(|| {
        format!(
            "the chains remember where they started: the correlation of their last states with their first is {highest:.2} in the worst \
             coordinate, so that they did not follow the params, which need not be at the maximum; take more moves or another kernel with \
             `.kernel(Hmc::new(), 5)`, or more epochs"
        )
    })
}

/// A warning if the means of `kept` and `wanted` differ. The error of the new draws serves for both, because chains that lag behind have
/// a far too large variance.
fn differ(what: &str, kept: &[f64], wanted: &[f64]) -> Option<String> {
    let n = wanted.len() as f64;
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (found, right) = (mean(kept), mean(wanted));
    let variance = wanted.iter().map(|x| (x - right).powi(2)).sum::<f64>() / (n - 1.0);
    let error = (2.0 * variance / n).sqrt();
    let rounding = 1e-9 * right.abs();
    // a difference that is NaN counts as a difference
    let is_small = (found - right).abs() <= MOST_ERRORS * error + rounding;
    (!is_small).then(|| {
        format!(
            "the chains did not follow the params: the mean {what} is {found:.4} at their states, and {right:.4} at new draws of the \
             posterior given the params (standard error of the difference {error:.2}), so that the params need not be at the maximum; \
             learn more slowly, or with `Inference::sgsmc()`, whose particles start from the prior in every step"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Effects, data};
    use crate::engine::MarginalLikelihood;
    use crate::kernel::RandomWalk;
    use crate::optimise::{Adam, LearningRate};

    /// The chains of the second engine stay at their starts and hold the params back. Seen to detect: a comparison of means alone.
    #[test]
    fn chains_that_do_not_follow_the_params_are_reported() {
        let effects = Effects::simulated(6, 4, 8);
        let engine = || {
            let rate = LearningRate::cosine(0.1, 0.001);
            let engine = MarginalLikelihood::expectation().epochs(60);
            engine.optimiser(Adam::new(rate)).seed(3)
        };
        let follows = engine().learn(&data(&effects, 24)).unwrap();
        assert_eq!(follows.warning, None);
        let walk = RandomWalk::new().step_size(1e-6);
        let stays = engine().kernel(walk, 1).learn(&data(&effects, 24)).unwrap();
        let warning = stays.warning.as_deref().unwrap();
        assert!(warning.starts_with("the chains remember where they started: "));
        assert!(stays.to_string().ends_with(warning), "{stays}");
    }

    /// The error by hand: the values 1 to 4 have a variance of 5/3.
    #[test]
    fn means_differ_by_more_than_five_standard_errors() {
        let wanted = [1.0, 2.0, 3.0, 4.0];
        let most = 5.0 * (2.0f64 * 5.0 / 3.0 / 4.0).sqrt();
        let moved = |by: f64| wanted.map(|x| x + by);
        assert_eq!(super::differ("x", &moved(0.99 * most), &wanted), None);
        assert!(super::differ("x", &moved(1.01 * most), &wanted).is_some());
        assert!(super::differ("x", &moved(-1.01 * most), &wanted).is_some());
        // a chain far away does not hide behind its own variance
        let far = [1.0, 2.0, 3.0, 400.0];
        assert!(super::differ("x", &far, &wanted).is_some());
        assert!(super::differ("x", &moved(f64::NAN), &wanted).is_some());
    }
}
