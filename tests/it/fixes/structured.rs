//! Models with covariances of groups, functions and ordered categories.

#![deny(warnings)]

use bayes::prelude::*;

/// Coefficients that vary by group, with a covariance.
#[model]
fn varying_slopes(x: &DMatrix<f64>, group: &[usize], groups: usize, y: &[f64]) {
    let sd = sample(HalfNormal::new(1.0).iid(x.ncols()));
    let correlation = sample(LKJCholesky::new(x.ncols(), 2.0));
    let lower = Matrix::from_fn(x.ncols(), x.ncols(), |i, k| sd[i] * correlation[(i, k)]);
    let mean = sample(Normal::new(0.0, 2.0).iid(x.ncols()));
    let beta = sample(MultivariateNormal::from_cholesky(&mean, &lower).iid(groups));
    let noise = sample(HalfNormal::new(1.0));
    for i in 0..y.len() {
        let mut eta: Real = Real::from(0.0);
        for k in 0..x.ncols() {
            eta += x[(i, k)] * beta[(group[i], k)];
        }
        observe(y[i], Normal::new(eta, noise));
    }
}

/// Gaussian process regression with the function integrated out.
#[model]
fn regression(x: &[f64], y: &[f64]) {
    let amplitude = sample(HalfNormal::new(1.0));
    let lengthscale = sample(InverseGamma::new(5.0, 5.0));
    let noise = sample(HalfNormal::new(0.5));
    let kernel = SquaredExponential::new(amplitude, lengthscale);
    observe(y, GaussianProcess::new(0.0, kernel, x).noise(noise));
}

/// Counts with a random function as their log rate, made of independent normals.
#[model]
fn log_gaussian_cox(x: &[f64], counts: &[u64]) {
    let lengthscale = sample(InverseGamma::new(5.0, 5.0));
    let z = sample(Normal::new(0.0, 1.0).iid(x.len()));
    let f = deterministic(GaussianProcess::new(1.0, Matern32::new(0.7, lengthscale), x).at(&z));
    observe(counts, PoissonLog::new(&f));
}

/// Regression of ordered categories, with few coefficients away from zero.
#[model]
fn ordinal(x: &DMatrix<f64>, y: &[usize]) {
    let tau = sample(HalfCauchy::new(Horseshoe::global_scale(
        2.0,
        x.ncols(),
        1.8,
        x.nrows(),
    )));
    let slab = sample(InverseGamma::new(2.0, 8.0));
    let lambda = sample(HalfCauchy::new(1.0).iid(x.ncols()));
    let z = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    let beta = deterministic(
        Horseshoe::new(tau)
            .regularised(slab)
            .coefficients(&lambda, &z),
    );
    let cutpoints = sample(Normal::new(0.0, 3.0).iid(3).ordered());
    observe(y, OrderedLogistic::new(x * &beta, &cutpoints));
}

/// A series whose level has a start, with draws of the values after it.
#[model]
fn nile(flow: &[f64]) {
    let sd = sample(HalfNormal::new(200.0));
    let level = Level::new(40.0).start(1000.0, 500.0);
    let series = StateSpace::new(level, sd, flow.len());
    let next = generate(series.after(flow, 2));
    observe(flow, series);
}

fn differentiable<M: Differentiable>(_: &M) {}

pub fn main() {
    let x = DMatrix::from_fn(6, 2, |i, k| (i + k) as f64);
    differentiable(&varying_slopes(&x, &[0, 0, 1, 1, 2, 2], 3, &[0.0; 6]));
    differentiable(&regression(&[0.0, 1.0], &[0.5, 0.7]));
    differentiable(&log_gaussian_cox(&[0.0, 1.0], &[3, 1]));
    differentiable(&nile(&[1120.0, 1160.0, 963.0]));
    differentiable(&ordinal(&x, &[0, 1, 2, 3, 1, 0]));
}
