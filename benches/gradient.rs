//! What does the model language cost? Gradients of models beside the same densities written by hand in scalar code.
//!
//! `cargo bench -p bayes-benches --bench gradient`; `cargo run --release -p bayes-experiments --example speed` prints the ratios and their
//! limits.

#[path = "../experiments/examples/speed/block.rs"]
#[allow(dead_code, reason = "gradients alone")]
mod block;
#[path = "../experiments/examples/speed/hand/mod.rs"]
#[allow(dead_code, reason = "the vectors are for the table")]
mod hand;
#[path = "../experiments/examples/speed/models.rs"]
#[allow(dead_code, reason = "a few of them")]
mod models;
#[path = "../experiments/examples/speed/problems.rs"]
#[allow(dead_code, reason = "a few of them")]
mod problems;

use bayes::prelude::*;
use block::{Evaluation, PARTICLES};
use criterion::{Criterion, criterion_group, criterion_main};
use hand::scalar;
use problems::Problems;
use std::hint::black_box;

fn bench(c: &mut Criterion) {
    let problems = Problems::load();
    let (x, y) = &problems.credit;
    let rows: Vec<[f64; 15]> = x
        .row_iter()
        .map(|r| std::array::from_fn(|k| r[k]))
        .collect();
    compare(
        c,
        "credit, 690 x 15",
        &models::credit(x, y),
        &mut |at, gradient| scalar::credit(&rows, y, at, gradient),
    );
    let (y, sigma) = &problems.schools;
    let data = scalar::Schools::new(y, sigma);
    compare(
        c,
        "eight schools by a loop",
        &models::eight_schools(y, sigma),
        &mut |at, gradient| scalar::eight_schools(&data, at, gradient),
    );
    compare(
        c,
        "autoregression by loops",
        &models::ark(&problems.ark),
        &mut |at, gradient| scalar::ark(&problems.ark, at, gradient),
    );
}

/// The value and gradient of a block of particles, both ways.
fn compare<Mo: Model>(
    c: &mut Criterion,
    name: &str,
    model: &Mo,
    by_hand: &mut dyn FnMut(&[f64], &mut [f64]) -> f64,
) {
    let mut evaluation = Evaluation::new(model, PARTICLES);
    evaluation.check(by_hand);
    let positions = evaluation.particles.positions.clone();
    let dim = evaluation.particles.dim;
    let mut gradient = vec![0.0; dim];
    let mut group = c.benchmark_group(format!("{name}: {PARTICLES} particles, value and gradient"));
    group.bench_function("by hand, scalar", |b| {
        b.iter(|| {
            for at in positions.chunks_exact(dim) {
                black_box(by_hand(black_box(at), &mut gradient));
            }
        })
    });
    group.bench_function("model", |b| b.iter(|| evaluation.gradients()));
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
