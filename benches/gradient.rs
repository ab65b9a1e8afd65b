//! What does the model language cost? The gradient of the credit model beside the same density written by hand.
//!
//! `cargo bench --bench gradient` prints both in one run; the README quotes their ratio.

#[path = "../examples/common/mod.rs"]
mod common;

use bayes::density::{Density, Particles, Posterior};
use bayes::prelude::*;
use bayes::run::Counts;
use common::{read_csv, standardise};
use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;

/// Bayesian logistic regression, as in the example.
#[model]
fn credit(x: &DMatrix<f64>, y: &[bool]) {
    let beta = sample(Normal::new(0.0, 10.0).iid(x.ncols()));
    observe(y, BernoulliLogit::new(x * &beta));
}

/// Log posterior and gradient by hand: one pass over the rows, one exponential and one logarithm each.
fn by_hand(rows: &[[f64; 15]], y: &[bool], beta: &[f64], gradient: &mut [f64]) -> f64 {
    let mut log_density = 0.0;
    for (b, g) in beta.iter().zip(gradient.iter_mut()) {
        log_density += -0.5 * b * b / 100.0 - 10f64.ln() - 0.5 * std::f64::consts::TAU.ln();
        *g = -b / 100.0;
    }
    for (row, y) in rows.iter().zip(y) {
        let eta: f64 = row.iter().zip(beta).map(|(x, b)| x * b).sum();
        let signed = if *y { eta } else { -eta };
        let e = (-signed.abs()).exp();
        log_density += signed.min(0.0) - e.ln_1p();
        let miss = if signed > 0.0 {
            e / (1.0 + e)
        } else {
            1.0 / (1.0 + e)
        };
        let slope = if *y { miss } else { -miss };
        gradient
            .iter_mut()
            .zip(row)
            .for_each(|(g, x)| *g += slope * x);
    }
    log_density
}

fn bench(c: &mut Criterion) {
    let table = read_csv(include_str!("../examples/data/australian.csv"));
    let x = standardise(&table.columns(0, 14).into_owned()).insert_column(0, 1.0);
    let y: Vec<bool> = table.column(14).iter().map(|label| *label > 0.5).collect();
    let rows: Vec<[f64; 15]> = x
        .row_iter()
        .map(|r| std::array::from_fn(|k| r[k]))
        .collect();
    let model = credit(&x, &y);
    let posterior = Posterior::new(&model, 1).expect("the model fits its data");
    let mut particles = Particles::new(1, 15);
    particles
        .positions
        .iter_mut()
        .enumerate()
        .for_each(|(k, b)| *b = 0.1 * (k as f64 - 7.0));

    let mut gradient = vec![0.0; 15];
    let log_density = by_hand(&rows, &y, &particles.positions, &mut gradient);
    posterior.evaluate_gradient(1.0, &mut particles.block(), &mut Counts::default());
    let found = particles.log_prior[0] + particles.log_likelihood[0];
    assert!(
        (found / log_density - 1.0).abs() < 1e-12,
        "{found} by the model, {log_density} by hand"
    );
    for (a, b) in particles.gradient.iter().zip(&gradient) {
        assert!(
            (a - b).abs() < 1e-9 * b.abs().max(1.0),
            "gradient {a} by the model, {b} by hand"
        );
    }

    let mut group = c.benchmark_group("credit: value and gradient, 690 x 15");
    let beta = particles.positions.clone();
    group.bench_function("by hand, scalar", |b| {
        b.iter(|| by_hand(&rows, &y, black_box(&beta), &mut gradient))
    });
    group.bench_function("model, forward mode", |b| {
        b.iter(|| {
            posterior.evaluate_gradient(
                1.0,
                black_box(&mut particles.block()),
                &mut Counts::default(),
            )
        });
    });
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
