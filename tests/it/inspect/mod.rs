//! Inspection of models: the density at given values, its curvature, and `check`.

mod check;
mod graph;

use bayes::Error;
use bayes::diagnose::FailureKind;
use bayes::inspect::ValuesError;
use bayes::prelude::*;

#[model]
fn regression(x: &DMatrix<f64>, y: &[f64]) {
    let beta = sample(Normal::new(0.0, 2.0).iid(x.ncols()));
    let sigma = sample(HalfNormal::new(1.0));
    let twice = deterministic(sigma * 2.0);
    observe(y, Normal::new(x * &beta, twice));
}

fn data() -> (DMatrix<f64>, Vec<f64>) {
    let x = DMatrix::from_fn(6, 2, |i, k| if k == 0 { 1.0 } else { i as f64 - 2.5 });
    (x, vec![0.3, -0.1, 0.8, 1.1, 0.9, 1.7])
}

fn normal(x: f64, mean: f64, sd: f64) -> f64 {
    let z = (x - mean) / sd;
    -0.5 * z * z - sd.ln() - 0.5 * std::f64::consts::TAU.ln()
}

#[test]
fn a_density_at_given_values_has_no_jacobian() {
    let (x, y) = data();
    let (beta, sigma) = ([0.7, 0.2], 0.4);
    let model = regression(&x, &y);
    let found = model
        .log_density_at(&[("sigma", &[sigma]), ("beta", &beta)])
        .expect("the values fit");
    let prior =
        normal(beta[0], 0.0, 2.0) + normal(beta[1], 0.0, 2.0) + normal(sigma, 0.0, 1.0) + 2f64.ln();
    let mean = |i: usize| beta[0] + beta[1] * x[(i, 1)];
    let likelihood: f64 = (0..6).map(|i| normal(y[i], mean(i), 2.0 * sigma)).sum();
    assert!((found.log_prior - prior).abs() < 1e-13, "{found:?}");
    assert!(
        (found.log_likelihood - likelihood).abs() < 1e-13,
        "{found:?}"
    );
    assert_eq!(found.terms.len(), 4);
    assert_eq!(found.terms[2].1, 0.0);
    let position = model.unconstrain(&[("sigma", &[sigma]), ("beta", &beta)]);
    assert_eq!(position.expect("the values fit"), [0.7, 0.2, 0.4f64.ln()]);
}

#[test]
fn values_outside_the_support_have_no_density() {
    let (x, y) = data();
    let found = regression(&x, &y).log_density_at(&[("sigma", &[-1.0]), ("beta", &[0.0, 0.0])]);
    assert_eq!(found.expect("the values fit").log_prior, f64::NEG_INFINITY);
}

#[test]
fn names_and_lengths_that_do_not_fit_are_typed_errors() {
    let (x, y) = data();
    let model = regression(&x, &y);
    let source = |values: &[(&str, &[f64])]| match model.log_density_at(values) {
        Err(Error::Values { source, .. }) => source,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        source(&[("beta", &[0.0, 0.0])]),
        ValuesError::Missing {
            name: "sigma",
            given: 0,
            wanted: 1
        }
    );
    for wrong in [&[0.0, 0.0, 1.0][..], &[0.0]] {
        assert_eq!(
            source(&[("beta", wrong), ("sigma", &[1.0])]).to_string(),
            format!("`beta` has 2 elements, got {}", wrong.len())
        );
    }
    assert_eq!(
        source(&[("beta", &[0.0, 0.0])]).to_string(),
        "`sigma` has no value, but each random quantity needs one"
    );
    assert_eq!(
        source(&[("twice", &[1.0])]).to_string(),
        "the model has no quantity `twice`; it has `beta`, `sigma`"
    );
}

#[model]
fn location(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 2.0));
    let nu = sample(Normal::new(0.0, 1.0));
    observe(y, Normal::new(mu + nu, 0.5));
}

#[test]
fn the_hessian_of_a_gaussian_posterior_is_its_negative_precision() {
    let y = [0.3, -0.2, 0.9];
    let model = location(&y);
    let hessian = model.hessian_at(&[("mu", &[0.3]), ("nu", &[-2.0])]);
    let wanted = DMatrix::from_row_slice(2, 2, &[-0.25 - 12.0, -12.0, -12.0, -1.0 - 12.0]);
    assert!((hessian.expect("the values fit") - wanted).amax() < 1e-12);
}

#[model]
fn rooted(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let variance = sample(Normal::new(1.0, 1.0));
    let sd = deterministic(variance.sqrt());
    observe(y, Normal::new(mu, sd));
}

/// A scale that the prior lets be negative, and data that are no numbers: no run begins.
#[model]
fn refused(y: &[f64]) {
    let sd = sample(Normal::new(0.0, 1.0));
    observe(y, Normal::new(0.5, sd));
}

/// The mutation that it detects: a model is validated before it is explained.
#[test]
fn a_model_that_runs_refuse_is_explained() {
    for y in [[0.3, 0.9], [f64::NAN, 0.9]] {
        let model = refused(&y);
        assert!(Inference::nuts().progress(false).run(&model).is_err());
        let found = model.explain(&[-0.5]).expect("a position");
        assert_eq!(found.values, [("sd".to_owned(), -0.5)]);
        assert!(!found.terms[1].1.is_finite(), "{found}");
        assert!(found.causes[0].1.contains("`sd` is -0.5"), "{found}");
    }
}

#[test]
fn the_first_nan_of_a_run_is_explained() {
    let model = rooted(&[0.3, 0.9]);
    let run = Inference::psmc()
        .particles(256)
        .seed(1)
        .progress(false)
        .run(&model)
        .expect("some are sound");
    let failures = run.failures();
    let mut nan = failures.rows.iter();
    let nan = nan.find(|row| row.kind == FailureKind::Nan);
    let nan = nan.expect("a root of a negative number");
    let first = nan.first.as_ref().expect("it is kept");
    assert_eq!(nan.statement, Some(3));
    assert_eq!(nan.times, run.counts().non_finite[&3].nan);
    assert!(
        failures
            .to_string()
            .contains("observe(y, Normal::new(mu, sd))"),
        "{failures}"
    );
    assert!((0.0..=1.0).contains(&first.lambda));
    assert!(first.position[1] < 0.0, "{first:?}");
    assert!(
        run.to_string()
            .contains("first at the unconstrained position ["),
        "{run}"
    );
    let found = model.explain(&first.position).expect("two coordinates");
    assert_eq!(found.values[1], ("variance".to_owned(), first.position[1]));
    assert!(
        found.values[2].1.is_nan() && found.terms[3].1.is_nan() && found.terms[0].1.is_finite()
    );
    let text = found.to_string();
    assert!(
        text.contains("observe(y, Normal::new(mu, sd))") && text.contains("variance = -"),
        "{text}"
    );
    assert!(
        model
            .explain(&[0.0])
            .expect_err("too few")
            .to_string()
            .contains("1 numbers for 2")
    );
}
