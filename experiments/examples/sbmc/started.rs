//! A density whose chains do not start at its prior.

use bayes::density::{Block, LogDensity, Prior, Quantities};

/// A density with draws from `start` instead of its prior.
pub struct Started<'a> {
    pub density: &'a dyn LogDensity,
    pub start: &'a dyn Prior,
}

impl LogDensity for Started<'_> {
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
        Some(self.start)
    }
    fn quantities(&self) -> &dyn Quantities {
        self.density.quantities()
    }
    fn block_size(&self) -> usize {
        self.density.block_size()
    }
}
