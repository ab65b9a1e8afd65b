//! A density whose chains start at a given position, as MAP-HMC's do at the mode.

use bayes::density::{Block, LogDensity, Prior, Quantities};
use bayes::rng::Stream;

/// In place of prior draws there is one position.
pub struct StartAt<'a> {
    pub density: &'a dyn LogDensity,
    pub position: &'a [f64],
}

impl LogDensity for StartAt<'_> {
    fn dim(&self) -> usize {
        self.density.dim()
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        self.density.evaluate(block);
    }
    fn evaluate_gradient(&self, weights: [f64; 2], block: &mut Block<'_>) {
        self.density.evaluate_gradient(weights, block);
    }
    fn prior(&self) -> Option<&dyn Prior> {
        Some(self)
    }
    fn quantities(&self) -> &dyn Quantities {
        self.density.quantities()
    }
    fn block_size(&self) -> usize {
        self.density.block_size()
    }
}

impl Prior for StartAt<'_> {
    fn draw(&self, _: &mut Stream, position: &mut [f64]) {
        position.copy_from_slice(self.position);
    }
}
