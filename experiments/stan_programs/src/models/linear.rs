//! Linear regressions.

use bayes::prelude::*;

/// `earn_height`, `logearn_...`, `mesquite`, `nes` and others: flat priors.
#[model]
pub fn flat_regression(x: &DMatrix<f64>, y: &[f64]) {
    let beta = sample(Flat::new().iid(x.ncols()));
    let sigma = sample(Flat::above(0.0));
    observe(y, Normal::new(x * &beta, sigma));
}

/// `kidscore_...`: flat coefficients.
#[model]
pub fn kidscore(x: &DMatrix<f64>, y: &[f64]) {
    let beta = sample(Flat::new().iid(x.ncols()));
    let sigma = sample(HalfCauchy::new(2.5));
    observe(y, Normal::new(x * &beta, sigma));
}

#[model]
pub fn blr(x: &DMatrix<f64>, y: &[f64]) {
    let beta = sample(Normal::new(0.0, 10.0).iid(x.ncols()));
    let sigma = sample(HalfNormal::new(10.0));
    observe(y, Normal::new(x * &beta, sigma));
}

/// Temperatures in summer at Kilpisjärvi; the prior is data.
#[model]
pub fn kilpisjarvi(x: &[f64], y: &[f64], of_alpha: [f64; 2], of_beta: [f64; 2]) {
    let alpha = sample(Normal::new(of_alpha[0], of_alpha[1]));
    let beta = sample(Normal::new(of_beta[0], of_beta[1]));
    let sigma = sample(Flat::above(0.0));
    observe(y, Normal::new(alpha + beta * x, sigma));
}

/// `x` is centred.
#[model]
pub fn diamonds(x: &DMatrix<f64>, y: &[f64]) {
    let b = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    let Intercept = sample(StudentT::new(3.0, 8.0, 10.0));
    let sigma = sample(HalfStudentT::new(3.0, 10.0));
    observe(y, Normal::new(Intercept + x * &b, sigma));
}

/// Lengths of sea cows by age, which approach a limit.
#[model]
pub fn dugongs(x: &[f64], y: &[f64]) {
    let alpha = sample(Normal::new(0.0, 1000.0));
    let beta = sample(Normal::new(0.0, 1000.0));
    let lambda = sample(Uniform::new(0.5, 1.0));
    let tau = sample(Gamma::new(0.0001, 0.0001));
    for i in 0..x.len() {
        let mean = alpha - beta * lambda.powf(x[i]);
        observe(y[i], Normal::new(mean, 1.0 / tau.sqrt()));
    }
}
