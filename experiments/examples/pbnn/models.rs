//! The models: a network with a posterior of one layer, for numbers and for classes.

use bayes::nn::Partial;
use bayes::prelude::*;

/// Regression with noise of variance 1.
#[model]
pub fn regression(net: &Partial, #[rows] x: &DMatrix<f64>, #[rows] y: &[f64]) {
    let phi = sample(net.prior());
    let psi = param(net.start());
    let theta = net.weights(&phi, &psi);
    observe(y, Normal::new(net.forward(x, &theta).column(0), 1.0));
}

/// Classification.
#[model]
pub fn classification(net: &Partial, #[rows] x: &DMatrix<f64>, #[rows] label: &[usize]) {
    let phi = sample(net.prior());
    let psi = param(net.start());
    let theta = net.weights(&phi, &psi);
    observe(label, CategoricalLogit::new(net.forward(x, &theta)));
}
