//! Log densities and gradients at some positions.

use crate::density::{LogDensity, Particles, Target};
use crate::engine::mover;
use std::cell::Cell;

/// A density that is evaluated at lists of positions, in SIMD lanes.
pub(in crate::engine) struct Points<'a> {
    pub(in crate::engine) density: &'a dyn LogDensity,
    /// Gradients that the search may still take.
    left: Cell<usize>,
}

/// The log density and its gradient at a position.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Point {
    pub(in crate::engine) position: Vec<f64>,
    pub(in crate::engine) value: f64,
    pub(in crate::engine) gradient: Vec<f64>,
}

impl Point {
    pub(in crate::engine) fn is_finite(&self) -> bool {
        self.value.is_finite() && self.gradient.iter().all(|slope| slope.is_finite())
    }
}

impl<'a> Points<'a> {
    /// The density, for a search that takes at most `gradients`.
    pub(in crate::engine) fn of(density: &'a dyn LogDensity, gradients: usize) -> Self {
        let left = Cell::new(gradients);
        Self { density, left }
    }

    /// Gradients that the search may still take.
    pub(in crate::engine) fn left(&self) -> usize {
        self.left.get()
    }

    /// Whether the search has taken all gradients that it may.
    pub(in crate::engine) fn is_spent(&self) -> bool {
        self.left.get() == 0
    }

    pub(in crate::engine) fn at(&self, positions: Vec<Vec<f64>>) -> Vec<Point> {
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

    pub(in crate::engine) fn at_one(&self, position: Vec<f64>) -> Point {
        self.at(vec![position]).swap_remove(0)
    }
}
