//! A subposterior: some rows of the data, and the prior to the power 1/K.

use bayes::density::{Block, LogDensity, Quantities};

/// The prior to a power: draws of it are not known, so that only chains run on it. For SMC there is `Path::to_prior_power`.
pub struct PriorPower<'a> {
    pub inner: &'a dyn LogDensity,
    pub power: f64,
}

impl LogDensity for PriorPower<'_> {
    fn dim(&self) -> usize {
        self.inner.dim()
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        self.inner.evaluate(block);
        block.log_prior.iter_mut().for_each(|l| *l *= self.power);
    }
    fn evaluate_gradient(&self, [prior, likelihood]: [f64; 2], block: &mut Block<'_>) {
        let weights = [self.power * prior, likelihood];
        self.inner.evaluate_gradient(weights, block);
        block.log_prior.iter_mut().for_each(|l| *l *= self.power);
    }
    fn quantities(&self) -> &dyn Quantities {
        self.inner.quantities()
    }
}
