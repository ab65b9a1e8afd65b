//! Reference values for the statistics of chains, computed by ArviZ (see `references.json`).

use super::{ess, rhat};
use serde::Deserialize;

#[derive(Deserialize)]
struct References {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    chains: Vec<Vec<f64>>,
    r_hat: f64,
    r_hat_plain: f64,
    ess_bulk: f64,
    ess_tail: f64,
    ess_mean: f64,
    ess_plain: f64,
}

fn cases() -> Vec<Case> {
    let references: References =
        serde_json::from_str(include_str!("references.json")).expect("the file is well formed");
    references.cases
}

fn assert_all_agree(statistic: fn(&[Vec<f64>]) -> f64, expected: fn(&Case) -> f64) {
    for case in cases() {
        let (value, expected) = (statistic(&case.chains), expected(&case));
        let error = (value / expected - 1.0).abs();
        assert!(error < 1e-9, "{}: {value}, ArviZ has {expected}", case.name);
    }
}

#[test]
fn r_hat_agrees() {
    assert_all_agree(rhat::chains, |case| case.r_hat);
    assert_all_agree(rhat::plain, |case| case.r_hat_plain);
}

#[test]
fn effective_sizes_agree() {
    assert_all_agree(ess::plain, |case| case.ess_plain);
    assert_all_agree(ess::of_mean, |case| case.ess_mean);
    assert_all_agree(ess::bulk, |case| case.ess_bulk);
    assert_all_agree(ess::tail, |case| case.ess_tail);
}

#[test]
fn autocorrelation_time_is_draws_over_ess() {
    let case = &cases()[0];
    let draws = (case.chains.len() * case.chains[0].len()) as f64;
    let time = ess::autocorrelation_time(&case.chains);
    assert!((time - draws / case.ess_mean).abs() < 1e-9);
}

#[test]
fn there_is_no_answer_for_constant_or_tiny_chains() {
    for chains in [
        vec![vec![1.0; 10]; 4],
        vec![vec![1.0, 2.0, 3.0]; 4],
        Vec::new(),
    ] {
        assert!(rhat::chains(&chains).is_nan());
        assert!(ess::bulk(&chains).is_nan() && ess::tail(&chains).is_nan());
    }
    assert!(rhat::islands(&[vec![1.0, 2.0, 3.0]]).is_nan());
}
