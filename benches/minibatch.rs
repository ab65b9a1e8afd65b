//! Times of a minibatch step, in µs: choosing 64 rows of 10,000, the density of these rows, and its gradient for eight particles.
//!
//! `cargo bench -p bayes-benches --bench minibatch`

#![allow(missing_docs, reason = "a model's documentation is its function's")]

use bayes::density::{Block, LogDensity, Posterior, SubsetTrace};
use bayes::nn::{Dense, Relu, Sequential};
use bayes::prelude::*;
use bayes::rows::{Rows, Subset};
use std::time::Instant;

const ROWS: usize = 10_000;
const BATCH: usize = 64;
/// The number of particles in one group of lanes.
const PARTICLES: usize = 8;

#[model]
fn logistic(#[rows] x: &DMatrix<f64>, #[rows] y: &[bool]) {
    let intercept = sample(Normal::new(0.0, 1.0));
    let slopes = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    observe(y, BernoulliLogit::new(intercept + x * &slopes));
}

#[model]
fn normal(#[rows] x: &DMatrix<f64>, #[rows] y: &[f64]) {
    let intercept = sample(Normal::new(0.0, 1.0));
    let slopes = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    let sd = sample(HalfNormal::new(1.0));
    observe(y, Normal::new(intercept + x * &slopes, sd));
}

#[model]
fn poisson(#[rows] x: &DMatrix<f64>, #[rows] y: &[u64]) {
    let intercept = sample(Normal::new(0.0, 1.0));
    let slopes = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    observe(y, PoissonLog::new(intercept + x * &slopes));
}

/// The sd of every observation is a function of a coordinate, in a loop over scalars.
#[model]
fn scalar_loop(#[rows] x: &[f64], #[rows] y: &[f64]) {
    let a = sample(Normal::new(0.0, 1.0));
    let b = sample(Normal::new(0.0, 1.0));
    let c = sample(Normal::new(0.0, 1.0));
    for i in 0..y.len() {
        observe(y[i], Normal::new(a + b * x[i], (c * x[i]).exp()));
    }
}

#[model]
fn classifier(net: &Sequential, #[rows] x: &DMatrix<f64>, #[rows] labels: &[usize]) {
    let theta = sample(net.prior());
    observe(labels, CategoricalLogit::new(net.forward(x, &theta)));
}

#[model]
fn network_regression(net: &Sequential, #[rows] x: &DMatrix<f64>, #[rows] y: &[f64]) {
    let theta = sample(net.prior());
    let sd = sample(HalfNormal::new(1.0));
    observe(y, Normal::new(net.forward(x, &theta).column(0), sd));
}

/// The shortest times over many steps: rows, density, gradient.
fn measure<Mo: Rows>(model: &Mo) {
    let whole = Posterior::new(model, 1).expect("the model fits its data");
    let dim = whole.dim();
    let mut subset = Subset::new(model, &[]).expect("the model has rows");
    let mut positions: Vec<f64> = (0..PARTICLES * dim)
        .map(|k| 0.3 * (1.7 * k as f64).sin())
        .collect();
    let (mut log_prior, mut log_likelihood) = (vec![0.0; PARTICLES], vec![0.0; PARTICLES]);
    let mut gradient = vec![0.0; PARTICLES * dim];
    let mut known = SubsetTrace::default();
    let mut best = [f64::INFINITY; 3];
    for step in 0..220 {
        if step == 20 {
            // the first minibatches show whether numbers within operations change
            best = [f64::INFINITY; 3];
        }
        let rows: Vec<usize> = (0..BATCH).map(|i| (i * 7919 + step * 31) % ROWS).collect();
        let start = Instant::now();
        subset.select(&rows).expect("the rows are there");
        let selected = start.elapsed().as_secs_f64();
        let density = whole.on_next(&subset, &mut known);
        let made = start.elapsed().as_secs_f64();
        let mut block = Block {
            dim,
            positions: &mut positions,
            log_prior: &mut log_prior,
            log_likelihood: &mut log_likelihood,
            gradient: &mut gradient,
        };
        density.evaluate_gradient([1.0; 2], &mut block);
        let done = start.elapsed().as_secs_f64();
        let times = [selected, made - selected, done - made];
        for (best, time) in best.iter_mut().zip(times) {
            *best = best.min(1e6 * time);
        }
    }
    let [rows, density, gradient] = best;
    println!(
        "{:20} {dim:6} {rows:9.2} {density:9.2} {gradient:9.2}",
        model.name()
    );
}

fn main() {
    let x = DMatrix::from_fn(ROWS, 15, |i, k| ((i * 7 + k * 13) as f64 * 0.37).sin());
    let flags: Vec<bool> = (0..ROWS).map(|i| i % 3 == 0).collect();
    let counts: Vec<u64> = (0..ROWS as u64).map(|i| i % 5).collect();
    let labels: Vec<usize> = (0..ROWS).map(|i| i % 10).collect();
    let y: Vec<f64> = (0..ROWS).map(|i| (i as f64 * 0.9).cos()).collect();
    let images = DMatrix::from_fn(ROWS, 784, |i, k| ((i + k * 29) as f64 * 0.61).sin());
    let network = |inputs: usize, hidden: usize, outputs: usize| {
        let layers = Sequential::flat(inputs)
            .layer(Dense::new(inputs, hidden))
            .layer(Relu);
        let network = layers.layer(Dense::new(hidden, outputs)).build();
        network.expect("the layers fit")
    };
    println!("model                   dim      rows   density  gradient");
    measure(&logistic(&x, &flags));
    measure(&normal(&x, &y));
    measure(&poisson(&x, &counts));
    measure(&scalar_loop(&y, &y));
    measure(&network_regression(&network(15, 20, 1), &x, &y));
    measure(&classifier(&network(784, 16, 10), &images, &labels));
}
