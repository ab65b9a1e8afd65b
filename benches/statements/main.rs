//! Times of gradients of statements about 1000 rows, in µs per particle: for 8 and 32 particles, and by hand for 8.
//!
//! `cargo bench -p bayes-benches --bench statements`

#![allow(missing_docs, reason = "a model's documentation is its function's")]

mod by_hand;

use bayes::density::{ArithmeticSettings, Block, GradientMode, LogDensity, Posterior};
use bayes::prelude::*;
use by_hand::Family;
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

/// Microseconds per particle for value and gradient of `count` particles, the shortest of many, and the gradients.
struct Timing {
    best: f64,
    positions: Vec<f64>,
    gradient: Vec<f64>,
}

impl Timing {
    fn new(dim: usize, count: usize) -> Self {
        let place = |k: usize| 1.7 * (k / dim) as f64 + 2.3 * (k % dim) as f64 + 0.5;
        Self {
            best: f64::INFINITY,
            positions: (0..count * dim).map(|k| 0.3 * place(k).sin()).collect(),
            gradient: vec![0.0; count * dim],
        }
    }

    /// Works for a millisecond: a longer measurement would include the work of other programs on a busy machine.
    fn measure(&mut self, dim: usize, mut work: impl FnMut(&mut [f64], &mut [f64])) {
        let count = self.positions.len() / dim;
        let (start, mut times) = (Instant::now(), 0);
        while start.elapsed().as_secs_f64() < 1e-3 {
            work(&mut self.positions, &mut self.gradient);
            times += 1;
        }
        let seconds = start.elapsed().as_secs_f64();
        let particles = f64::from(times) * count as f64;
        self.best = self.best.min(seconds * 1e6 / particles);
    }
}

/// Log densities and gradients of `weights[0] log_prior + weights[1] log_likelihood`.
fn evaluate(
    density: &dyn LogDensity,
    weights: [f64; 2],
    positions: &mut [f64],
    gradient: &mut [f64],
) {
    let dim = density.dim();
    let count = positions.len() / dim;
    let (mut log_prior, mut log_likelihood) = (vec![0.0; count], vec![0.0; count]);
    let mut block = Block {
        dim,
        positions,
        log_prior: &mut log_prior,
        log_likelihood: &mut log_likelihood,
        gradient,
    };
    density.evaluate_gradient(weights, &mut block);
}

/// Times a model and its hand-written version, checks both gradients against forward mode, and prints a line.
fn measure<Mo: Model, F: Family>(model: &Mo, x: &DMatrix<f64>, family: &F) {
    let density = Posterior::new(model, 1).expect("the model fits its data");
    let settings = ArithmeticSettings {
        gradient: GradientMode::Forward,
        ..ArithmeticSettings::default()
    };
    let forward = Posterior::with(model, 1, settings).expect("the model fits its data");
    let dim = density.dim();
    let mut expected = Timing::new(dim, 32);
    evaluate(
        &forward,
        [0.0, 1.0],
        &mut expected.positions,
        &mut expected.gradient,
    );
    let [mut eights, mut hand, mut blocks] = [8, 8, 32].map(|count| Timing::new(dim, count));
    for _ in 0..300 {
        eights.measure(dim, |x, slopes| evaluate(&density, [1.0; 2], x, slopes));
        blocks.measure(dim, |x, slopes| evaluate(&density, [1.0; 2], x, slopes));
        hand.measure(dim, |positions, slopes| {
            std::hint::black_box(by_hand::gradients(family, x, positions, slopes));
        });
    }
    let (positions, found) = (&mut blocks.positions, &mut blocks.gradient);
    evaluate(&density, [0.0, 1.0], positions, found);
    for found in [&blocks.gradient, &hand.gradient] {
        for (a, b) in expected.gradient.iter().zip(found) {
            let name = model.name();
            assert!(
                (a - b).abs() < 1e-9 * a.abs().max(1.0),
                "{name}: {a} and {b}"
            );
        }
    }
    let [eights, blocks, hand] = [eights, blocks, hand].map(|timing| timing.best);
    println!(
        "{:18} {eights:9.3} {blocks:9.3} {hand:9.3} {:9.2} {:9.2}",
        model.name(),
        eights / hand,
        blocks / hand,
    );
}

fn main() {
    let x = DMatrix::from_fn(ROWS, COLUMNS, |i, k| ((i * 7 + k * 13) as f64 * 0.37).sin());
    let flags: Vec<bool> = (0..ROWS).map(|i| i % 3 == 0).collect();
    let counts: Vec<u64> = (0..ROWS as u64).map(|i| i % 5).collect();
    let y: Vec<f64> = (0..ROWS).map(|i| (i as f64 * 0.9).cos()).collect();
    let positive: Vec<f64> = y.iter().map(|y| y.exp()).collect();
    println!("model              8 particles  32   by hand  8 / hand 32 / hand");
    measure(&bernoulli(&x, &flags), &x, &by_hand::Bernoulli(&flags));
    measure(&binomial(&x, &counts), &x, &by_hand::Binomial(&counts));
    measure(&poisson(&x, &counts), &x, &by_hand::Poisson(&counts));
    let negative = by_hand::NegativeBinomial(&counts);
    measure(&negative_binomial(&x, &counts), &x, &negative);
    measure(
        &zero_inflated(&x, &counts),
        &x,
        &by_hand::ZeroInflated(&counts),
    );
    measure(&normal(&x, &y), &x, &by_hand::Normal(&y));
    measure(&student_t(&x, &y), &x, &by_hand::StudentT(&y));
    let logarithms = y.clone();
    let own = by_hand::Gamma {
        y: &positive,
        logarithms,
    };
    measure(&gamma(&x, &positive), &x, &own);
}
