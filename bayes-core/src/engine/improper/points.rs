//! Log densities and gradients at some positions.

use crate::density::{LogDensity, Particles, Target};
use crate::engine::mover;
use std::cell::Cell;

/// The most gradients of a search, less than a tenth of those of a default run.
const GRADIENTS: usize = 30_000;

/// A density that is evaluated at lists of positions, in SIMD lanes.
pub(super) struct Points<'a> {
    pub(super) density: &'a dyn LogDensity,
    /// Gradients that the search may still take.
    left: Cell<usize>,
}

/// The log density and its gradient at a position.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) position: Vec<f64>,
    pub(super) value: f64,
    pub(super) gradient: Vec<f64>,
}

impl Point {
    pub(super) fn is_finite(&self) -> bool {
        self.value.is_finite() && self.gradient.iter().all(|slope| slope.is_finite())
    }
}

impl<'a> Points<'a> {
    pub(super) fn of(density: &'a dyn LogDensity) -> Self {
        let left = Cell::new(GRADIENTS);
        Self { density, left }
    }

    /// Whether the search has taken all gradients that it may.
    pub(super) fn is_spent(&self) -> bool {
        self.left.get() == 0
    }

    pub(super) fn at(&self, positions: Vec<Vec<f64>>) -> Vec<Point> {
        self.left
            .set(self.left.get().saturating_sub(positions.len()));
        let dim = self.density.dim();
        let mut particles = Particles::new(positions.len(), dim);
        particles.positions = positions.concat();
        mover::evaluate_gradient(&mut particles, Target::posterior(self.density));
        let point = |(i, position): (usize, Vec<f64>)| Point {
            position,
            value: particles.log_prior[i] + particles.log_likelihood[i],
            gradient: particles.gradient[i * dim..(i + 1) * dim].to_vec(),
        };
        positions.into_iter().enumerate().map(point).collect()
    }

    pub(super) fn at_one(&self, position: Vec<f64>) -> Point {
        self.at(vec![position]).swap_remove(0)
    }
}
