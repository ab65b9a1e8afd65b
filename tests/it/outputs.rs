//! Outputs of draws: from the trace, without operations that only the density needs.

use bayes::density::{ArithmeticSettings, GradientMode, LogDensity, Posterior};
use bayes::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// Coal-mining disasters in Britain from 1851 on, by year (Jarrett 1979).
const DISASTERS: &[u64] = &[
    4, 5, 4, 0, 1, 4, 3, 4, 0, 6, 3, 3, 4, 0, 2, 6, 3, 3, 5, 4, 5, 3, 1, 4, 4, 1, 5, 5, 3, 4, 2, 5,
    2, 2, 3, 4, 2, 1, 3, 2, 2, 1, 1, 1, 1, 3, 0, 0, 1, 0, 1, 1, 0, 0, 3, 1, 0, 3, 2, 2, 0, 1, 1, 1,
    0, 1, 0, 1, 0, 0, 0, 2, 1, 0, 0, 0, 1, 1, 0, 2, 3, 3, 1, 1, 2, 1, 1, 1, 1, 2, 4, 2, 0, 0, 0, 1,
    4, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1,
];

/// The number of runs of a program.
static RUNS: AtomicU64 = AtomicU64::new(0);

fn counted() {
    RUNS.fetch_add(1, Ordering::Relaxed);
}

/// The year of the change of the rate is summed out.
#[model]
fn coal(y: &[u64]) {
    let early = sample(Gamma::new(1.0, 1.0));
    let late = sample(Gamma::new(1.0, 1.0));
    counted();
    let mut by_year = Vec::new();
    for change in 0..y.len() {
        let mut total = Real::from(0.0);
        for (year, count) in y.iter().enumerate() {
            let rate = if year < change { early } else { late };
            total += *count as f64 * rate.ln() - rate;
        }
        by_year.push(total);
    }
    let ratio = deterministic(early / late);
    let log_ratio = deterministic(ratio.ln());
    let _ = log_ratio;
    factor(Vector::from(by_year).log_sum_exp());
}

#[test]
fn draws_of_a_model_with_a_trace_do_not_run_its_program() {
    let runs = |draws| {
        let before = RUNS.load(Ordering::Relaxed);
        let run = Inference::nuts()
            .chains(2)
            .draws(draws)
            .seed(1)
            // it shows the maxima that it finds
            .search_beyond(false)
            .progress(false);
        run.run(&coal(DISASTERS)).expect("it runs");
        RUNS.load(Ordering::Relaxed) - before
    };
    // the first run also searches for an improper posterior, which others need not do again
    let _ = runs(10);
    assert_eq!(runs(10), runs(200));
}

#[model]
fn kinds(x: &[f64], y: &[f64]) {
    let mu = sample(Normal::new(0.0, 2.0));
    let sigma = sample(HalfNormal::new(1.0));
    let share = sample(Beta::new(2.0, 3.0));
    let weights = sample(Dirichlet::new([1.0, 2.0, 3.0]));
    let effects = sample(Normal::new(mu, sigma).iid(4));
    let ends = sample(Normal::new(0.0, 1.0).truncated(-0.5, mu.exp() + 1.0));
    let mut level = Real::from(0.0);
    for k in 0..3 {
        let step = sample(Normal::new(level, sigma));
        level = step + effects[k];
        let at = deterministic(level * weights[k] / share);
        let _ = at;
    }
    let size = deterministic(Real::from(x.len() as f64));
    let odds = deterministic((share / (1.0 - share)).ln());
    let _ = (size, odds, ends);
    for (x, y) in x.iter().zip(y) {
        observe(*y, Normal::new(level * *x, sigma));
    }
}

#[test]
fn outputs_of_the_trace_are_those_of_the_model() {
    let (x, y) = ([0.5, 1.0, 2.0], [0.1, 0.3, -0.2]);
    let model = kinds(&x, &y);
    let forward = ArithmeticSettings {
        gradient: GradientMode::Forward,
        ..ArithmeticSettings::default()
    };
    let traced = Posterior::new(&model, 0).expect("it is valid");
    let untraced = Posterior::with(&model, 0, forward).expect("it is valid");
    let dim = traced.dim();
    // blocks of 32 and 8, and an incomplete one
    let positions: Vec<f64> = (0..45 * dim).map(|i| (i as f64 * 0.7).sin()).collect();
    let all = traced.quantities().outputs(&positions, dim);
    let elements = traced.layout().elements();
    assert_eq!(all.len(), 45 * elements);
    let rows = positions.chunks(dim).zip(all.chunks(elements));
    for (position, row) in rows {
        let wanted = untraced.quantities().output(position);
        for (a, b) in row.iter().zip(&wanted) {
            assert!((a - b).abs() <= 1e-13 * b.abs().max(1.0), "{a} is not {b}");
        }
        assert_eq!(traced.quantities().output(position), row);
    }
}
