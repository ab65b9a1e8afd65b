//! Gaussians whose axes are not those of the coordinates.

use bayes::prelude::*;
use bayes::rng::{Key, Purpose};
use rand_distr::{Distribution as _, StandardNormal};

/// A Gaussian whose precision is `rootᵀ root`, but for a wide prior.
#[model]
pub fn gaussian(root: &DMatrix<f64>, zeros: &[f64]) {
    let x = sample(Normal::new(0.0, 100.0).iid(root.ncols()));
    observe(zeros, Normal::new(root * &x, 1.0));
}

/// The root of a precision with these standard deviations along axes in random directions.
pub fn rotated(deviations: &[f64]) -> DMatrix<f64> {
    let dim = deviations.len();
    let mut stream = Key::new(1, Purpose::Validation).item(7).stream();
    let mut normal = |_, _| -> f64 { StandardNormal.sample(&mut stream) };
    let normals = DMatrix::from_fn(dim, dim, &mut normal);
    let axes = normals.qr().q();
    DMatrix::from_fn(dim, dim, |i, k| axes[(k, i)] / deviations[i])
}

/// The root of the precision of an autoregressive series of unit variance.
pub fn series(dim: usize, correlation: f64) -> DMatrix<f64> {
    let sd = (1.0 - correlation * correlation).sqrt();
    DMatrix::from_fn(dim, dim, |i, k| match (i, k) {
        (0, 0) => 1.0,
        _ if i == k => 1.0 / sd,
        _ if i == k + 1 => -correlation / sd,
        _ => 0.0,
    })
}

/// A hundred standard deviations from 0.01 to 1.
pub fn spread() -> Vec<f64> {
    (0..100)
        .map(|i| 10f64.powf(-2.0 * f64::from(i) / 99.0))
        .collect()
}

/// Two narrow and two wide directions among a hundred.
pub fn few() -> Vec<f64> {
    let mut deviations = vec![1.0; 100];
    deviations[..4].copy_from_slice(&[0.03, 0.1, 3.0, 10.0]);
    deviations
}
