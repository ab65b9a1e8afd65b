//! The No-U-Turn sampler (Hoffman and Gelman 2014; Betancourt 2017).

use super::Adjustable;
use super::hmc::Hmc;
use super::macro_step::Halving;
use super::metric::Mass;
use super::no_u_turn::{NoUTurn, Settings};
use crate::error::Error;

/// The No-U-Turn sampler: trajectories end when they begin to turn back.
///
/// The trajectory is doubled, forward or backward in time with equal probability, until it stops. It stops at a U-turn of the whole or of
/// a balanced part, at a divergence, or at the maximum depth. U-turns follow the generalised criterion with Stan's checks across subtrees
/// (Betancourt 2017). The next state is drawn from the whole trajectory by multinomial sampling with weights `exp(H_start - H)`, biased
/// towards the newer half at every doubling.
///
/// For chains only. Trajectories differ in length, so each chain of a block continues to its next transition independently; the particles
/// of an SMC sampler would wait for the longest trajectory.
#[derive(Clone, Debug)]
pub struct Nuts {
    step_size: Option<f64>,
    target_acceptance: f64,
    max_depth: u32,
    mass: Mass,
}

impl Default for Nuts {
    fn default() -> Self {
        Self::new()
    }
}

impl Nuts {
    /// The defaults of Stan: mass from the variances of the burn-in, step size tuned to a mean acceptance of 0.8, at most 10 doublings.
    ///
    /// Where a posterior is wide and has a narrow place, more than 0.3 of the trajectories have a state with an energy error above 3, that is
    /// hardly ever selected, although the mean acceptance is as wanted. From then on chains count such trajectories as rejected when they
    /// tune the step size, so that it suits the narrow place. Jumps of the density, as by `Real::select` on a random value, count neither for
    /// this nor in the mean acceptance: no step size changes them.
    ///
    /// [`Mass::LowRank`] takes a fraction of the gradients where quantities are correlated.
    #[must_use]
    pub fn new() -> Self {
        Self {
            step_size: None,
            target_acceptance: 0.8,
            max_depth: 10,
            mass: Mass::Variance,
        }
    }

    setters! {
        /// A fixed step size instead of a tuned one.
        step_size(step_size: f64) => Some(step_size);

        /// The target of the mean acceptance probability over all states of a trajectory; Stan's `adapt_delta`.
        target_acceptance(probability: f64) => probability;

        /// The maximum tree depth, from 1 to 20; Stan's `max_treedepth`.
        max_depth(doublings: u32) => doublings;

        /// The mass matrix: [`Mass::Variance`] is Stan's `diag_e`, [`Mass::Covariance`] its `dense_e`.
        mass(mass: Mass) => mass;
    }
}

impl NoUTurn for Nuts {
    const NAME: &'static str = "nuts";

    fn settings(&self) -> Settings<'_> {
        Settings {
            step_size: self.step_size,
            target_acceptance: self.target_acceptance,
            max_depth: self.max_depth,
            mass: &self.mass,
        }
    }

    fn adjustable(&mut self) -> Adjustable<'_> {
        Adjustable {
            target_acceptance: Some(&mut self.target_acceptance),
            mass: Some(&mut self.mass),
            max_depth: Some(&mut self.max_depth),
        }
    }

    /// Its steps are not divided.
    fn halving(&self) -> Halving {
        Halving::default()
    }

    /// One leapfrog step, as in Stan's search for an initial step size.
    fn single_step(&self) -> Hmc {
        Hmc::new().leapfrog_steps(1).jitter(0.0)
    }

    fn validate_halving(&self) -> Result<(), Error> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // a run keeps this text, and the warning about divergences reads it
    #[test]
    fn the_settings_of_a_run_name_the_target_acceptance() {
        assert_eq!(
            format!("{:?}", Nuts::new().target_acceptance(0.95)),
            "Nuts { step_size: None, target_acceptance: 0.95, max_depth: 10, mass: Variance }"
        );
    }
}
