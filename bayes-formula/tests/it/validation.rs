//! Cross-validation by runs without some of the rows.

use crate::of;
use bayes::comparison::Method;
use bayes::prelude::*;
use bayes_formula::{Regression, formula};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A line through twelve points, of which the last is five standard deviations away from it.
fn line() -> (Regression, Run) {
    let mut rows = String::from("y,x\n");
    for row in 0..12_usize {
        let x = row as f64 / 4.0;
        let away = if row == 11 { 1.6 } else { 0.0 };
        rows += &format!("{},{x}\n", x + 0.3 * (row as f64 * 2.1).sin() + away);
    }
    let regression = formula("y ~ x").expect("a formula").on(&of(&rows));
    let regression = regression.expect("it fits the table");
    let engine = Inference::nuts().chains(2).draws(500).seed(1);
    let run = engine.progress(false).run(&regression).expect("it runs");
    (regression, run)
}

/// Would detect users of formulas who are sent to Rust, and to a mark of arguments that they do not have.
#[test]
fn rows_of_bad_k_hats_are_fitted_again() {
    let (regression, run) = line();
    let loo = run.loo(&regression).expect("its run");
    let bad = loo.bad();
    assert_eq!(bad, [11]);
    let warnings = loo.warnings().concat();
    assert!(
        warnings.contains("Use `elpd.refit(..)` for these observations, or `k_fold(..)`;"),
        "{warnings}"
    );
    assert!(!warnings.contains("#["), "{warnings}");
    let exact = regression.refitted_loo(&run).expect("it runs again");
    assert_eq!(exact.bad(), [0; 0]);
    // the terms of rows whose weights have a variance stay
    for row in 0..11 {
        let [new, old] = [&exact, &loo].map(|elpd| elpd.pointwise[row]);
        assert_eq!(new == old, loo.pareto_k[row] <= 0.5, "{row}: {new}, {old}");
        assert!((new - old).abs() < 0.2, "{row}: {new}, {old}");
    }
    // by weights of draws that know the row its term is too high
    let [term, by_weights] = [&exact, &loo].map(|elpd| elpd.pointwise[11]);
    assert!(term < by_weights - 0.2, "{term}, {by_weights}");
}

#[test]
fn folds_leave_out_each_row_once_and_are_near_the_exact_terms() {
    let (regression, run) = line();
    let folds = regression.k_fold(&run, 12).expect("it runs again");
    assert_eq!(folds.method, Method::KFold);
    let exact = regression.refitted_loo(&run).expect("it runs again");
    for row in 0..11 {
        let [a, b] = [&folds, &exact].map(|elpd| elpd.pointwise[row]);
        assert!((a - b).abs() < 0.25, "{row}: {a}, {b}");
    }
    assert!(regression.k_fold(&run, 13).is_err());
    // of runs without warnings nothing is said
    for elpd in [&folds, &exact] {
        assert!(!elpd.warnings().concat().contains("runs without rows"));
    }
}

/// Would detect one fold, which fits the prior alone to no rows.
#[test]
fn fewer_than_two_folds_are_refused() {
    let (regression, run) = line();
    for folds in [0, 1] {
        let error = regression.k_fold(&run, folds).expect_err("too few");
        let words = format!("`folds` is {folds}; it must be a whole number from 2 on");
        assert!(error.to_string().starts_with(&words), "{error}");
    }
}

/// Would detect the parts of runs that were stopped as terms of the estimate.
#[test]
fn folds_that_are_stopped_are_no_estimate() {
    let (regression, run) = line();
    let stop = Arc::new(AtomicBool::new(true));
    assert!(regression.k_fold_until(&run, 3, &stop).is_err());
    assert!(regression.refitted_loo_until(&run, &stop).is_err());
}

/// Would detect warnings of refits that nobody sees: an approximation without correlations, of two columns that are nearly the same.
#[test]
fn warnings_of_runs_without_rows_are_told() {
    let mut rows = String::from("y,x,z\n");
    for row in 0..24_usize {
        let x = (row as f64 * 1.3).sin();
        let z = x + 0.05 * (row as f64 * 0.7).cos();
        rows += &format!("{},{x},{z}\n", x + 0.3 * (row as f64 * 2.1).sin());
    }
    let regression = formula("y ~ x + z").expect("a formula").on(&of(&rows));
    let regression = regression.expect("it fits the table");
    let engine = Inference::vi().seed(1).progress(false);
    let run = engine.run(&regression).expect("it runs");
    assert!(!run.warnings().is_empty());
    let folds = regression.k_fold(&run, 2).expect("it runs again");
    let warnings = folds.warnings().join("\n");
    assert!(
        warnings.contains("2 of 2 runs without rows have warnings, such as: "),
        "{warnings}"
    );
}
