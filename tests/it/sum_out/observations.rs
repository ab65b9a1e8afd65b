//! Observations after `sum_out`: leave-one-out estimates, rows, supports, sensitivities.

use super::refusals::too_few;
use super::{FIRST, SECOND, Y, classes, mixture, pairs};
use bayes::prelude::*;

/// Mutation seen: an analysis that added the terms of `observe` and `factor`, but not of sums.
#[test]
fn the_likelihood_of_a_sensitivity_has_the_sums() {
    let engine = || Inference::smc().particles(256).seed(1).progress(false);
    let summed = engine()
        .run(&classes(&Y))
        .unwrap()
        .sensitivity(&classes(&Y))
        .unwrap();
    let by_hand = engine()
        .run(&mixture(&Y))
        .unwrap()
        .sensitivity(&mixture(&Y))
        .unwrap();
    for (found, want) in summed.rows.iter().zip(&by_hand.rows) {
        assert!(
            (found.likelihood - want.likelihood).abs() < 1e-6,
            "{summed} and {by_hand}"
        );
    }
}

/// Mutation meant to be detected: an execution counted once for each value.
#[test]
fn a_model_with_sums_describes_its_data_once() {
    let model = pairs(&FIRST, &SECOND);
    let run = Inference::smc()
        .particles(64)
        .seed(1)
        .progress(false)
        .run(&model)
        .unwrap();
    let prediction = run.predict(model).unwrap();
    let found: Vec<(String, usize, usize)> = prediction
        .observed()
        .iter()
        .map(|o| (o.name.clone(), o.data.len(), o.observations))
        .collect();
    let want = [("first".to_owned(), 4, 4), ("second".to_owned(), 4, 0)];
    assert_eq!(found, want);
    assert_eq!(run.loo(&model).unwrap().pointwise.len(), 4);
}

/// Classes with weights by `factor`, in addition to the probability of 1/2.
#[model]
fn weighted(won: &[bool], weight: f64) {
    let p = sample(Beta::new(2.0, 2.0).iid(2));
    for i in 0..won.len() {
        let class = sum_out(Bernoulli::new(0.5));
        factor(weight * class as f64);
        observe(won[i], Bernoulli::new(p[class]));
    }
}

/// Mutation seen: a term of a leave-one-out estimate that is not a density, because the factor was taken as data.
#[test]
fn a_factor_weights_the_values_and_is_no_observation() {
    let model = weighted(&[true, false, true], 1.5);
    let run = Inference::nuts()
        .draws(200)
        .seed(1)
        .progress(false)
        .run(&model)
        .unwrap();
    let prediction = run.predict(model).unwrap();
    let terms = prediction.log_likelihood().unwrap();
    let probabilities = prediction.probabilities("won").unwrap();
    let share = 1.5_f64.exp() / (1.0 + 1.5_f64.exp());
    for (m, p) in run.draws("p").unwrap().rows().enumerate() {
        let won = (1.0 - share) * p[0] + share * p[1];
        let want = [won.ln(), (1.0 - won).ln(), won.ln()];
        for (found, want) in terms.rows().nth(m).unwrap().iter().zip(want) {
            assert!((found - want).abs() < 1e-12, "{found} and {want}");
        }
        let found = probabilities.member(m)[1];
        assert!((found - won).abs() < 1e-12, "{found} and {won}");
    }
}

/// A random bound, under a sum over one value for all data.
#[model]
fn bounded(y: &[f64]) {
    let top = sample(Gamma::new(20.0, 2.0));
    let wide = sum_out(Bernoulli::new(0.5));
    observe(y, Uniform::new(0.0, top * (1.0 + wide as f64)));
}

/// Mutation seen: the index of an element used as the index of an observation.
#[test]
fn supports_in_sums_belong_to_their_observation() {
    let model = bounded(&[1.0, 2.0, 9.5, 3.0]);
    let run = Inference::smc()
        .particles(256)
        .seed(1)
        .progress(false)
        .run(&model)
        .unwrap();
    let loo = run.loo(&model).unwrap();
    assert_eq!(loo.pareto_k.len(), 1);
    assert!(loo.pareto_k[0].is_infinite(), "{loo}");
}

#[test]
fn rows_with_a_value_each_are_independent() {
    let whole = pairs(&FIRST, &SECOND);
    let at: [(&str, &[f64]); 1] = [("mean", &[-0.5, 2.0])];
    let likelihood = |rows: &[usize]| {
        let subset = whole.subset(rows).unwrap();
        subset.log_density_at(&at).unwrap().log_likelihood
    };
    let all = whole.log_density_at(&at).unwrap().log_likelihood;
    assert!((likelihood(&[0, 3]) + likelihood(&[1, 2]) - all).abs() < 1e-12);
    let folds = k_fold(&whole, 4, 1, |part| {
        Inference::nuts()
            .draws(200)
            .seed(1)
            .progress(false)
            .run(part)
    });
    assert_eq!(folds.unwrap().pointwise.len(), 4);
}

#[test]
fn data_that_no_value_allows_have_no_likelihood() {
    let run = Inference::nuts()
        .draws(100)
        .seed(1)
        .progress(false)
        .run(&too_few(&[3, 5]))
        .unwrap();
    let error = run
        .predict(too_few(&[600]))
        .unwrap()
        .log_likelihood()
        .unwrap_err();
    assert!(error.to_string().contains("600"), "{error}");
}
