//! `model.given(..)`: the posterior given values of some random quantities.
//!
//! Mutations seen: the density of the given values left out; given values of a loop used in another order.

use bayes::prelude::*;

#[model]
fn noisy(#[rows] y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let tau = sample(HalfNormal::new(1.0));
    observe(y, Normal::new(mu, tau));
}

const Y: [f64; 5] = [0.3, -2.1, 1.9, 2.4, 0.8];
const TAU: f64 = 2.0;

/// Log density of Y given mu = 0 and tau, mu integrated out: all pairs have the covariance 1.
fn log_evidence(y: &[f64], tau: f64) -> f64 {
    let (n, variance) = (y.len() as f64, tau * tau);
    let (sum, square) = (y.iter().sum::<f64>(), y.iter().map(|y| y * y).sum::<f64>());
    let determinant = (n - 1.0) * variance.ln() + (variance + n).ln();
    let quadratic = (square - sum * sum / (variance + n)) / variance;
    -0.5 * (n * std::f64::consts::TAU.ln() + determinant + quadratic)
}

#[test]
fn the_others_are_sampled_and_the_values_count() {
    let model = noisy(&Y);
    let given = model.given(&[("tau", &[TAU])]).expect("a scale");
    let run = Inference::psmc()
        .particles(1024)
        .islands(8)
        .seed(1)
        .progress(false);
    let run = run.run(&given).expect("the model is sound");
    // the density of the given value is not an observation
    run.loo(&given).expect("it is the model of the run");
    assert_eq!(run.layout.names(), ["mu"]);
    let n = Y.len() as f64;
    let mean = Y.iter().sum::<f64>() / (n + TAU * TAU);
    let found = run.mean_estimates("mu").expect("it is sampled")[0];
    assert!(
        (found.mean - mean).abs() < 4.0 * found.se && found.se < 0.05,
        "{found}, exactly {mean}"
    );
    // log density of HalfNormal(1) at 2
    let prior = 0.5 * (2.0 / std::f64::consts::PI).ln() - 0.5 * TAU * TAU;
    let exact = log_evidence(&Y, TAU) + prior;
    let found = run.log_evidence_estimate().expect("islands");
    assert!(
        (found.mean - exact).abs() < 4.0 * found.se && found.se < 0.05,
        "{found}, exactly {exact}"
    );
    // subsets and predictions keep the given value
    let part = given.subset(&[0, 2, 4]).expect("three rows");
    let chains = Inference::nuts()
        .draws(1000)
        .seed(1)
        .progress(false)
        .run(&part)
        .expect("sound");
    let wanted = (Y[0] + Y[2] + Y[4]) / (3.0 + TAU * TAU);
    let found = chains.mean_estimates("mu").expect("it is sampled")[0];
    assert!(
        (found.mean - wanted).abs() < 4.0 * found.se,
        "{found}, exactly {wanted}"
    );
    let draws = run
        .predict(&given)
        .and_then(|p| p.draws("y"))
        .expect("the same quantities");
    let row = draws
        .rows()
        .zip(&draws.weights)
        .map(|(row, w)| w * (row[0] - mean).powi(2));
    // the noise plus the uncertainty of mu
    let variance = TAU * TAU + TAU * TAU / (n + TAU * TAU);
    assert!((row.sum::<f64>() / variance - 1.0).abs() < 0.1);
}

#[model]
fn levels(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    for i in 0..y.len() {
        let level = sample(Normal::new(mu, 1.0));
        let counts = sample(Poisson::new(level.exp()));
        observe(y[i], Normal::new(level + counts, 1.0));
    }
}

#[test]
fn values_of_a_loop_are_in_its_order() {
    let model = levels(&[0.0, 4.0]);
    let (level, counts) = ([0.5, -1.0], [1.0, 3.0]);
    let given = model
        .given(&[("counts", &counts), ("level", &level)])
        .expect("two each");
    // mu | level is Normal(-0.5 / 3, sqrt(1/3))
    let run = Inference::random_walk()
        .draws(2000)
        .seed(1)
        .progress(false)
        .run(&given)
        .expect("sound");
    let found = run.mean_estimates("mu").expect("it is sampled")[0];
    assert!((found.mean + 0.5 / 3.0).abs() < 4.0 * found.se, "{found}");
    // the density at a point equals the density of the whole model
    let normal = |x: f64, mean: f64| -0.5 * (x - mean).powi(2) - 0.5 * std::f64::consts::TAU.ln();
    let exact = normal(0.2, 0.0)
        + normal(0.5, 0.2)
        + normal(-1.0, 0.2)
        + (0.5 - 0.5f64.exp())
        + (-3.0 - (-1f64).exp() - 6f64.ln())
        + normal(0.0, 1.5)
        + normal(4.0, 2.0);
    let found = given
        .log_density_at(&[("mu", &[0.2])])
        .expect("it is complete");
    assert!(
        (found.terms.iter().map(|(_, term)| term).sum::<f64>() - exact).abs() < 1e-12,
        "{found:?}, exactly {exact}"
    );
}

#[test]
fn values_that_do_not_fit_are_refused() {
    let model = levels(&[0.0, 4.0]);
    let refused = |values: &[(&str, &[f64])]| model.given(values).expect_err("wrong").to_string();
    assert!(
        refused(&[("nu", &[1.0])]).contains("no quantity `nu`; it has `mu`, `level`, `counts`")
    );
    assert!(
        refused(&[("level", &[1.0])]).contains("`level` has 2 elements, got 1"),
        "{}",
        refused(&[("level", &[1.0])])
    );
    assert!(refused(&[("mu", &[1.0, 2.0])]).contains("`mu` has 1 element, got 2"));
    let negative = refused(&[("counts", &[1.0, -1.0])]);
    assert!(negative.contains("`counts` in `let counts = sample(Poisson::new(level.exp()))` cannot have the given value"), "{negative}");
    let all: [(&str, &[f64]); 3] = [("mu", &[0.0]), ("level", &[0.0; 2]), ("counts", &[0.0; 2])];
    assert!(refused(&all).contains("nothing is left to sample"));
}
