//! Faults at some draws of the prior: many are refused before the run, few are counted.

use super::{place_in, refusal};
use bayes::autodiff::PlainValue;
use bayes::prelude::*;

/// This file, as messages name it.
const FILE: &str = "tests/it/errors/some_draws.rs";

/// A scale that can be negative under the prior.
#[model]
fn signed(y: &[f64]) {
    let sd = sample(Normal::new(0.0, 1.0));
    for i in 0..y.len() {
        observe(y[i], Normal::new(0.5, sd));
    }
}

/// A probability that can be more than 1 under the prior.
#[model]
fn unbounded(y: &[bool]) {
    let p = sample(HalfNormal::new(2.0));
    observe(y, Bernoulli::new(p));
}

/// The text after the value in the problem of `signed` or `unbounded`.
fn after_the_value(text: &str) -> &str {
    text.split_once(", must be ").map_or(text, |(_, rest)| rest)
}

#[test]
fn a_parameter_out_of_range_at_some_draws_is_refused_at_every_seed() {
    let refusal = |seed| {
        let outcome = Inference::smc()
            .particles(50)
            .seed(seed)
            .run(&signed(&[1.0, 2.0, 0.5]));
        outcome.expect_err("a scale is negative").to_string()
    };
    let text = refusal(0);
    assert!((1..20).all(|seed| refusal(seed) == text), "{text}");
    let at = place_in(
        FILE,
        include_str!("some_draws.rs"),
        "observe(y[i], Normal::new(0.5, sd))",
    );
    assert!(
        text.contains(&format!("({at}): Normal: parameter `sd` at index 0 is -")),
        "{text}"
    );
    assert_eq!(
        after_the_value(&text),
        "a finite number above 0 (and in 2 more iterations; at 3 of 10 prior draws); give it a prior on \
         positive numbers, such as `HalfNormal::new(1.0)`, make it positive with `exp`, or mend negative data in it"
    );
    let text = refusal_of_probability();
    assert_eq!(
        after_the_value(&text),
        "a number from 0 to 1 (at 6 of 10 prior draws); give it a prior on probabilities, such as \
         `Beta::new(1.0, 1.0)`, or make it one with `logistic`"
    );
}

fn refusal_of_probability() -> String {
    refusal(&unbounded(&[true, false]))
}

/// A rate that overflows at most draws.
#[model]
fn overflowing(y: &[u64]) {
    let eta = sample(Normal::new(0.0, 4000.0));
    let more = sample(Normal::new(3000.0, 1.0));
    observe(y, Poisson::new((eta * eta + more).exp()));
}

#[test]
fn a_rate_that_overflows_leads_to_the_family_by_its_logarithm() {
    let text = refusal(&overflowing(&[2, 3]));
    assert!(text.contains("write `PoissonLog::new(log_rate)`"), "{text}");
}

/// A rate that is not finite at one draw in a thousand: the engines count it.
#[model]
fn extreme(y: &[u64]) {
    let log_rate = sample(Normal::new(0.0, 200.0));
    observe(y, Poisson::new(log_rate.exp()));
}

#[test]
fn what_overflows_at_few_draws_is_not_refused() {
    let run = Inference::smc()
        .particles(200)
        .seed(1)
        .progress(false)
        .run(&extreme(&[2, 3]));
    assert!(run.is_ok(), "{run:?}");
}

fn careful<M: Mode>(x: Real<M>) -> Real<M> {
    assert!(x.plain_value() > -1.0, "careful takes numbers above -1");
    x
}

#[model]
fn stops(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let shifted = careful(mu);
    observe(y, Normal::new(shifted, 2.5));
}

#[test]
fn a_function_that_panics_at_some_draws_is_reported_before_the_run() {
    let text = refusal(&stops(&[1.0]));
    assert!(
        text.contains("the model panicked: careful takes numbers above -1 (at 1 of "),
        "{text}"
    );
    assert!(text.ends_with(" prior draws)"), "{text}");
}

/// An interval whose lower end may be above its upper end.
#[model]
fn narrowing(mean: f64) {
    let low = sample(Normal::new(mean, 1.0));
    let s = sample(Uniform::new(low, 1.0));
    factor(0.0 * s);
}

#[test]
fn a_prior_that_is_nan_at_its_own_draws_is_refused() {
    let wanted = "Uniform::new(low, 1.0))` (line";
    let cause = "): Uniform: parameter `high` is 1, must be above `low`; a prior must have a density wherever it draws";
    for text in [
        Inference::psmc().run(&narrowing(0.0)).unwrap_err(),
        Inference::nuts().run(&narrowing(0.0)).unwrap_err(),
    ] {
        let text = text.to_string();
        assert!(
            text.starts_with("the prior density of `narrowing` is NaN at "),
            "{text}"
        );
        assert!(text.contains(wanted) && text.contains(cause), "{text}");
    }
}

/// If only few draws are impossible, they get weight zero and are counted: only initial particles can be at such a position.
#[test]
fn a_prior_that_is_nan_at_few_draws_loses_them_and_warns() {
    let engine = Inference::psmc().islands(4).particles(1024).seed(1);
    let run = engine.run(&narrowing(-1.5)).expect("0.6% have no density");
    let low = run.draws("low").expect("it is a quantity");
    assert!(low.values.iter().all(|low| *low < 1.0));
    // P(low < 1)
    let evidence = run.log_evidence_estimate().expect("islands have one");
    let exact = 0.993_790_334_674_224_f64.ln();
    assert!((evidence.mean - exact).abs() < 0.005, "{evidence}");
    let warnings: Vec<String> = run.warnings().iter().map(ToString::to_string).collect();
    let told = |w: &String| w.contains("Uniform") && w.contains("The density counts as zero there");
    assert!(warnings.iter().any(told), "{warnings:?}");
}
