//! What is told before predictions are compared with the data.

use bayes::prelude::*;

#[model]
fn autoregression(y: &[f64]) {
    let phi = sample(Uniform::new(-1.0, 1.0));
    for t in 1..y.len() {
        observe(y[t], Normal::new(phi * y[t - 1], 1.0));
    }
}

#[test]
fn predictions_one_step_ahead_of_the_data_are_told() {
    let model = autoregression(&[0.0; 5]);
    let is_told = |notes: &[String]| matches!(notes, [note] if note.starts_with("`y`: the model also reads it"));
    let prior = prior_predictive(&model, 10).unwrap();
    assert!(is_told(&prior.notes()), "{:?}", prior.notes());
    assert!(prior.summary().to_string().contains("one step ahead"));
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
