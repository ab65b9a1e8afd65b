//! Gradients of statements about 1000 rows for 8 and for 32 particles; µs a particle, in turn.
//!
//! `cargo bench -p bayes-benches --bench statements`

#![allow(missing_docs, reason = "a model's documentation is its function's")]

use bayes::density::{ArithmeticSettings, Block, GradientMode, LogDensity, Posterior};
use bayes::prelude::*;
use std::time::Instant;

const ROWS: usize = 1000;
const COLUMNS: usize = 15;

#[model]
fn bernoulli(x: &DMatrix<f64>, y: &[bool]) {
    let intercept = sample(Normal::new(0.0, 1.0));
    let slopes = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    observe(y, BernoulliLogit::new(intercept + x * &slopes));
}

#[model]
fn binomial(x: &DMatrix<f64>, y: &[u64]) {
    let intercept = sample(Normal::new(0.0, 1.0));
    let slopes = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    observe(y, BinomialLogit::new(9, intercept + x * &slopes));
}

#[model]
fn poisson(x: &DMatrix<f64>, y: &[u64]) {
    let intercept = sample(Normal::new(0.0, 1.0));
    let slopes = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    observe(y, PoissonLog::new(intercept + x * &slopes));
}

#[model]
fn negative_binomial(x: &DMatrix<f64>, y: &[u64]) {
    let intercept = sample(Normal::new(0.0, 1.0));
    let slopes = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    let phi = sample(HalfNormal::new(1.0));
    let mean = (intercept + x * &slopes).exp();
    observe(y, NegativeBinomial::mean_dispersion(mean, phi));
}

#[model]
fn zero_inflated(x: &DMatrix<f64>, y: &[u64]) {
    let intercept = sample(Normal::new(0.0, 1.0));
    let slopes = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    let zeros = sample(Beta::new(1.0, 1.0));
    let rate = (intercept + x * &slopes).exp();
    observe(y, ZeroInflatedPoisson::new(zeros, rate));
}

#[model]
fn normal(x: &DMatrix<f64>, y: &[f64]) {
    let intercept = sample(Normal::new(0.0, 1.0));
    let slopes = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    let sd = sample(HalfNormal::new(1.0));
    observe(y, Normal::new(intercept + x * &slopes, sd));
}

#[model]
fn student_t(x: &DMatrix<f64>, y: &[f64]) {
    let intercept = sample(Normal::new(0.0, 1.0));
    let slopes = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    let sd = sample(HalfNormal::new(1.0));
    let nu = sample(Gamma::new(2.0, 0.1));
    observe(y, StudentT::new(nu, intercept + x * &slopes, sd));
}

#[model]
fn gamma(x: &DMatrix<f64>, y: &[f64]) {
    let intercept = sample(Normal::new(0.0, 1.0));
    let slopes = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    let shape = sample(HalfNormal::new(2.0));
    let rate = (intercept + x * &slopes).exp();
    observe(y, Gamma::new(shape, rate));
}

/// Microseconds a particle for value and gradient of `count` particles, the least of many, and the gradients.
struct Timing {
    best: f64,
    gradient: Vec<f64>,
}

impl Timing {
    fn new() -> Self {
        Self {
            best: f64::INFINITY,
            gradient: Vec::new(),
        }
    }

    /// Evaluates for a millisecond: a longer time would hold the work of other programs on a busy machine.
    fn measure(&mut self, density: &dyn LogDensity, count: usize) {
        let dim = density.dim();
        let mut positions: Vec<f64> = (0..count * dim)
            .map(|k| 0.3 * (1.7 * (k / dim) as f64 + 2.3 * (k % dim) as f64 + 0.5).sin())
            .collect();
        let (mut log_prior, mut log_likelihood) = (vec![0.0; count], vec![0.0; count]);
        self.gradient.resize(count * dim, 0.0);
        let (start, mut times) = (Instant::now(), 0);
        while start.elapsed().as_secs_f64() < 1e-3 {
            let mut block = Block {
                dim,
                positions: &mut positions,
                log_prior: &mut log_prior,
                log_likelihood: &mut log_likelihood,
                gradient: &mut self.gradient,
            };
            density.evaluate_gradient([1.0; 2], &mut block);
            times += 1;
        }
        let seconds = start.elapsed().as_secs_f64();
        let particles = f64::from(times) * count as f64;
        self.best = self.best.min(seconds * 1e6 / particles);
    }
}

/// Times a model, checks its gradients by those of forward mode, and prints a line.
fn measure<Mo: Model>(model: &Mo) {
    let density = Posterior::new(model, 1).expect("the model fits its data");
    let settings = ArithmeticSettings {
        gradient: GradientMode::Forward,
        ..ArithmeticSettings::default()
    };
    let forward = Posterior::with(model, 1, settings).expect("the model fits its data");
    let [mut dual, mut eights, mut blocks] = [(); 3].map(|()| Timing::new());
    dual.measure(&forward, 32);
    for _ in 0..300 {
        eights.measure(&density, 8);
        blocks.measure(&density, 32);
    }
    for (a, b) in dual.gradient.iter().zip(&blocks.gradient) {
        assert!((a - b).abs() < 1e-9 * a.abs().max(1.0), "{a} and {b}");
    }
    println!(
        "{:18} {:9.3} {:9.3}",
        model.name(),
        eights.best,
        blocks.best
    );
}

fn main() {
    let x = DMatrix::from_fn(ROWS, COLUMNS, |i, k| ((i * 7 + k * 13) as f64 * 0.37).sin());
    let flags: Vec<bool> = (0..ROWS).map(|i| i % 3 == 0).collect();
    let counts: Vec<u64> = (0..ROWS as u64).map(|i| i % 5).collect();
    let y: Vec<f64> = (0..ROWS).map(|i| (i as f64 * 0.9).cos()).collect();
    let positive: Vec<f64> = y.iter().map(|y| y.exp()).collect();
    println!("model              8 particles  32");
    measure(&bernoulli(&x, &flags));
    measure(&binomial(&x, &counts));
    measure(&poisson(&x, &counts));
    measure(&negative_binomial(&x, &counts));
    measure(&zero_inflated(&x, &counts));
    measure(&normal(&x, &y));
    measure(&student_t(&x, &y));
    measure(&gamma(&x, &positive));
}
