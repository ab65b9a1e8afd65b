//! The model of the sparse regression, and densities in closed form.

use bayes::density::{Block, LogDensity};
use bayes::prelude::*;

/// A sparse logistic regression: each coefficient is the product of a normal, a scale of its own and a common one (inference-gym).
#[model]
pub fn sparse_logistic(x: &DMatrix<f64>, bad: &[bool]) {
    let common = sample(Gamma::new(0.5, 0.5));
    let scales = sample(Gamma::new(0.5, 0.5).iid(x.ncols()));
    let normals = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    let beta = common * (&scales * &normals);
    observe(bad, BernoulliLogit::new(x * &beta));
}

/// A log density that also fills its gradient.
pub type Value = fn(&[f64], &mut [f64]) -> f64;

/// A log density in closed form.
pub struct Closed {
    pub dim: usize,
    pub value: Value,
}

impl LogDensity for Closed {
    fn dim(&self) -> usize {
        self.dim
    }

    fn evaluate(&self, block: &mut Block<'_>) {
        let mut unused = vec![0.0; self.dim];
        block.fill(|x| [0.0, (self.value)(x, &mut unused)]);
    }

    fn evaluate_gradient(&self, weights: [f64; 2], block: &mut Block<'_>) {
        block.fill_gradient(|x, gradient| {
            let value = (self.value)(x, gradient);
            gradient.iter_mut().for_each(|slope| *slope *= weights[1]);
            [0.0, value]
        });
    }
}

/// The variance of coordinate k of [`gaussian`]: a hundred from 0.1 to 10, at equal distances of their logarithms.
pub fn spread(k: usize) -> f64 {
    10f64.powf(-1.0 + 2.0 * k as f64 / 99.0)
}

/// Independent normals of these variances.
pub fn gaussian(x: &[f64], gradient: &mut [f64]) -> f64 {
    let mut value = 0.0;
    for (k, (x, slope)) in x.iter().zip(gradient).enumerate() {
        *slope = -x / spread(k);
        value += 0.5 * x * *slope;
    }
    value
}

/// `x ~ N(0, 100)`, `y ~ N(0.03 (x² − 100), 1)`.
pub fn banana(x: &[f64], gradient: &mut [f64]) -> f64 {
    let across = x[1] - 0.03 * (x[0] * x[0] - 100.0);
    gradient[0] = -0.01 * x[0] + 0.06 * x[0] * across;
    gradient[1] = -across;
    -0.005 * x[0] * x[0] - 0.5 * across * across
}

/// Eighteen pairs `x ~ N(1, 1)`, `y ~ N(x², 0.1)`: first all x, then all y.
pub fn rosenbrock(x: &[f64], gradient: &mut [f64]) -> f64 {
    let (x, y) = x.split_at(18);
    let (of_x, of_y) = gradient.split_at_mut(18);
    let mut value = 0.0;
    for k in 0..18 {
        let across = y[k] - x[k] * x[k];
        of_x[k] = 1.0 - x[k] + 20.0 * x[k] * across;
        of_y[k] = -10.0 * across;
        value -= 0.5 * (x[k] - 1.0).powi(2) + 5.0 * across * across;
    }
    value
}

/// Neal's funnel: `v ~ N(0, 9)` and nineteen `x ~ N(0, exp(v))`; v is the last.
pub fn funnel(x: &[f64], gradient: &mut [f64]) -> f64 {
    let (v, precision) = (x[19], (-x[19]).exp());
    let squares: f64 = x[..19].iter().map(|x| x * x).sum();
    for k in 0..19 {
        gradient[k] = -x[k] * precision;
    }
    gradient[19] = -v / 9.0 - 9.5 + 0.5 * precision * squares;
    -v * v / 18.0 - 9.5 * v - 0.5 * precision * squares
}
