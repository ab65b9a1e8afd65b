//! The names of data that are observed by slices, and of sums over several of them.

use bayes::prelude::*;

#[model]
fn lagged(y: &[f64], lag: usize) {
    let phi = sample(Uniform::new(-1.0, 1.0));
    let past: Vector = Vector::constant(&y[..y.len() - lag]);
    observe(&y[lag..], Normal::new(phi * &past, 1.0));
}

#[model]
fn two_slices(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    observe(&y[..2], Normal::new(mu, 1.0));
    observe(&y[3..], Normal::new(mu, 2.0));
}

const Y: [f64; 5] = [0.1, 0.4, -0.3, 0.8, 0.2];

/// The names of the observations in a leave-one-out estimate.
fn names<Mo: Model + AllSampled + Differentiable>(model: &Mo) -> Vec<String> {
    let run = Inference::nuts().draws(100).seed(1).run(model);
    let loo = run
        .expect("it runs")
        .loo(model)
        .expect("it has observations");
    loo.names.clone()
}

/// The mutation that it detects: the elements of a slice are counted from 0.
#[test]
fn elements_of_slices_have_their_places_in_the_data() {
    assert_eq!(names(&lagged(&Y, 1)), ["y[1]", "y[2]", "y[3]", "y[4]"]);
    assert_eq!(names(&lagged(&Y, 3)), ["y[3]", "y[4]"]);
    assert_eq!(names(&two_slices(&Y)), ["y[0]", "y[1]", "y[3]", "y[4]"]);
    let mut y = Y;
    y[3] = f64::NAN;
    let error = Inference::nuts().run(&two_slices(&y));
    let text = error.expect_err("a value is missing").to_string();
    assert!(text.contains("observation at index 3 is NaN"), "{text}");
}

/// A class for each site, and some visits to it.
#[allow(clippy::needless_range_loop, reason = "users of models write indices")]
#[model]
fn sites(seen: &[Vec<u64>]) {
    let p = sample(Beta::new(2.0, 2.0));
    for i in 0..seen.len() {
        let present = sum_out(Bernoulli::new(0.5));
        for j in 0..seen[i].len() {
            observe(seen[i][j], Binomial::new(present as u64, p));
        }
    }
}

/// The mutation that it detects: sums over several data are named by their number alone.
#[test]
fn sums_over_several_data_have_the_place_of_their_data() {
    let seen = [vec![1, 0], vec![], vec![0, 0, 0], vec![1, 1]];
    assert_eq!(names(&sites(&seen)), ["seen[0]", "seen[2]", "seen[3]"]);
}
