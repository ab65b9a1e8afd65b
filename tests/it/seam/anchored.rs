//! An anchored posterior: a Gaussian around a fitted point replaces the prior.

use bayes::density::{Block, LogDensity, Prior, Quantities};
use bayes::rng::Stream;
use rand_distr::{Distribution as _, StandardNormal};

pub struct Anchored<'a> {
    pub inner: &'a dyn LogDensity,
    pub centre: Vec<f64>,
    pub sd: f64,
}

impl LogDensity for Anchored<'_> {
    fn dim(&self) -> usize {
        self.inner.dim()
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        self.inner.evaluate(block);
        self.anchor(0.0, block);
    }
    fn evaluate_gradient(&self, [prior, likelihood]: [f64; 2], block: &mut Block<'_>) {
        self.inner.evaluate_gradient([0.0, likelihood], block);
        self.anchor(prior, block);
    }
    fn prior(&self) -> Option<&dyn Prior> {
        Some(self)
    }
    fn quantities(&self) -> &dyn Quantities {
        self.inner.quantities()
    }
}

impl Anchored<'_> {
    /// Replaces the log prior by the Gaussian's, and adds `weight` times its gradient.
    fn anchor(&self, weight: f64, block: &mut Block<'_>) {
        let constant = self.sd.ln() + 0.5 * std::f64::consts::TAU.ln();
        for i in 0..block.len() {
            block.log_prior[i] = 0.0;
            for (k, centre) in block.row(i).zip(&self.centre) {
                let z = (block.positions[k] - centre) / self.sd;
                block.log_prior[i] -= 0.5 * z * z + constant;
                block.gradient[k] -= weight * z / self.sd;
            }
        }
    }
}

impl Prior for Anchored<'_> {
    fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
        for (x, centre) in position.iter_mut().zip(&self.centre) {
            let z: f64 = StandardNormal.sample(stream);
            *x = centre + self.sd * z;
        }
    }
}
