//! Properly rejected proposals are counted separately, not as failures of a run.

use bayes::prelude::*;

/// A count that changes at a year.
#[model]
fn change(y: &[u64]) {
    let year = sample(DiscreteUniform::new(0u64, 10u64));
    let rates = sample(Gamma::new(2.0, 1.0).iid(2));
    for (i, count) in y.iter().enumerate() {
        observe(
            count,
            Poisson::new(Real::select(year.gt(i as f64), rates[0], rates[1])),
        );
    }
}

#[test]
fn proposals_beyond_the_bounds_of_a_discrete_quantity_are_counted_apart() {
    let y = [4, 5, 3, 6, 1, 0, 1, 2, 0, 1];
    let run = Inference::random_walk()
        .burn_in(500)
        .draws(500)
        .seed(1)
        .progress(false);
    let run = run.run(&change(&y)).expect("the model is sound");
    let failures = run.failures();
    assert!(failures.outside > 0, "{failures}");
    assert!(failures.rows.is_empty(), "{failures}");
    assert!(
        failures
            .to_string()
            .contains("proposals outside the support"),
        "{failures}"
    );
    assert!(!run.to_string().contains("not finite"), "{run}");
}

/// The mean is NaN for half of the prior.
#[model]
fn undefined(y: f64) {
    let x = sample(Normal::new(0.0, 1.0));
    observe(y, Normal::new(x.sqrt(), 0.3));
}

#[test]
fn nan_of_the_run_itself_are_failures_still() {
    let run = Inference::psmc()
        .islands(2)
        .particles(64)
        .seed(1)
        .progress(false);
    let run = run.run(&undefined(0.9)).expect("the model is sound");
    assert!(run.failures().rows.iter().any(|row| row.times > 0));
    assert!(
        run.warnings()
            .iter()
            .any(|warning| warning.to_string().contains("NaN"))
    );
}
