//! HMC as in the papers' tables.

use bayes::Error;
use bayes::density::{Block, LogDensity, Target};
use bayes::kernel::{Hmc, Kernel, Population, Tuning, Workspace};
use bayes::rng::Stream;

/// Trajectories of `⌊τ / ε⌋` leapfrog steps of size ε, at least one and at most a hundred.
///
/// In the library no step is longer than τ. In the papers steps must be longer: with tau = 0.005 their 900 moves take 902.55
/// gradients, one leapfrog step each, and their SMC has the epochs and the scores of its rows with one leapfrog step.
#[derive(Clone, Debug)]
pub struct AtLeastOneStep {
    pub time: f64,
    /// All settings except the number of leapfrog steps.
    pub hmc: Hmc,
}

/// The largest number of leapfrog steps of a trajectory, as in the authors' code.
const MOST: usize = 100;

impl AtLeastOneStep {
    fn at(&self, step_size: f64) -> Hmc {
        let steps = (self.time / step_size) as usize;
        self.hmc.clone().leapfrog_steps(steps.clamp(1, MOST))
    }
}

impl Kernel for AtLeastOneStep {
    fn name(&self) -> &'static str {
        self.hmc.name()
    }
    fn needs_gradient(&self) -> bool {
        true
    }
    fn target_acceptance(&self) -> Option<f64> {
        Kernel::target_acceptance(&self.hmc)
    }
    fn trajectory_steps(&self, tuning: &Tuning) -> usize {
        self.at(tuning.step_size).trajectory_steps(tuning)
    }
    fn validate(&self, density: &dyn LogDensity) -> Result<(), Error> {
        self.hmc.validate(density)
    }
    fn init(&self, density: &dyn LogDensity) -> Result<Tuning, Error> {
        self.hmc.init(density)
    }
    fn fit(&self, tuning: &mut Tuning, population: Population<'_>) {
        self.hmc.fit(tuning, population);
    }
    fn restore(&self, tuning: &mut Tuning) -> Result<(), Error> {
        self.hmc.restore(tuning)
    }
    fn step(
        &self,
        tuning: &Tuning,
        target: Target<'_>,
        block: &mut Block<'_>,
        streams: &mut [Stream],
        workspace: &mut Workspace,
    ) {
        let hmc = self.at(tuning.step_size);
        hmc.step(tuning, target, block, streams, workspace);
    }
}
