//! Distances of draws: closed forms of Gaussians.

use super::super::{MetricsError, distances, floor};
use crate::rng::{RngExt, stream};
use crate::run::Draws;
use rand_distr::StandardNormal;

/// Independent normal draws with these means and sds.
fn normal(seed: u64, draws: usize, means: &[f64], sds: &[f64]) -> Draws {
    let mut stream = stream(seed);
    let mut row = |_| -> Vec<f64> {
        let pairs = means.iter().zip(sds);
        pairs
            .map(|(m, s)| m + s * stream.sample::<f64, _>(StandardNormal))
            .collect()
    };
    Draws {
        weights: vec![1.0 / draws as f64; draws],
        values: (0..draws).flat_map(&mut row).collect(),
        elements: means.len(),
        groups: vec![draws],
    }
}

#[test]
fn gaussians_have_their_closed_forms() {
    // means half an sd apart: GsKL 1/8, W2 0.5, TV 2 Φ(0.25) - 1 in one of two dimensions
    let (a, b) = (
        normal(1, 20_000, &[0.0], &[1.0]),
        normal(2, 20_000, &[0.5], &[1.0]),
    );
    let found = distances(&a, &b).unwrap();
    // the means have an error of 0.01
    assert!((found.gskl - 0.125).abs() < 4.0 * 0.005, "{found}");
    assert!((found.w2 - 0.5).abs() < 4.0 * 0.01 && (found.w1 - 0.5).abs() < 4.0 * 0.01);
    assert!((found.mmtv - 0.197_413).abs() < 0.02, "{found}");
    assert!(!found.is_sliced);
    // sds 1 and 2: W2 is 1 in one dimension, sqrt 2 in two
    let (a, b) = (
        normal(1, 400, &[0.0; 2], &[1.0; 2]),
        normal(2, 400, &[0.0; 2], &[2.0; 2]),
    );
    let found = distances(&a, &b).unwrap();
    // finite samples are farther apart, by about a tenth
    assert!((found.w2 - 2f64.sqrt()).abs() < 0.2, "{found}");
    assert!(found.w1 < found.w2 && !found.is_sliced);
    // 2 (¼ + 4)/4 - 1
    assert!((found.gskl - 1.125).abs() < 0.25, "{found}");
}

#[test]
fn the_floor_of_the_truth_is_small_and_draws_that_are_far_apart_are_not() {
    let truth = normal(3, 20_000, &[0.0; 2], &[1.0; 2]);
    let found = floor(&truth).unwrap();
    assert!(
        found.mmtv < 0.03 && found.gskl < 1e-3 && found.w2 < 0.1,
        "{found}"
    );
    assert!(found.is_sliced);
    // two narrow modes, and one of them missing: the bandwidth follows the modes
    let mut modes = normal(4, 2000, &[0.0], &[0.01]);
    let one = modes.clone();
    modes.values.iter_mut().step_by(2).for_each(|x| *x += 1.0);
    let found = distances(&modes, &one).unwrap();
    assert!(
        (found.mmtv - 0.5).abs() < 0.05 && (found.w1 - 0.5).abs() < 1e-3,
        "{found}"
    );
}

#[test]
fn weights_count() {
    let mut a = normal(5, 20_000, &[0.0], &[1.0]);
    let b = normal(6, 20_000, &[0.5], &[1.0]);
    // weights that turn N(0, 1) into N(0.5, 1)
    let weights: Vec<f64> = a.values.iter().map(|x| (0.5 * x).exp()).collect();
    let total: f64 = weights.iter().sum();
    a.weights = weights.iter().map(|w| w / total).collect();
    let found = distances(&a, &b).unwrap();
    assert!(
        found.mmtv < 0.03 && found.w1 < 0.05 && found.gskl < 0.002,
        "{found}"
    );
}

#[test]
fn what_does_not_fit_is_named() {
    let (a, mut b) = (
        normal(1, 10, &[0.0], &[1.0]),
        normal(1, 10, &[0.0; 2], &[1.0; 2]),
    );
    let error = distances(&a, &b).unwrap_err();
    assert_eq!(
        error.to_string(),
        "there are 2 elements of a draw, must be 1"
    );
    b.values[3] = f64::NAN;
    assert!(matches!(
        distances(&b, &b),
        Err(MetricsError::NotFinite { index: 3, .. })
    ));
    let one = normal(1, 1, &[0.0], &[1.0]);
    assert!(matches!(
        distances(&one, &one),
        Err(MetricsError::Empty { .. })
    ));
    let mut same = normal(1, 10, &[0.0], &[0.0]);
    assert_eq!(distances(&same, &same).unwrap().mmtv, 0.0);
    let other = same.clone();
    same.values.fill(1.0);
    let found = distances(&same, &other).unwrap();
    assert_eq!(
        (found.mmtv, found.w1, found.gskl),
        (1.0, 1.0, f64::INFINITY)
    );
}
