//! Models that cannot be summed are refused before sampling.

use bayes::Run;
use bayes::prelude::*;

#[model]
fn endless(y: &[u64]) {
    let rate = sample(Gamma::new(2.0, 0.5));
    let n = sum_out(Poisson::new(rate));
    observe(y, Binomial::new(n, 0.4));
}

#[model]
fn several(y: &[f64]) {
    let mean = sample(Normal::new(0.0, 1.0).iid(2));
    let class = sum_out(Bernoulli::new([0.5, 0.5]));
    observe(y, Normal::new(mean[class], 1.0));
}

#[model]
fn uneven(y: &[f64]) {
    let mean = sample(Normal::new(0.0, 1.0));
    for i in 0..y.len() {
        let seen = sum_out(Bernoulli::new(0.5));
        if seen == 1 {
            observe(y[i], Normal::new(mean, 1.0));
        }
    }
}

/// Data that depend on the value: a prediction could not match the numbers.
#[model]
fn chosen(y: &[f64]) {
    let mean = sample(Normal::new(0.0, 1.0));
    let place = sum_out(Bernoulli::new(0.5));
    observe(y[place], Normal::new(mean, 1.0));
}

#[model]
fn too_many(y: &[u64]) {
    let p = sample(Beta::new(1.0, 1.0));
    let a = sum_out(DiscreteUniform::new(0, 1000));
    let b = sum_out(DiscreteUniform::new(0, 1000));
    observe(y, Binomial::new(a + b + 10, p));
}

#[model]
pub fn too_few(y: &[u64]) {
    let p = sample(Beta::new(1.0, 1.0));
    let n = sum_out(DiscreteUniform::new(1, 10));
    observe(y, Binomial::new(n, p));
}

#[test]
fn what_cannot_be_summed_is_refused_before_sampling() {
    let refusal = |run: Result<Run, bayes::Error>| run.unwrap_err().to_string();
    let engine = || Inference::nuts().progress(false);
    for (found, want) in [
        (
            refusal(engine().run(&endless(&[3]))),
            "the values of Poisson cannot be counted here",
        ),
        (
            refusal(engine().run(&several(&[0.1]))),
            "Bernoulli has 2 elements here: sum out one at a time, in a loop",
        ),
        (
            refusal(engine().run(&uneven(&[0.1, 0.2]))),
            "the values 0 and 1 do not observe the same data in the same order (`y`)",
        ),
        (refusal(engine().run(&chosen(&[0.1, 0.2]))), "(`y`)"),
        (refusal(engine().run(&too_few(&[3, 12]))), "`y`"),
        (
            refusal(engine().run(&too_many(&[3]))),
            "`a` and `b` have 1002001 values together: at most 10^6 can be summed",
        ),
    ] {
        assert!(found.contains(want), "{found}");
        assert!(found.contains("refusals.rs:"), "{found}");
    }
}
