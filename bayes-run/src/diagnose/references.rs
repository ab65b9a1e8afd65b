//! Reference values for the statistics of chains, computed by ArviZ (see `references.json` and `tests/data/diagnostics`).

use super::student::fisher_quantile;
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

/// Written by `tests/data/diagnostics/diagnostics.py`.
#[derive(Deserialize)]
struct Further {
    nested: Vec<NestedCase>,
    probabilities: Vec<f64>,
    intervals: Vec<[f64; 2]>,
    sizes: Vec<Sizes>,
    f: Vec<FQuantile>,
}

#[derive(Deserialize)]
struct NestedCase {
    name: String,
    chains: Vec<Vec<f64>>,
    superchains: Vec<usize>,
    plain: f64,
    ranked: f64,
}

/// Effective sizes of a case of `references.json`, in the same order.
#[derive(Deserialize)]
struct Sizes {
    quantile: Vec<f64>,
    local: Vec<f64>,
    bulk_of_first: Vec<(usize, f64)>,
}

#[derive(Deserialize)]
struct FQuantile {
    degrees: [f64; 2],
    tail: f64,
    quantile: f64,
}

fn further() -> Further {
    let text = include_str!("../../tests/data/diagnostics/diagnostics.json");
    serde_json::from_str(text).expect("the file is well formed")
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

// Mutation seen: an open interval in place of the closed one.
#[test]
fn effective_sizes_of_quantiles_and_intervals_agree() {
    let further = further();
    for (case, sizes) in cases().iter().zip(further.sizes) {
        let agrees = |found: f64, wanted: f64| {
            // if no draw or every draw is inside, ArviZ gives the number of draws
            let draws = case.chains.concat().len() as f64;
            let is_constant = found.is_nan() && wanted == draws;
            let error = (found / wanted - 1.0).abs();
            assert!(
                is_constant || error < 1e-9,
                "{}: {found}, ArviZ has {wanted}",
                case.name
            );
        };
        for (probability, wanted) in further.probabilities.iter().zip(sizes.quantile) {
            agrees(ess::of_quantile(&case.chains, *probability), wanted);
        }
        for (interval, wanted) in further.intervals.iter().zip(sizes.local) {
            agrees(ess::of_interval(&case.chains, *interval), wanted);
        }
        let evolution = ess::evolution(&case.chains, case.chains[0].len());
        for (draws, wanted) in sizes.bulk_of_first {
            let found = evolution
                .iter()
                .find(|at| at.draws == draws * case.chains.len());
            agrees(
                found.expect("every number of draws is a point").bulk,
                wanted,
            );
        }
    }
}

#[test]
fn nested_r_hat_agrees() {
    for NestedCase {
        name,
        chains,
        superchains,
        plain,
        ranked,
    } in further().nested
    {
        let found = rhat::nested(&chains, &superchains);
        assert!(
            (found - plain).abs() < 1e-12,
            "{name}: {found}, ArviZ has {plain}"
        );
        let found = rhat::superchains(&chains, &superchains);
        assert!(
            (found - ranked).abs() < 1e-9,
            "{name}: {found}, ArviZ has {ranked}"
        );
    }
}

#[test]
fn quantiles_of_fishers_f_agree() {
    for case in further().f {
        let [numerator, denominator] = case.degrees;
        let found = fisher_quantile(case.tail, numerator, denominator);
        let error = (found / case.quantile - 1.0).abs();
        assert!(
            error < 1e-9,
            "{:?}: {found}, SciPy has {}",
            case.degrees,
            case.quantile
        );
    }
    assert!(fisher_quantile(0.01, 3.0, 0.0).is_nan());
}

#[test]
fn there_is_no_nested_r_hat_without_two_superchains_of_two_draws() {
    let chains = vec![vec![1.0], vec![2.0], vec![4.0]];
    assert!(rhat::nested(&chains, &[0, 0, 0]).is_nan());
    assert!(rhat::nested(&chains, &[0, 0, 1]).is_nan());
    assert!(rhat::superchains(&vec![vec![1.0]; 4], &[0, 0, 1, 1]).is_nan());
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
