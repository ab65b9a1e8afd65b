//! The No-U-Turn sampler (Hoffman and Gelman 2014; Betancourt 2017).

use super::hmc::Hmc;
use super::lockstep::Lockstep;
use super::macro_step::Halving;
use super::metric::{Mass, Metric, validate_mass};
use super::{
    ChainBlock, Kernel, Moments, Population, Target, Tuning, Visit, Workspace, require_continuous,
    validate_step_size, validate_target_acceptance,
};
use crate::density::{Block, LogDensity};
use crate::error::Error;
use crate::rng::Stream;

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

/// The largest allowed maximum depth: a million leapfrog steps.
const DEEPEST: u32 = 20;

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

impl Kernel for Nuts {
    fn name(&self) -> &'static str {
        "nuts"
    }

    fn needs_gradient(&self) -> bool {
        true
    }

    fn moves_together(&self) -> bool {
        false
    }

    fn max_depth(&self) -> Option<u32> {
        Some(self.max_depth)
    }

    fn target_acceptance(&self) -> Option<f64> {
        self.step_size.is_none().then_some(self.target_acceptance)
    }

    /// One leapfrog step, as in Stan's search for an initial step size.
    fn pilot(&self) -> Option<Box<dyn Kernel>> {
        let hmc = Hmc::new().leapfrog_steps(1).jitter(0.0);
        Some(Box::new(hmc.target_acceptance(self.target_acceptance)))
    }

    fn validate(&self, density: &dyn LogDensity) -> Result<(), Error> {
        require_continuous(self.name(), density)?;
        validate_step_size(self.step_size)?;
        validate_target_acceptance(self.target_acceptance)?;
        validate_max_depth(self.max_depth)?;
        validate_mass(&self.mass, density.dim())
    }

    fn init(&self, density: &dyn LogDensity) -> Result<Tuning, Error> {
        let mut tuning = Hmc::new().mass(self.mass.clone()).init(density)?;
        if let Some(step_size) = self.step_size {
            tuning.step_size = step_size;
        }
        Ok(tuning)
    }

    fn fits_gradients(&self) -> bool {
        self.mass.fits_gradients()
    }

    fn fit(&self, tuning: &mut Tuning, population: Population<'_>) {
        fit(&self.mass, tuning, population);
    }

    fn restore(&self, tuning: &mut Tuning) -> Result<(), Error> {
        tuning.restore::<Metric>()
    }

    fn step(
        &self,
        tuning: &Tuning,
        target: Target<'_>,
        block: &mut Block<'_>,
        streams: &mut [Stream],
        workspace: &mut Workspace,
    ) {
        let step_size = tuning.step_size;
        let chains = ChainBlock {
            block,
            streams,
            workspace,
        };
        self.transitions(tuning, target, chains, 1, &mut |_| step_size);
    }

    fn transitions(
        &self,
        tuning: &Tuning,
        target: Target<'_>,
        chains: ChainBlock<'_, '_>,
        count: usize,
        visit: &mut dyn FnMut(Visit<'_>) -> f64,
    ) {
        if count == 0 {
            return;
        }
        let halving = Halving::default();
        Lockstep::new(tuning, target, chains, (self.max_depth, halving)).run(count, visit);
    }
}

/// Fits the mass of chains to the states of their burn-in.
pub(super) fn fit(mass: &Mass, tuning: &mut Tuning, population: Population<'_>) {
    let metric = tuning.shape_mut::<Metric>();
    if *mass != Mass::Variance {
        return metric.fit(mass, population);
    }
    let positions = population.positions;
    let dim = metric.variance.len();
    let moments = Moments::of(positions, dim);
    *metric = Metric::diagonal(moments.log_shrunk_variance(positions.len() / dim));
}

/// Checks a maximum tree depth.
pub(super) fn validate_max_depth(depth: u32) -> Result<(), Error> {
    let holds = (1..=DEEPEST).contains(&depth);
    Error::setting("max_depth", depth, holds, "from 1 to 20")
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
