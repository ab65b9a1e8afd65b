//! Observations that are impossible at every prior draw.

use bayes::prelude::*;

/// Data that the prior cannot produce, in a loop, together with possible observations.
#[model]
fn impossible_later(y: &[f64]) {
    let low = sample(Uniform::new(-1.0, 0.0));
    for i in 0..y.len() {
        observe(y[i], Normal::new(low, 1.0));
        observe(y[i], Uniform::new(low, low + 2.0));
    }
}

/// Meant to detect: an index into the data of a single execution.
#[test]
fn an_impossible_observation_in_a_loop_is_reported_with_its_index() {
    let model = impossible_later(&[0.1, 0.2, 7.25]);
    let wanted = "-inf, first at the observation with index 2 of those evaluated, which is 7.25";
    let run = Inference::smc().particles(50).progress(false).run(&model);
    let text = run.expect_err("no draw has a density").to_string();
    assert!(text.contains(&format!("is {wanted}; check")), "{text}");
    let found = model.explain(&[0.5]).expect("one coordinate");
    let (statement, cause) = &found.causes[0];
    assert_eq!(
        statement.text,
        "observe(y[i], Uniform::new(low, low + 2.0))"
    );
    assert_eq!(cause, wanted);
}
