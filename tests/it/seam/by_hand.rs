//! A density without a model: a simulator, or a log density from another library.

use bayes::density::{Block, LogDensity, Prior};
use bayes::rng::Stream;
use rand_distr::{Distribution as _, StandardNormal};

/// A standard normal prior in two dimensions, and the likelihood of an observed sum of 3 with noise of sd 0.5.
pub struct Sum;

impl LogDensity for Sum {
    fn dim(&self) -> usize {
        2
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        block.fill(|x| densities(x, [0.0; 2], &mut [0.0; 2]));
    }
    fn evaluate_gradient(&self, weights: [f64; 2], block: &mut Block<'_>) {
        block.fill_gradient(|x, gradient| densities(x, weights, gradient));
    }
    fn prior(&self) -> Option<&dyn Prior> {
        Some(self)
    }
}

impl Prior for Sum {
    fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
        position
            .iter_mut()
            .for_each(|x| *x = StandardNormal.sample(stream));
    }
}

fn densities(x: &[f64], weights: [f64; 2], gradient: &mut [f64]) -> [f64; 2] {
    let z = (x[0] + x[1] - 3.0) / 0.5;
    for k in 0..2 {
        gradient[k] = -weights[0] * x[k] - weights[1] * z / 0.5;
    }
    let log_tau = std::f64::consts::TAU.ln();
    let prior = -0.5 * (x[0] * x[0] + x[1] * x[1]) - log_tau;
    [prior, -0.5 * z * z - 0.5f64.ln() - 0.5 * log_tau]
}
