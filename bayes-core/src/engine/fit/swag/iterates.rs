//! Moments of the iterates of an optimiser.

use std::collections::VecDeque;

/// The largest relative change that counts as rounding.
const ROUNDING: f64 = 1e-12;

/// Mean and variance of the positions so far, and the last deviations from the mean.
pub(super) struct Iterates {
    pub(super) mean: Vec<f64>,
    /// Sum of the squared deviations from the mean, `[dim]` (Welford 1962).
    squares: Vec<f64>,
    count: usize,
    rank: usize,
    /// The last deviations, each from the mean up to it, `[rank, dim]`.
    pub(super) deviations: VecDeque<Vec<f64>>,
}

impl Iterates {
    pub(super) fn new(dim: usize, rank: usize) -> Self {
        Self {
            mean: vec![0.0; dim],
            squares: vec![0.0; dim],
            count: 0,
            rank,
            deviations: VecDeque::with_capacity(rank),
        }
    }

    pub(super) fn add(&mut self, position: &[f64]) {
        self.count += 1;
        let count = self.count as f64;
        let moments = self.mean.iter_mut().zip(&mut self.squares);
        let mut deviation = Vec::with_capacity(position.len());
        for ((mean, squares), x) in moments.zip(position) {
            let before = x - *mean;
            *mean += before / count;
            *squares += before * (x - *mean);
            deviation.push(x - *mean);
        }
        if self.rank == 0 {
            return;
        }
        if self.deviations.len() == self.rank {
            self.deviations.pop_front();
        }
        self.deviations.push_back(deviation);
    }

    /// `mean x² − x̄²`, `[dim]`.
    pub(super) fn variances(&self) -> Vec<f64> {
        let each = self.squares.iter();
        each.map(|squares| squares / self.count as f64).collect()
    }

    /// The first coordinate that did not move, up to rounding.
    pub(super) fn constant(&self) -> Option<usize> {
        let mut moved = self.variances().into_iter().zip(&self.mean);
        moved.position(|(variance, mean)| variance.sqrt() <= ROUNDING * (1.0 + mean.abs()))
    }
}
