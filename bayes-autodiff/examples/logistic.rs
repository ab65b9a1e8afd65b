//! The cost of a forward-mode gradient beside a hand-written one: logistic regression, 690 rows, 15 columns.
//!
//! Model: `β ~ N(0, 100 I)`, `y ~ Bernoulli(logistic(x β))`.
//!
//! Run: `cargo run --release -p bayes-autodiff --example logistic`

use bayes_autodiff::gradient::{Program, gradient};
use bayes_autodiff::{Mode, Real, Vector};
use nalgebra::DMatrix;
use std::hint::black_box;
use std::time::{Duration, Instant};

struct Logistic {
    x: DMatrix<f64>,
    y: Vec<f64>,
}

impl Program for Logistic {
    #[inline(always)]
    fn evaluate<M: Mode>(&self, position: &[Real<M>]) -> [Real<M>; 2] {
        let beta = Vector::from(position);
        let eta = &self.x * &beta;
        let terms = self
            .y
            .iter()
            .zip(&eta)
            .map(|(y, eta)| eta.ln_bernoulli_logit(y));
        [-0.005 * beta.norm_squared(), terms.sum()]
    }
}

/// The same by hand: one pass over the rows, one exponential and one logarithm for each.
fn by_hand(rows: &[f64], y: &[f64], beta: &[f64; 15], gradient: &mut [f64; 15]) -> f64 {
    let mut value = 0.0;
    for (g, b) in gradient.iter_mut().zip(beta) {
        *g = -0.01 * b;
        value -= 0.005 * b * b;
    }
    for (row, y) in rows.chunks_exact(15).zip(y) {
        let eta: f64 = row.iter().zip(beta).map(|(x, b)| x * b).sum();
        let e = (-eta.abs()).exp();
        value += y * eta - (eta.max(0.0) + e.ln_1p());
        let residual = y - if eta < 0.0 { e } else { 1.0 } / (1.0 + e);
        for (g, x) in gradient.iter_mut().zip(row) {
            *g += residual * x;
        }
    }
    value
}

/// Best time of a call over many rounds; the two contestants take turns so that both see the same machine.
fn race(mut a: impl FnMut(), mut b: impl FnMut()) -> [Duration; 2] {
    let mut best = [Duration::MAX; 2];
    for _ in 0..200 {
        for (best, run) in best.iter_mut().zip([&mut a as &mut dyn FnMut(), &mut b]) {
            let start = Instant::now();
            (0..20).for_each(|_| run());
            *best = (*best).min(start.elapsed() / 20);
        }
    }
    best
}

fn main() {
    let x = DMatrix::from_fn(690, 15, |i, k| ((31 * i + 17 * k) as f64).sin());
    let y: Vec<f64> = (0..690).map(|i| f64::from(i % 3 == 0)).collect();
    let beta: [f64; 15] = std::array::from_fn(|k| 0.3 * (k as f64).cos());
    let rows: Vec<f64> = x
        .row_iter()
        .flat_map(|row| row.iter().copied().collect::<Vec<_>>())
        .collect();
    let model = Logistic { x, y: y.clone() };

    let (mut ours, mut theirs) = ([0.0; 15], [0.0; 15]);
    let [prior, likelihood] = gradient(&model, &beta, [1.0, 1.0], &mut ours);
    let value = by_hand(&rows, &y, &beta, &mut theirs);
    assert!((prior + likelihood - value).abs() < 1e-10);
    assert!(ours.iter().zip(theirs).all(|(a, b)| (a - b).abs() < 1e-10));

    let [forward, scalar] = race(
        || {
            black_box(gradient(
                black_box(&model),
                black_box(&beta),
                [1.0, 1.0],
                &mut ours,
            ));
        },
        || {
            black_box(by_hand(black_box(&rows), &y, black_box(&beta), &mut theirs));
        },
    );
    println!("forward mode: {:6.2} µs", forward.as_secs_f64() * 1e6);
    println!("by hand:      {:6.2} µs", scalar.as_secs_f64() * 1e6);
    println!(
        "ratio:        {:6.2}",
        forward.as_secs_f64() / scalar.as_secs_f64()
    );
}
