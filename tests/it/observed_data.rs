//! A run knows what it observed: questions about its own data refuse a model that observes other values.
//!
//! Mutations that these tests are meant to detect: no hash in the run; a hash of the predictors too; a hash that does not depend on the order.

use bayes::Error;
use bayes::comparison::ComparisonError;
use bayes::predict::PredictionError;
use bayes::prelude::*;

#[model]
fn line(#[rows] x: &[f64], #[rows] y: &[f64]) {
    let a = sample(Normal::new(0.0, 2.0));
    let b = sample(Normal::new(0.0, 2.0));
    for i in 0..y.len() {
        observe(y[i], Normal::new(a + b * x[i], 1.0));
    }
}

#[model]
fn level(size: &[f64]) {
    let mu = sample(Normal::new(0.0, 2.0));
    observe(size, Normal::new(mu, 1.0));
}

/// Bounds of censoring count as data.
#[model]
fn cut(size: &[f64], limit: f64) {
    let mu = sample(Normal::new(0.0, 2.0));
    for i in 0..size.len() {
        observe(size[i], Normal::new(mu, 1.0).censored(-9.0, limit));
    }
}

#[model]
fn by_factor(size: &[f64]) {
    let mu = sample(Normal::new(0.0, 2.0));
    for i in 0..size.len() {
        factor(-0.5 * (mu - size[i]).square());
    }
}

const X: [f64; 4] = [-1.0, 0.0, 1.0, 2.0];
const Y: [f64; 4] = [0.3, -0.6, 1.4, 0.9];
const TURNED: [f64; 4] = [0.9, 1.4, -0.6, 0.3];

fn psmc(seed: u64) -> bayes::engine::Smc<bayes::kernel::Hmc> {
    Inference::psmc()
        .particles(32)
        .islands(2)
        .seed(seed)
        .progress(false)
}

#[test]
fn bayes_factors_need_the_same_observed_values_and_no_more() {
    let first = psmc(1).run(&line(&X, &Y)).unwrap();
    let others = psmc(2).run(&line(&TURNED, &Y)).unwrap();
    let level_run = psmc(3).run(&level(&Y)).unwrap();
    for other in [&others, &level_run] {
        let factor = first.log_bayes_factor(other).expect("the same values");
        assert!(factor.is_some_and(|factor| factor.mean.is_finite()));
    }
    let mut near = Y;
    near[2] += 1e-12;
    for unlike in [
        psmc(4).run(&level(&near)).unwrap(),
        psmc(4).run(&level(&TURNED)).unwrap(),
        psmc(4).run(&level(&Y[..3])).unwrap(),
        // the third value is at its limit
        psmc(4).run(&cut(&Y, 1.4)).unwrap(),
    ] {
        let refused = first.log_bayes_factor(&unlike);
        assert!(
            matches!(
                refused,
                Err(Error::Comparison(ComparisonError::Data { .. }))
            ),
            "{refused:?}"
        );
    }
    // no value is above the limit
    let all_known = psmc(4).run(&cut(&Y, 2.0)).unwrap();
    assert!(first.log_bayes_factor(&all_known).is_ok());
    // nobody knows what a factor stands for
    let unknown = psmc(4).run(&by_factor(&Y)).unwrap();
    assert!(unknown.observed_data.is_empty());
    assert!(first.log_bayes_factor(&unknown).is_ok());
}

#[test]
fn the_hash_is_in_the_file_and_runs_without_it_are_not_compared() {
    let run = psmc(1).run(&level(&Y)).unwrap();
    let unlike = psmc(2).run(&level(&TURNED)).unwrap();
    let mut bytes = Vec::new();
    run.to_json(&mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let read = Run::from_json(&text).expect("a run");
    assert!(read.log_bayes_factor(&unlike).is_err());
    let line = format!("\"observed_data\":\"{}\",", run.observed_data);
    assert!(text.contains(&line), "{}", &text[..400]);
    let unknown = Run::from_json(&text.replace(&line, "")).expect("a run without a hash");
    assert!(unknown.log_bayes_factor(&unlike).is_ok());
}

#[test]
fn answers_about_the_data_of_a_run_refuse_others() {
    let run = psmc(1).run(&line(&X, &Y)).unwrap();
    let model = line(&X, &Y);
    let mut near = Y;
    // the log likelihoods agree to the digits that sums have
    near[2] += 1e-7;
    let unlike = line(&X, &near);
    let first = |_: DrawView<'_>, y: &[f64]| y[0];
    let outcomes = [
        run.loo(&unlike).map(|_| ()),
        run.waic(&unlike).map(|_| ()),
        run.loo_pit(&unlike, "y").map(|_| ()),
        run.p_value(&unlike, "y", first).map(|_| ()),
    ];
    for outcome in outcomes {
        let error = outcome.expect_err("another value");
        let Error::Prediction { source, .. } = &error else {
            panic!("{error}");
        };
        assert_eq!(*source, PredictionError::OtherObserved);
    }
    assert!(run.loo(&model).is_ok() && run.p_value(&model, "y", first).is_ok());
    // other predictors of the same values
    let error = run
        .p_value(&line(&TURNED, &Y), "y", first)
        .expect_err("other x");
    assert!(error.to_string().contains("log likelihood"), "{error}");
    // predictions are for any data
    assert!(run.predict(unlike).is_ok());
    // rows have the hash of their own values
    let rows = model.subset(&[0, 1]).unwrap();
    let of_rows = psmc(1).run(&rows).unwrap();
    assert!(of_rows.loo(&rows).is_ok());
    assert!(of_rows.p_value(&model, "y", first).is_err());
}
