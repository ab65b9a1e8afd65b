//! Notes that are printed before predictions are compared with the data.

use bayes::prelude::*;

#[model]
fn autoregression(y: &[f64]) {
    let phi = sample(Uniform::new(-1.0, 1.0));
    for t in 1..y.len() {
        observe(y[t], Normal::new(phi * y[t - 1], 1.0));
    }
}

#[test]
fn predictions_one_step_ahead_of_the_data_are_reported() {
    let model = autoregression(&[0.0; 5]);
    let is_told = |notes: &[String]| matches!(notes, [note] if note.starts_with("`y`: the model also reads it"));
    let prior = prior_predictive(model, 10).unwrap();
    assert!(is_told(&prior.notes()), "{:?}", prior.notes());
    assert!(prior.to_string().contains("one step ahead"));
    let nuts = |data: &SimulatedData, seed| {
        let nuts = Inference::nuts().chains(1).burn_in(50).draws(50);
        nuts.seed(seed).progress(false).run(&data.model(&model))
    };
    let report = sbc(&model, nuts)
        .simulations(10)
        .draws(10)
        .progress(false)
        .run();
    let report = report.unwrap();
    assert!(is_told(&report.notes), "{report}");
    assert!(report.to_string().contains("one step ahead"));
}

/// Methods that leave values out, or draw them anew, say so if the model also reads these values, and only then.
#[test]
fn estimates_without_a_value_that_the_model_reads_elsewhere_are_reported() {
    let y = [0.3, 0.9, 0.1, -0.4, 0.2, 0.6, -0.1, 0.5];
    let nuts = Inference::nuts().chains(2).burn_in(100).draws(100);
    let nuts = nuts.seed(1).progress(false);
    let model = autoregression(&y);
    let run = nuts.run(&model).unwrap();
    let told = "a value that is left out of its own term stays in the terms that read it";
    for found in [run.loo(&model).unwrap(), run.waic(&model).unwrap()] {
        assert!(found.to_string().contains(told), "{found}");
    }
    let jumps = |_: DrawView<'_>, y: &[f64]| y.windows(2).map(|p| (p[1] - p[0]).powi(2)).sum();
    let p = run.p_value(&model, "y", jumps).unwrap();
    assert!(
        p.is_reread && p.to_string().contains("drawn given the data"),
        "{p}"
    );
    let rows = rows_in_order(&y[..7], &y[1..]);
    let folds = k_fold(&rows, 2, 1, |others| nuts.run(others)).unwrap();
    // rows that include their own past values are independent rows
    assert_eq!(folds.warnings(), Vec::<String>::new());
    let run = nuts.run(&rows).unwrap();
    assert!(!run.loo(&rows).unwrap().to_string().contains("also reads"));
    let p = run.p_value(&rows, "y", jumps).unwrap();
    assert!(
        !p.is_reread && !p.to_string().contains("drawn given"),
        "{p}"
    );
    let joined = carried(&y);
    let folds = k_fold(&joined, 2, 1, |others| nuts.run(others)).unwrap();
    let told = "the rows around those that are left out follow each other as if none were missing";
    assert!(folds.to_string().contains(told), "{folds}");
}

/// The same series, each row with the previous value.
#[model]
fn rows_in_order(#[rows] before: &[f64], #[rows] y: &[f64]) {
    let phi = sample(Uniform::new(-1.0, 1.0));
    for t in 0..y.len() {
        observe(y[t], Normal::new(phi * before[t], 1.0));
    }
}

/// The same series with rows that read each other.
#[model]
fn carried(#[rows] y: &[f64]) {
    let phi = sample(Uniform::new(-1.0, 1.0));
    let mut last = 0.0;
    for t in 0..y.len() {
        observe(y[t], Normal::new(phi * last, 1.0));
        last = y[t];
    }
}
