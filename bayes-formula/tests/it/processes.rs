//! Gaussian processes: the posterior against the exact process, names and refusals.

use crate::of;
use crate::refusals::refusal;
use bayes::prelude::*;
use bayes_formula::{Family, Prior, Regression, formula};

const X: [f64; 15] = [
    0.0, 0.4, 1.1, 1.5, 2.2, 2.9, 3.3, 4.0, 4.6, 5.0, 5.7, 6.1, 7.0, 7.6, 8.0,
];
const Y: [f64; 15] = [
    0.1, 0.35, 1.32, 1.75, 1.22, 1.02, 0.22, 0.35, 0.44, 0.64, 1.95, 2.19, 3.19, 2.95, 3.13,
];

fn rows() -> String {
    let row = |(x, y): (&f64, &f64)| format!("{x},{y},0.25\n");
    let rows: String = X.iter().zip(&Y).map(row).collect();
    format!("x,y,s\n{rows}")
}

/// The posterior means of the standard deviation, the length scale and the curve at 0.8, 5.3 and 9: from the exact covariance on a grid of
/// both hyperparameters, by NumPy.
const WANTED: [f64; 5] = [1.51599, 1.61871, 0.98564, 1.19759, 2.32690];

#[test]
fn a_process_has_the_posterior_of_its_covariance() {
    let regression = formula("y | se(s) ~ gp(x)")
        .expect("it is a formula")
        .prior("intercept", Prior::normal(0.0, 1.0))
        .prior("sdgp", Prior::exponential(1.0))
        .on(&of(&rows()))
        .expect("it fits the table");
    let priors = regression.priors().to_string();
    assert!(
        priors.contains("lscale[x] ~ inverse_gamma(6.2, 7.6)"),
        "{priors}"
    );
    // With the default target acceptance of 0.8 a run has hundreds of divergences where `sdgp` is large, and the mean of `sdgp` is too
    // low: over 20 seeds its error is 2 to 3.5 times the standard error, with any mass. With 0.95 the two are equal.
    let run = Inference::chains(Nuts::new().target_acceptance(0.95))
        .draws(2000)
        .seed(2)
        .progress(false)
        .run(&regression);
    let run = run.expect("it runs");
    let names = run.layout.element_names();
    for name in ["sdgp[x]", "lscale[x]", "gp[x:1]", "gp[x:40]"] {
        assert!(names.iter().any(|known| known == name), "{name}");
    }
    let new = Regression::of_run_to_predict(&run, &of("x,s\n0.8,0.25\n5.3,0.25\n9,0.25\n"));
    let new = new.expect("it is within twice the range");
    let curve = run
        .predict(&new)
        .expect("it predicts")
        .draws("y")
        .expect("draws")
        .mean();
    let sdgp = run.estimate(|draw| draw.vector("sdgp")[0]);
    let lscale = run.estimate(|draw| draw.vector("lscale")[0]);
    for (found, wanted) in [sdgp, lscale].iter().zip(WANTED) {
        assert!(
            (found.mean - wanted).abs() < 4.0 * found.se,
            "{found}, {wanted}"
        );
    }
    // 8000 draws of a response with standard deviations from 0.3 to 0.6
    for (found, wanted) in curve.iter().zip(&WANTED[2..]) {
        assert!((found - wanted).abs() < 0.04, "{found}, {wanted}");
    }
}

#[test]
fn processes_that_do_not_fit_are_refused() {
    let cases = [
        ("y ~ gp(s)", "`s` is 0.25 in all rows; leave the term out"),
        (
            "y ~ gp(x, 3)",
            "write `gp(x)` or `gp(x, k = 60)`: one column",
        ),
        (
            "y ~ gp(x, k = 10)",
            "the number of functions `k` is a whole number from 40 to 500",
        ),
        (
            "y ~ gp(x) + gp(x, k = 50)",
            "the process of `x` is there twice; leave one out",
        ),
        ("y ~ gp(x):s", "`gp(x)` is a term by itself, of one column"),
        (
            "y ~ 1 - gp(x)",
            "a Gaussian process is added, and not removed",
        ),
    ];
    for (text, wanted) in cases {
        let error = refusal(text, Family::Gaussian, &rows());
        assert!(error.contains(wanted), "{text}: {error}");
    }
    let regression = formula("y ~ gp(x)").and_then(|formula| formula.on(&of(&rows())));
    let error = regression.expect("it fits").of(&of("x\n13\n")).err();
    let error = error.expect("it is too far").to_string();
    assert!(
        error.contains("`x` is 13 in row 1; the process is known from -4 to 12, twice the range where the model was fitted"),
        "{error}"
    );
}
