//! The models of the table, written as by a user.

use bayes::prelude::*;

/// Bayesian logistic regression.
#[model]
pub fn credit(x: &DMatrix<f64>, y: &[bool]) {
    let beta = sample(Normal::new(0.0, 10.0).iid(x.ncols()));
    observe(y, BernoulliLogit::new(x * &beta));
}

/// Linear regression with known noise.
#[model]
pub fn gauss(x: &DMatrix<f64>, y: &[f64], noise: f64) {
    let beta = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    observe(y, Normal::new(x * &beta, noise));
}

/// `0.2 N(1, I) + 0.8 N(-1, I)` divided by the prior, so that prior times likelihood is normalised.
#[model]
pub fn gmm(dim: usize) {
    let theta = sample(Normal::new(0.0, 1.0).iid(dim));
    let sum = theta.sum();
    let half = 0.5 * dim as f64;
    factor((0.2f64.ln() - half + sum).log_add_exp(0.8f64.ln() - half - sum));
}

/// Softmax regression.
#[model]
pub fn iris(x: &DMatrix<f64>, labels: &[usize]) {
    let w = sample(Normal::new(0.0, 1.0).iid((x.ncols(), 3)));
    observe(labels, CategoricalLogit::new(x * &w));
}

/// Effects of coaching, non-centred, school by school; with many schools the generic model of a growing dimension.
#[model]
pub fn eight_schools(y: &[f64], sigma: &[f64]) {
    let mu = sample(Normal::new(0.0, 5.0));
    let tau = sample(HalfCauchy::new(5.0));
    let z = sample(Normal::new(0.0, 1.0).iid(y.len()));
    for j in 0..y.len() {
        let theta = mu + tau * z[j];
        observe(y[j], Normal::new(theta, sigma[j]));
    }
}

/// Autoregression of order five.
#[model]
pub fn ark(y: &[f64]) {
    let alpha = sample(Normal::new(0.0, 10.0));
    let beta = sample(Normal::new(0.0, 10.0).iid(5));
    let sigma = sample(HalfCauchy::new(2.5));
    for t in 5..y.len() {
        let mut mean: Real = alpha;
        for k in 0..5 {
            mean += beta[k] * y[t - 1 - k];
        }
        observe(y[t], Normal::new(mean, sigma));
    }
}

/// Volatility that depends on the previous day: a value carried from one iteration to the next.
#[model]
pub fn garch(y: &[f64], sigma1: f64) {
    let mu = sample(Normal::new(0.0, 10.0));
    let alpha0 = sample(HalfNormal::new(10.0));
    let alpha1 = sample(Uniform::new(0.0, 1.0));
    let share = sample(Uniform::new(0.0, 1.0));
    let beta1 = (1.0 - alpha1) * share;
    let mut variance: Real = Real::from(sigma1 * sigma1);
    for t in 0..y.len() {
        if t > 0 {
            variance = alpha0 + alpha1 * (y[t - 1] - mu).square() + beta1 * variance;
        }
        observe(y[t], Normal::new(mu, variance.sqrt()));
    }
}

/// A random walk observed with noise through an elementary function: no operations on whole vectors, a value carried along.
#[model]
pub fn walk(y: &[f64]) {
    let scale = sample(HalfNormal::new(1.0));
    let z = sample(Normal::new(0.0, 1.0).iid(y.len()));
    let mut level: Real = Real::from(0.0);
    for t in 0..y.len() {
        level = 0.9 * level + scale * z[t];
        observe(y[t], StudentT::new(5.0, level.tanh(), 0.5));
    }
}
