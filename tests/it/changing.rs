//! Models whose density is not the same at the same values: they read a clock, a counter, or data that another part of the
//! program changes.

use bayes::Error;
use bayes::inspect::ProblemKind;
use bayes::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

fn seconds() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_secs_f64()
}

#[model]
fn timed(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    observe(y, Normal::new(mu + seconds(), 1.0));
}

fn calls() -> f64 {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    CALLS.fetch_add(1, Ordering::Relaxed) as f64
}

#[model]
fn counted(y: &[f64]) {
    let mu = sample(Normal::new(calls(), 1.0));
    observe(y, Normal::new(mu, 2.0));
}

/// Data that change once, after a given number of reads.
struct Readings {
    left: u64,
    value: f64,
}

static READINGS: Mutex<Readings> = Mutex::new(Readings {
    left: 0,
    value: 0.0,
});

fn readings() -> MutexGuard<'static, Readings> {
    READINGS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn reading() -> f64 {
    let mut readings = readings();
    match readings.left {
        0 => readings.value = 1.0,
        left => readings.left = left - 1,
    }
    readings.value
}

#[model]
fn measured(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    observe(y, Normal::new(mu + reading(), 3.0));
}

/// The statement named in the error of a model that is not the same at the same values.
fn changed<T: std::fmt::Debug>(outcome: Result<T, Error>) -> &'static str {
    let error = outcome.expect_err("the density is not the same at the same values");
    let text = error.to_string();
    assert!(
        text.contains("is not the same at the same values"),
        "{text}"
    );
    let Error::Model { problems, .. } = error else {
        panic!("{error:?}")
    };
    let [problem] = &problems[..] else {
        panic!("{problems:?}")
    };
    assert!(matches!(problem.kind, ProblemKind::Changes), "{problem:?}");
    assert_eq!(problem.file, "tests/it/changing.rs");
    let statements = [
        "observe(y, Normal::new(mu + seconds(), 1.0))",
        "let mu = sample(Normal::new(calls(), 1.0))",
        "observe(y, Normal::new(mu + reading(), 3.0))",
    ];
    let named = statements.iter().find(|text| problem.statement == **text);
    named.expect(&problem.statement)
}

fn nuts<Mo: Model + AllSampled + Differentiable>(
    model: &Mo,
    gradient: GradientMode,
) -> Result<Run, Error> {
    let nuts = Inference::nuts().chains(1).burn_in(20).draws(20);
    nuts.gradient(gradient).progress(false).run(model)
}

fn psmc<Mo: Model + AllSampled + Differentiable>(model: &Mo) -> Result<Run, Error> {
    let psmc = Inference::psmc().islands(1).particles(16);
    psmc.progress(false).run(model)
}

#[test]
fn a_clock_and_a_counter_are_found_before_sampling() {
    let clock = "observe(y, Normal::new(mu + seconds(), 1.0))";
    let counter = "let mu = sample(Normal::new(calls(), 1.0))";
    let (timed, counted) = (timed(&[0.5, 1.0]), counted(&[0.5, 1.0]));
    assert_eq!(changed(timed.check(Check::new())), clock);
    assert_eq!(changed(counted.check(Check::new())), counter);
    assert_eq!(changed(psmc(&timed)), clock);
    assert_eq!(changed(psmc(&counted)), counter);
    for gradient in [GradientMode::Automatic, GradientMode::Forward] {
        assert_eq!(changed(nuts(&timed, gradient)), clock);
        assert_eq!(changed(nuts(&counted, gradient)), counter);
    }
}

#[test]
fn data_that_change_before_the_first_draw_are_not_blamed_on_the_library() {
    let statement = "observe(y, Normal::new(mu + reading(), 3.0))";
    let y = [0.5, 1.0];
    let start = |left| *readings() = Readings { left, value: 0.0 };
    // at any time during a check, which reads the data thousands of times
    for left in [1, 9, 12, 15, 20, 100, 300] {
        start(left);
        assert_eq!(
            changed(measured(&y).check(Check::new())),
            statement,
            "{left}"
        );
    }
    let mut refused = 0;
    for left in 1..60 {
        start(left);
        match nuts(&measured(&y), GradientMode::Automatic) {
            Ok(run) => assert!(
                !run.to_string().contains("bug of this library"),
                "{left}: {run}"
            ),
            outcome => {
                assert_eq!(changed(outcome), statement, "{left}");
                refused = left;
            }
        }
    }
    // ten evaluations and their repetitions, then recordings, comparisons and derivatives
    assert!((13..50).contains(&refused), "{refused}");
}
