//! A model's density on a block of particles, evaluated as by kernels.

use bayes::density::{ArithmeticSettings, Particles, Posterior, Target};
use bayes::prelude::*;
use bayes::run::Counts;
use std::hint::black_box;

/// Default number of particles in a block.
pub const PARTICLES: usize = 32;

/// A model at a few positions.
pub struct Evaluation<'m> {
    posterior: Posterior<'m>,
    /// The particles; positions do not change.
    pub particles: Particles,
    counts: Counts,
}

impl<'m> Evaluation<'m> {
    /// The model at `n` positions of moderate size.
    pub fn new<Mo: Model>(model: &'m Mo, n: usize) -> Self {
        Self::with(model, n, ArithmeticSettings::default())
    }

    /// The same with a choice of the arithmetic.
    pub fn with<Mo: Model>(model: &'m Mo, n: usize, settings: ArithmeticSettings) -> Self {
        let posterior = Posterior::with(model, 1, settings).expect("the model fits its data");
        let dim = posterior.layout().dim;
        let mut particles = Particles::new(n, dim);
        for (k, x) in particles.positions.iter_mut().enumerate() {
            *x = 0.3 * (1.7 * (k / dim) as f64 + 2.3 * (k % dim) as f64 + 0.5).sin();
        }
        Self {
            posterior,
            particles,
            counts: Counts::default(),
        }
    }

    /// Log prior and log likelihood of every particle.
    pub fn values(&mut self) {
        let mut block = self.particles.block();
        Target::posterior(&self.posterior).evaluate(black_box(&mut block), &mut self.counts);
    }

    /// The same with the gradient of their sum.
    pub fn gradients(&mut self) {
        let mut block = self.particles.block();
        let block = black_box(&mut block);
        Target::posterior(&self.posterior).evaluate_gradient(block, &mut self.counts);
    }

    /// Panics unless a hand-written density agrees at every particle; it fills a gradient and returns the log density.
    pub fn check(&mut self, by_hand: &mut dyn FnMut(&[f64], &mut [f64]) -> f64) {
        self.gradients();
        let dim = self.particles.dim;
        let mut gradient = vec![0.0; dim];
        for i in 0..self.particles.len() {
            let log_density = by_hand(self.particles.position(i), &mut gradient);
            let found = self.particles.log_prior[i] + self.particles.log_likelihood[i];
            assert!(
                (found - log_density).abs() < 1e-10 * log_density.abs().max(1.0),
                "log density of particle {i}: {found} by the model, {log_density} by hand"
            );
            for (k, (a, b)) in self.particles.gradient[i * dim..]
                .iter()
                .zip(&gradient)
                .enumerate()
            {
                assert!(
                    (a - b).abs() < 1e-9 * b.abs().max(1.0),
                    "slope {k} of particle {i}: {a} by the model, {b} by hand"
                );
            }
        }
    }
}
