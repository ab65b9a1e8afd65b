//! Properties at random valid parameters, which are the same in every run.

use crate::battery::{Subject, stream};
use bayes_model::dist::Constraint;
use proptest::prelude::*;
use proptest::strategy::{BoxedStrategy, ValueTree};
use proptest::test_runner::TestRunner;

/// A parameter's values of sizes from 10⁻ᵈ to 10ᵈ, including the ends of the allowed range.
fn parameter(allowed: Constraint, decades: f64) -> BoxedStrategy<f64> {
    let size = (-decades..decades).prop_map(|exponent| 10_f64.powf(exponent));
    match allowed {
        Constraint::Finite => prop_oneof![Just(0.0), -5.0..5.0, size.prop_map(|x: f64| -x)].boxed(),
        Constraint::Positive => size.boxed(),
        Constraint::NonNegative => prop_oneof![Just(0.0), size].boxed(),
        Constraint::Probability => prop_oneof![Just(0.0), Just(1.0), 0.0..1.0, 1e-12..1e-3].boxed(),
        Constraint::Count => (0_u32..200).prop_map(f64::from).boxed(),
        Constraint::Integer => (-200_i32..200).prop_map(f64::from).boxed(),
    }
}

/// `cases` values of every parameter.
pub fn parameters(allowed: &[Constraint], decades: f64, cases: usize) -> Vec<Vec<f64>> {
    let each: Vec<_> = allowed
        .iter()
        .map(|allowed| parameter(*allowed, decades))
        .collect();
    let mut runner = TestRunner::deterministic();
    let mut case = || each.new_tree(&mut runner).unwrap().current();
    (0..cases).map(|_| case()).collect()
}

/// At draws, and at the values of coordinates near and far.
pub fn density_is_a_number_within_the_support(subject: &Subject) {
    let mut valid = 0;
    for values in parameters(&subject.allowed(), 3.0, 400) {
        let distribution = subject.known(&values);
        if distribution.check().is_err() {
            continue;
        }
        valid += 1;
        let mut points: Vec<f64> = (0..8)
            .flat_map(|item| distribution.draw(&mut stream(item)))
            .collect();
        let drawn = points.len();
        if !subject.is_discrete() {
            for u in [-700.0, -40.0, -3.0, 0.0, 0.5, 9.0, 40.0, 700.0] {
                points.push(distribution.constrain(u).0);
            }
        }
        for (i, x) in points.into_iter().enumerate() {
            let log_density = subject.log_density(x, &values);
            let place = format!("{values:?} at {x:e}: {log_density}");
            assert!(x.is_finite() && !log_density.is_nan(), "{place}");
            // a draw from a tail without moments may lie where the density itself underflows
            let ordinary = i < drawn && x.abs() < 1e150;
            assert!(!ordinary || log_density.is_finite(), "a draw from {place}");
        }
    }
    assert!(valid > 100, "only {valid} parameters were valid");
}
