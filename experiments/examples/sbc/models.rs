//! Small models with every kind of support, and incorrect versions of one of them.

use bayes::prelude::*;
use std::f64::consts::LN_2;

/// Location and scale.
#[model]
pub fn location(#[rows] y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let sigma = sample(HalfNormal::new(1.0));
    observe(y, Normal::new(mu, sigma));
}

/// A logistic regression.
#[model]
pub fn logistic(#[rows] x: &DMatrix<f64>, #[rows] y: &[bool]) {
    let beta = sample(Normal::new(0.0, 1.5).iid(x.ncols()));
    observe(y, BernoulliLogit::new(x * &beta));
}

/// A non-centred hierarchy.
#[model]
pub fn schools(y: &[f64], sigma: &[f64]) {
    let mu = sample(Normal::new(0.0, 5.0));
    let tau = sample(HalfCauchy::new(5.0));
    let z = sample(Normal::new(0.0, 1.0).iid(y.len()));
    observe(y, Normal::new(mu + tau * &z, sigma));
}

/// Counts with a random rate and dispersion.
#[model]
pub fn counts(y: &[u64]) {
    let rate = sample(Gamma::new(3.0, 1.0));
    let dispersion = sample(LogNormal::new(1.0, 0.5));
    observe(y, NegativeBinomial::mean_dispersion(rate, dispersion));
}

/// Shares of three categories.
#[model]
pub fn shares(y: &[usize]) {
    let p = sample(Dirichlet::new([1.0, 2.0, 3.0]));
    observe(y, Categorical::new(p));
}

/// Two ordered components.
#[model]
pub fn components(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 2.0).iid(2).ordered());
    let weight = sample(Beta::new(2.0, 2.0));
    let parts = [Normal::new(mu[0], 1.0), Normal::new(mu[1], 1.0)];
    observe(y, Mixture::new([weight, 1.0 - weight], parts));
}

/// Locations, each observed once with large noise, so the prior dominates.
#[model]
pub fn faint(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0).iid(y.len()));
    observe(y, Normal::new(mu, 5.0));
}

/// [`faint`] with a prior that is 10% too wide.
#[model]
pub fn wide(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.1).iid(y.len()));
    observe(y, Normal::new(mu, 5.0));
}

/// [`location`] sampled in the logarithm of the scale, without the Jacobian.
#[model]
pub fn dropped(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let log_sigma = sample(Normal::new(0.0, 1.0));
    let sigma = deterministic(log_sigma.exp());
    let wanted = HalfNormal::new(1.0).log_density_at(&sigma);
    // the change of variables would add `log_sigma` here
    factor(wanted - Normal::new(0.0, 1.0).log_density_at(&log_sigma));
    observe(y, Normal::new(mu, sigma));
}

/// [`location`] with the Jacobian written by hand: correct.
#[model]
pub fn by_hand(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let log_sigma = sample(Normal::new(0.0, 1.0));
    let sigma = deterministic(log_sigma.exp());
    let half_normal = Normal::new(0.0, 1.0).log_density_at(&sigma) + LN_2;
    factor(half_normal + log_sigma - Normal::new(0.0, 1.0).log_density_at(&log_sigma));
    observe(y, Normal::new(mu, sigma));
}
