//! A model without a trace is named with its statement; distributions of the library have traces.

use bayes::autodiff::PlainValue;
use bayes::density::{ArithmeticSettings, Posterior, Quantities};
use bayes::diagnose::Warning;
use bayes::prelude::*;

/// A function that reads the value of a random quantity, with the same operations at every value.
fn rounded<M: Mode>(x: Real<M>) -> Real<M> {
    x * (1.0 + 0.0 * x.plain_value())
}

#[model]
fn reading(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0).iid(20));
    let shift = deterministic(rounded(mu[0]));
    observe(y, Normal::new(shift, 1.0));
}

const REASON: &str = "the model has no trace: it reads the value of a random quantity, in or after `let shift = \
    deterministic(rounded(mu[0]))` (line 16). A gradient evaluates the model 2 times, for one particle at a time";

#[test]
fn a_check_names_the_statement_that_prevents_a_trace() {
    let report = reading(&[0.3, 0.1]).check(Check::new().draws(20));
    let warnings = report.expect("the model fits its data").warnings();
    assert!(
        warnings.iter().any(|text| text.starts_with(REASON)),
        "{warnings:?}"
    );
}

#[test]
fn a_run_warns_of_it_unless_forward_mode_was_asked_for() {
    let run = |gradient| {
        let nuts = Inference::nuts()
            .draws(50)
            .burn_in(50)
            .seed(1)
            .progress(false);
        let run = nuts.gradient(gradient).run(&reading(&[0.3, 0.1]));
        run.expect("the model fits its data").warnings()
    };
    let told = |warnings: &[Warning]| {
        let mut problems = warnings.iter().map(Warning::problem);
        problems.any(|problem| problem == REASON)
    };
    assert!(told(&run(GradientMode::Automatic)));
    assert!(!told(&run(GradientMode::Forward)));
}

#[model]
fn shrunk(x: &DMatrix<f64>, y: &[f64]) {
    let tau = sample(HalfCauchy::new(1.0));
    let lambda = sample(HalfCauchy::new(1.0).iid(x.ncols()));
    let z = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    let width = sample(InverseGamma::new(2.0, 8.0));
    let free = deterministic(Horseshoe::new(tau).coefficients(&lambda, &z));
    let beta = deterministic(
        Horseshoe::new(tau)
            .regularised(width)
            .coefficients(&lambda, &z),
    );
    observe(y, Normal::new(x * &free + x * &beta, 1.0));
}

#[test]
fn a_horseshoe_with_random_scales_has_a_trace() {
    let x = DMatrix::from_fn(5, 3, |i, j| (i * j) as f64 - 1.0);
    let model = shrunk(&x, &[0.1, 0.2, 0.3, 0.4, 0.5]);
    let posterior = Posterior::with(&model, 1, ArithmeticSettings::default());
    let arithmetic = posterior
        .expect("the model fits its data")
        .describe()
        .expect("a model describes itself")
        .arithmetic;
    assert_eq!(
        arithmetic.gradient,
        GradientMode::Reverse,
        "{}",
        arithmetic.reason
    );
    assert_eq!(arithmetic.untraceable, None);
}
