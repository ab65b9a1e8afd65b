//! Data drawn from the prior and at given values.

use bayes::prelude::*;

#[test]
fn prior_predictive_draws_have_the_moments_of_the_prior() {
    #[model]
    fn shift(y: &[f64]) {
        let mu = sample(Normal::new(3.0, 2.0));
        observe(y, Normal::new(mu, 1.0));
    }
    let model = shift(&[0.0; 2]);
    let prediction = prior_predictive(model, 4000)
        .expect("the prior is proper")
        .seed(1);
    let draws = prediction.draws("y").expect("it is observed");
    assert_eq!((draws.weights.len(), draws.elements), (4000, 2));
    let moment = |f: &dyn Fn(&[f64]) -> f64| draws.rows().map(f).sum::<f64>() / 4000.0;
    // standard errors: √(5/4000) of the means, √(2·25/4000) of the variance, √((16 + 25)/4000) of the covariance
    assert!((moment(&|y| y[0]) - 3.0).abs() < 4.0 * 0.035);
    assert!((moment(&|y| (y[0] - 3.0).powi(2)) - 5.0).abs() < 4.0 * 0.112);
    assert!((moment(&|y| (y[0] - 3.0) * (y[1] - 3.0)) - 4.0).abs() < 4.0 * 0.101);
}

#[test]
fn an_improper_prior_predicts_nothing() {
    #[model]
    fn flat(y: &[f64]) {
        let mu = sample(Flat::new());
        observe(y, Normal::new(mu, 1.0));
    }
    let error = prior_predictive(flat(&[0.0]), 10)
        .expect_err("it has no draws")
        .to_string();
    assert!(
        error.contains("`mu` in `let mu = sample(Flat::new())`"),
        "{error}"
    );
    assert!(
        error.contains("its prior is improper, but prior predictive draws begin with it"),
        "{error}"
    );
    let error = prior_predictive(flat(&[0.0]), 0)
        .expect_err("no draws")
        .to_string();
    assert_eq!(error, "setting `draws` is 0, must be at least 1");
}

#[model]
fn levels(#[rows] y: &[f64]) {
    let mu = sample(Flat::new());
    let tau = sample(HalfNormal::new(1.0));
    for i in 0..y.len() {
        let theta = sample(Normal::new(mu, tau));
        observe(y[i], Normal::new(theta, 0.1));
    }
}

#[test]
fn data_are_simulated_at_given_values() {
    let model = levels(&[0.0; 3]);
    let at = |values: &[(&str, &[f64])]| {
        prior_predictive_at(model, values, 4000).and_then(|p| p.draws("y"))
    };
    // all quantities given: y[i] ~ N(theta[i], 0.1)
    let theta = [1.0, 5.0, -2.0];
    let y = at(&[("mu", &[0.0]), ("tau", &[0.5]), ("theta", &theta)]).expect("they fit");
    for (mean, wanted) in y.mean().iter().zip(theta) {
        assert!((mean - wanted).abs() < 5.0 * 0.1 / 4000f64.sqrt(), "{mean}");
    }
    // some given: theta[i] ~ N(3, 2)
    let y = at(&[("mu", &[3.0]), ("tau", &[2.0])]).expect("they fit");
    let square = y.rows().map(|row| (row[1] - 3.0).powi(2)).sum::<f64>() / 4000.0;
    assert!((square - 4.01).abs() < 0.4, "{square}");
    let refused = |values: &[(&str, &[f64])]| at(values).expect_err("they do not fit").to_string();
    assert!(refused(&[("tau", &[2.0])]).contains("`mu` in `let mu = sample(Flat::new())`"));
    assert!(
        refused(&[("mu", &[0.0]), ("tau", &[-1.0])]).contains(
            "`tau` in `let tau = sample(HalfNormal::new(1.0))` cannot have the given value"
        )
    );
    assert!(
        refused(&[("mu", &[0.0]), ("theta", &[1.0])]).contains("`theta` has 3 elements, got 1")
    );
    assert!(refused(&[("nu", &[0.0])]).contains("no quantity `nu`; it has `mu`, `tau`, `theta`"));
}
