//! Log densities and gradients at some positions.

use crate::density::{LogDensity, Particles, Target, hessian_by};
use crate::engine::mover;
use nalgebra::DMatrix;
use std::cell::Cell;

/// A density that is evaluated at lists of positions, in SIMD lanes.
pub(in crate::engine) struct Points<'a> {
    pub(in crate::engine) density: &'a dyn LogDensity,
    /// The maximum number of gradients of the search.
    most: usize,
    /// Gradients computed so far.
    taken: Cell<usize>,
    /// Whether the user stops the search.
    is_stopped: &'a dyn Fn() -> bool,
}

/// The log density and its gradient at a position.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Point {
    pub(in crate::engine) position: Vec<f64>,
    pub(in crate::engine) value: f64,
    pub(in crate::engine) log_prior: f64,
    pub(in crate::engine) log_likelihood: f64,
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
        Self {
            density,
            most: gradients,
            taken: Cell::new(0),
            is_stopped: &|| false,
        }
    }

    /// The same, which is spent once this is true.
    pub(in crate::engine) fn until(self, is_stopped: &'a dyn Fn() -> bool) -> Self {
        Self { is_stopped, ..self }
    }

    /// Gradients that the search has computed.
    pub(in crate::engine) fn taken(&self) -> usize {
        self.taken.get()
    }

    /// Whether the search has used all its gradients, or is stopped.
    pub(in crate::engine) fn is_spent(&self) -> bool {
        self.taken.get() >= self.most || (self.is_stopped)()
    }

    pub(in crate::engine) fn at(&self, positions: Vec<Vec<f64>>) -> Vec<Point> {
        let dim = self.density.dim();
        let mut particles = Particles::new(positions.len(), dim);
        particles.positions = positions.concat();
        self.evaluate(&mut particles);
        let point = |(i, position): (usize, Vec<f64>)| Point {
            position,
            value: particles.log_prior[i] + particles.log_likelihood[i],
            log_prior: particles.log_prior[i],
            log_likelihood: particles.log_likelihood[i],
            gradient: particles.gradient[i * dim..(i + 1) * dim].to_vec(),
        };
        positions.into_iter().enumerate().map(point).collect()
    }

    /// The Hessian at a position, `[dim, dim]`, symmetric, by central differences of `2 dim` gradients; `None` if one of them is not
    /// finite.
    pub(in crate::engine) fn hessian(&self, position: &[f64]) -> Option<DMatrix<f64>> {
        let mut is_finite = false;
        let hessian = hessian_by(position, |moved| {
            self.evaluate(moved);
            let values = moved.log_prior.iter().chain(&moved.log_likelihood);
            is_finite = values.chain(&moved.gradient).all(|x| x.is_finite());
        });
        is_finite.then_some(hessian)
    }

    /// Counts and fills in the gradients.
    fn evaluate(&self, particles: &mut Particles) {
        self.taken.set(self.taken.get() + particles.len());
        mover::evaluate_gradient(particles, Target::posterior(self.density));
    }

    pub(in crate::engine) fn at_one(&self, position: Vec<f64>) -> Point {
        self.at(vec![position]).swap_remove(0)
    }
}
