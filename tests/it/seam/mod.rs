//! Uses of the interface between models and engines: decorators, engines and tools, each in a file with fewer than 60 lines.

mod ais;
mod anchored;
mod by_hand;
mod fixed;
mod pointwise;
mod tests;

use bayes::prelude::*;

/// A mean with a Gaussian prior and unit noise.
#[model]
fn mean(#[rows] y: &[f64]) {
    let mu = sample(Normal::new(0.0, 10.0));
    observe(y, Normal::new(mu, 1.0));
}

const Y: [f64; 8] = [1.3, 0.7, 2.1, 1.9, -0.4, 1.1, 0.2, 1.6];

/// Posterior mean, posterior sd and log evidence of `y ~ Normal(mu, 1), mu ~ Normal(centre, sd)`.
fn conjugate(y: &[f64], centre: f64, sd: f64) -> [f64; 3] {
    let (n, before) = (y.len() as f64, 1.0 / (sd * sd));
    let precision = before + n;
    let mean = (before * centre + y.iter().sum::<f64>()) / precision;
    let squares: f64 = y.iter().map(|y| y * y).sum();
    let exponent = squares + before * centre * centre - precision * mean * mean;
    let log_evidence =
        -0.5 * (exponent + n * std::f64::consts::TAU.ln() + (precision / before).ln());
    [mean, precision.sqrt().recip(), log_evidence]
}

/// Asserts that `found` is within four standard errors of `exact`, and that its standard error is at most `error`.
fn assert_near(found: f64, se: f64, exact: f64, error: f64) {
    assert!(se < error, "the error is {se}, want below {error}");
    let z = (found - exact) / se;
    assert!(z.abs() < 4.0, "{found} ± {se}, exactly {exact}: z = {z}");
}

#[test]
fn every_sketch_is_short() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("seam");
    for file in std::fs::read_dir(folder).expect("the tests are there") {
        let path = file.expect("the folder can be read").path();
        if path.ends_with("tests.rs") {
            continue;
        }
        let lines = std::fs::read_to_string(&path)
            .expect("it is text")
            .lines()
            .count();
        assert!(lines < 60, "{} has {lines} lines", path.display());
    }
}
