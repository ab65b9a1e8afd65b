//! Censored data in models: one statement for all rows equals a loop, with right gradients in reverse mode.

use bayes::prelude::*;

#[model]
fn by_row(x: &[f64], time: &[f64], end: &[f64]) {
    let slope = sample(Normal::new(0.0, 1.0).iid(1));
    let shape = sample(Gamma::new(2.0, 1.0));
    for i in 0..time.len() {
        observe(
            time[i],
            Weibull::new(shape, (slope[0] * x[i]).exp()).censored(0.0, end[i]),
        );
    }
}

#[model]
fn at_once(x: &DMatrix<f64>, time: &[f64], end: &[f64]) {
    let slope = sample(Normal::new(0.0, 1.0).iid(1));
    let shape = sample(Gamma::new(2.0, 1.0));
    let scale = (x * &slope).map(|a| a.exp());
    observe(time, Weibull::new(shape, &scale).censored(0.0, end));
}

#[model]
fn intervals_by_row(x: &[f64], low: &[f64], high: &[f64]) {
    let slope = sample(Normal::new(0.0, 1.0).iid(1));
    let sd = sample(HalfNormal::new(1.0));
    for i in 0..x.len() {
        observe(
            (low[i], high[i]),
            Normal::new(slope[0] * x[i], sd).interval_censored(),
        );
    }
}

#[model]
fn intervals_at_once(x: &DMatrix<f64>, bounds: &DMatrix<f64>) {
    let slope = sample(Normal::new(0.0, 1.0).iid(1));
    let sd = sample(HalfNormal::new(1.0));
    observe(bounds, Normal::new(x * &slope, sd).interval_censored());
}

const X: [f64; 6] = [0.3, -1.0, 2.0, 0.1, 0.8, -0.4];

/// Asserts that two models agree at some values, and that the slopes of both are right.
fn assert_same(first: &impl Model, second: &impl Model, names: [&str; 2]) {
    for values in [[0.4, 1.3], [-0.9, 0.5], [1.5, 2.5]] {
        let [a, b] = [0, 1].map(|k| (names[k], &values[k..=k]));
        let at = |found: Result<bayes::inspect::PointDensity, bayes::Error>| {
            let found = found.expect("the values fit");
            (found.log_prior, found.log_likelihood)
        };
        let (one, other) = (
            at(first.log_density_at(&[a, b])),
            at(second.log_density_at(&[a, b])),
        );
        assert!(
            (one.1 - other.1).abs() < 1e-12 * one.1.abs(),
            "{one:?}, {other:?}"
        );
        assert_eq!(one.0, other.0);
    }
    for (name, report) in [
        ("first", first.check(Check::new())),
        ("second", second.check(Check::new())),
    ] {
        let report = report.expect("the model fits its data");
        assert_eq!(report.warnings(), Vec::<String>::new(), "{name}: {report}");
        assert!(
            report.worst_slope.expect("slopes were compared").error < 1e-6,
            "{name}: {report}"
        );
    }
}

#[test]
fn censored_rows_are_the_same_at_once() {
    let time = [0.8, 3.1, 1.9, 4.0, 0.4, 4.0];
    let seen = [true, true, false, false, true, false];
    let end: Vec<f64> = (0..6)
        .map(|i| if seen[i] { f64::INFINITY } else { time[i] })
        .collect();
    let x = DMatrix::from_row_slice(6, 1, &X);
    assert_same(
        &by_row(&X, &time, &end),
        &at_once(&x, &time, &end),
        ["slope", "shape"],
    );
}

#[test]
fn intervals_are_the_same_at_once() {
    let low = [-0.5, f64::NEG_INFINITY, 1.0, 0.2, 0.7, -1.0];
    let high = [0.5, -0.3, f64::INFINITY, 0.2, 0.9, 0.0];
    let bounds = DMatrix::from_fn(6, 2, |i, k| [low, high][k][i]);
    let x = DMatrix::from_row_slice(6, 1, &X);
    assert_same(
        &intervals_by_row(&X, &low, &high),
        &intervals_at_once(&x, &bounds),
        ["slope", "sd"],
    );
}

#[test]
fn an_interval_that_is_upside_down_is_reported_before_the_run() {
    let (low, high) = ([0.0; 6], [1.0, 1.0, 1.0, -1.0, 1.0, -2.0]);
    let outcome = Inference::smc()
        .particles(50)
        .progress(false)
        .run(&intervals_by_row(&X, &low, &high));
    let text = outcome
        .expect_err("two intervals are upside down")
        .to_string();
    assert!(
        text.contains("`(low, high)` in `observe((low[i], high[i]), "),
        "{text}"
    );
    let what = "Normal: observation at index 3 is -1, must be at least its lower end 0 (and in 1 more iteration)";
    assert!(text.ends_with(what), "{text}");
}
