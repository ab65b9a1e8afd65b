//! The models of `tests/test_beside_pymc.py` in Rust, with the quantities of PyMC's in the same order.

mod refused;

use bayes::prelude::*;

/// Non-centred effects of schools.
#[model]
fn eight_schools(y: &[f64], sigma: &[f64]) {
    let mu = sample(Normal::new(0.0, 5.0));
    let tau = sample(HalfCauchy::new(5.0));
    let z = sample(Normal::new(0.0, 1.0).iid(y.len()));
    for j in 0..y.len() {
        observe(y[j], Normal::new(mu + tau * z[j], sigma[j]));
    }
}

/// Log radon in houses: intercepts and slopes (of the floor) that vary among counties, whose means are lines in the log uranium of the county.
#[model]
fn radon(log_radon: &[f64], floor: &[f64], county: &[usize], uranium: &[f64]) {
    let intercept = sample(Normal::new(0.0, 2.0).iid(2));
    let slope = sample(Normal::new(0.0, 2.0).iid(2));
    let spread = sample(HalfNormal::new(1.0).iid(2));
    let of_intercept = sample(Normal::new(0.0, 1.0).iid(uranium.len()));
    let of_slope = sample(Normal::new(0.0, 1.0).iid(uranium.len()));
    let noise = sample(HalfNormal::new(1.0));
    for i in 0..log_radon.len() {
        let j = county[i];
        let level = intercept[0] + intercept[1] * uranium[j] + spread[0] * of_intercept[j];
        let effect = slope[0] + slope[1] * uranium[j] + spread[1] * of_slope[j];
        observe(log_radon[i], Normal::new(level + effect * floor[i], noise));
    }
}

/// A line with normal noise.
#[model]
fn linear(x: &DMatrix<f64>, y: &[f64]) {
    let a = sample(Normal::new(0.0, 5.0));
    let b = sample(Normal::new(0.0, 2.0).iid(x.ncols()));
    let s = sample(HalfNormal::new(2.0));
    observe(y, Normal::new(x * &b + a, s));
}

/// The same with noise of heavy tails.
#[model]
fn robust(x: &DMatrix<f64>, y: &[f64]) {
    let a = sample(Normal::new(0.0, 5.0));
    let b = sample(Normal::new(0.0, 2.0).iid(x.ncols()));
    let s = sample(HalfNormal::new(2.0));
    let nu = sample(Gamma::new(2.0, 0.1));
    observe(y, StudentT::new(nu, x * &b + a, s));
}

/// A logistic regression.
#[model]
fn logistic(x: &DMatrix<f64>, y: &[bool]) {
    let a = sample(Normal::new(0.0, 2.0));
    let b = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    observe(y, BernoulliLogit::new(x * &b + a));
}

/// A regression of counts.
#[model]
fn poisson(x: &DMatrix<f64>, y: &[u64]) {
    let a = sample(Normal::new(0.0, 2.0));
    let b = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    observe(y, PoissonLog::new(x * &b + a));
}

/// The same with more dispersion.
#[model]
fn negative_binomial(x: &DMatrix<f64>, y: &[u64]) {
    let a = sample(Normal::new(0.0, 2.0));
    let b = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    let alpha = sample(Exponential::new(1.0));
    let rates = x * &b + a;
    for i in 0..y.len() {
        observe(
            y[i],
            NegativeBinomial::mean_dispersion(rates[i].exp(), alpha),
        );
    }
}

/// Successes of trials in groups that vary.
#[model]
fn varying(successes: &[u64], trials: &[u64]) {
    let mean = sample(Normal::new(0.0, 2.0));
    let spread = sample(HalfNormal::new(1.0));
    let z = sample(Normal::new(0.0, 1.0).iid(trials.len()));
    for i in 0..trials.len() {
        observe(
            successes[i],
            BinomialLogit::new(trials[i], mean + spread * z[i]),
        );
    }
}

/// Shares of groups under a common Beta distribution.
#[model]
fn shares(successes: &[u64], trials: &[u64]) {
    let a = sample(Gamma::new(2.0, 1.0));
    let b = sample(Gamma::new(2.0, 1.0));
    for i in 0..trials.len() {
        observe(successes[i], BetaBinomial::new(trials[i], a, b));
    }
}

/// Numbers of which some are shifted, by 1 or the other way.
#[model]
fn shifted(y: &[f64], is_shifted: &[bool], is_back: bool) {
    let mu = sample(Normal::new(0.0, 1.0));
    let step = if is_back { -1.0 } else { 1.0 };
    for i in 0..y.len() {
        let shift = if is_shifted[i] { step } else { 0.0 };
        observe(y[i], Normal::new(mu + shift, 1.0));
    }
}

bayes::python!(
    eight_schools,
    radon,
    linear,
    robust,
    logistic,
    poisson,
    negative_binomial,
    varying,
    shares,
    shifted,
);
