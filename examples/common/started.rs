//! A density whose chains start elsewhere than at its prior.

#![allow(dead_code, reason = "no example uses all of it")]

use bayes::density::{Block, LogDensity, Prior, Quantities};
use bayes::rng::Stream;

/// A density with draws from `start` in the place of its prior's.
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

/// A prior of a single position, `[dim]`.
pub struct At<'a>(pub &'a [f64]);

impl Prior for At<'_> {
    fn draw(&self, _: &mut Stream, position: &mut [f64]) {
        position.copy_from_slice(self.0);
    }
}
