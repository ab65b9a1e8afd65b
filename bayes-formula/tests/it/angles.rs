//! Angles as responses: draws, means over draws, and what is refused.

use crate::of;
use crate::refusals::refusal;
use bayes::prelude::*;
use bayes_formula::{Averaging, Family, Regression, formula};
use std::f64::consts::PI;

/// Directions on both sides of π.
const ROWS: &str = "y,x\n3,1\n-3,2\n3.1,3\n-3.1,1\n2.9,2\n-2.9,3\n";

fn fit(text: &str) -> (Regression, Run) {
    let made = formula(text).expect("it is a formula");
    let regression = made.family(Family::VonMises).on(&of(ROWS));
    let regression = regression.expect("it fits");
    let engine = Inference::nuts().chains(4).draws(100).burn_in(200).seed(3);
    let run = engine.progress(false).run(&regression).expect("it runs");
    (regression, run)
}

#[test]
fn draws_and_mean_directions_lie_on_the_circle() {
    let (regression, run) = fit("y ~ 1");
    let drawn = run.predict(&regression).expect("its run").draws("y");
    let drawn = drawn.expect("draws").values;
    assert!(drawn.iter().all(|y| y.abs() <= PI), "{drawn:?}");
    assert!(drawn.iter().any(|y| *y > 2.0) && drawn.iter().any(|y| *y < -2.0));
    let fitted = regression.fitted(&run);
    let draws = fitted.draws().expect("its run");
    let first: Vec<f64> = draws.rows().map(|row| row[0]).collect();
    assert!(first.iter().any(|y| *y > 2.0) && first.iter().any(|y| *y < -2.0));
    let [sine, cosine] =
        [f64::sin, f64::cos].map(|f| first.iter().map(|y| f(*y)).sum::<f64>() / first.len() as f64);
    let direction = sine.atan2(cosine);
    let summary = fitted.table().expect("its run").rows[0].summary;
    // the mean of numbers and the direction of the mean of vectors differ by the skewness of the draws
    let apart = (summary.mean.mean - direction).sin().abs();
    assert!(apart < 0.1 && summary.mean.mean.cos() < -0.9, "{summary:?}");
    assert!(summary.sd < 0.5, "{summary:?}");
}

#[test]
fn differences_of_angles_are_refused() {
    let (regression, run) = fit("y ~ x");
    let how = Averaging::new();
    for error in [
        regression.contrasts(&run, "x", &how),
        regression.slopes(&run, "x", &how),
    ] {
        let error = error.expect_err("they are refused").to_string();
        assert!(
            error.contains("no") && error.contains("the angles of the family von-mises"),
            "{error}"
        );
    }
}

#[test]
fn the_largest_angle_tells_turns_from_degrees() {
    let turns = refusal("y ~ x", Family::VonMises, "y,x\n1,1\n4,2\n6.2,3\n");
    assert!(
        turns.contains("; subtract 2 pi from angles above pi"),
        "{turns}"
    );
    let degrees = refusal("y ~ x", Family::VonMises, "y,x\n1,1\n5,2\n270,3\n");
    assert!(
        degrees.contains("from -pi to pi, for the family von-mises; degrees times pi / 180"),
        "{degrees}"
    );
}
