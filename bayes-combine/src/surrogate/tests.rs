//! The process, its fit and the choice of points.

use super::acquisition::{choose, log_maxiqr};
use super::fit::{Starts, bounding_box, fit};
use super::gp::{GaussianProcess, Hyper, columns};
use super::medoids::medoids;
use super::noise::noise;
use super::objective::Training;
use super::search::search;
use bayes_core::rng::{RngExt, stream};
use nalgebra::DMatrix;

/// Points in two dimensions, with the values of a smooth function that is no quadratic.
fn example(n: usize) -> (DMatrix<f64>, Vec<f64>) {
    let mut stream = stream(4);
    let positions: Vec<f64> = (0..2 * n)
        .map(|_| 4.0 * stream.random::<f64>() - 2.0)
        .collect();
    let value = |x: &[f64]| -x[0] * x[0] - 0.5 * (x[1] - x[0].sin()).powi(2) - 3.0;
    let values = positions.chunks_exact(2).map(value).collect();
    (columns(&positions, 2), values)
}

/// `ln sf²`, `m0`, `ln l`, `ln w`, `mu`.
fn hyper() -> Hyper {
    Hyper(vec![0.4, -2.5, 0.1, -0.2, 0.6, 0.9, 0.2, -0.3])
}

#[test]
fn gradients_of_the_objective_are_its_slopes() {
    let (points, values) = example(12);
    let training = Training::new(&points, &values);
    // inside the boxes of the priors, and outside of those of m0 and mu
    let mut outside = hyper();
    (outside.0[1], outside.0[6]) = (4.0, -2.7);
    for at in [hyper(), outside] {
        let (_, gradient) = training.evaluate(&at).unwrap();
        for (k, slope) in gradient.iter().enumerate() {
            let value = |step: f64| {
                let mut moved = at.clone();
                moved.0[k] += step;
                training.evaluate(&moved).unwrap().0
            };
            let found = (value(1e-5) - value(-1e-5)) / 2e-5;
            let error = (found - slope).abs() / (1.0 + slope.abs());
            assert!(error < 1e-5, "{k}: {slope}, differences {found}");
        }
    }
}

/// The log marginal likelihood of two points, by hand.
#[test]
fn the_objective_is_the_log_density() {
    let positions = columns(&[0.5, 0.0, -0.5, 1.0], 2);
    let values = [-3.0, -4.0];
    let training = Training::new(&positions, &values);
    let at = hyper();
    let variance = at.log_variance().exp();
    let noise = noise(&values, 2);
    let [a0, a1] = [variance + noise[0], variance + noise[1]];
    let [l0, l1] = [0.1f64.exp(), (-0.2f64).exp()];
    let b = variance * (-0.5 * (1.0 / (l0 * l0) + 1.0 / (l1 * l1))).exp();
    let r = [
        values[0] - at.mean(&[0.5, 0.0]),
        values[1] - at.mean(&[-0.5, 1.0]),
    ];
    let determinant = a0 * a1 - b * b;
    let form = (a1 * r[0] * r[0] + a0 * r[1] * r[1] - 2.0 * b * r[0] * r[1]) / determinant;
    // m0 is 0.5 above the largest value, whose box has a tail of 1: the priors of l and w are Gaussian around ln(sqrt(2/6) 1.2)
    let scale = 0.5 * (2.0f64 / 6.0).ln() + 1.2f64.ln();
    let spread = 1000f64.sqrt().ln();
    let prior = |x: f64| -0.5 * ((x - scale) / spread).powi(2);
    let boxes = -0.5 * 0.5 * 0.5 - 0.5 * ((-0.3f64 + 0.1) / 0.01).powi(2);
    let exact = -0.5 * form - 0.5 * determinant.ln()
        + [0.1, -0.2, 0.6, 0.9].map(prior).iter().sum::<f64>()
        + boxes;
    let found = training.evaluate(&at).unwrap().0;
    assert!((found - exact).abs() < 1e-9, "{found}, exactly {exact}");
}

#[test]
fn a_process_goes_through_its_points_and_back_to_the_prior() {
    let (points, values) = example(25);
    let gp = GaussianProcess::new(hyper(), points.clone(), values.clone()).unwrap();
    let (means, variances) = gp.predict(&points);
    for (i, noise) in noise(&values, 2).into_iter().enumerate() {
        // within three sd of the noise
        assert!((means[i] - values[i]).abs() < 3.0 * noise.sqrt(), "{i}");
        assert!(variances[i] <= noise, "{i}: {}", variances[i]);
    }
    let far = [90.0, -80.0];
    let (means, variances) = gp.predict(&columns(&far, 2));
    assert!((means[0] - hyper().mean(&far)).abs() < 1e-9);
    assert!((variances[0] - 0.4f64.exp()).abs() < 1e-12);
}

#[test]
fn slopes_of_mean_and_variance_are_those_of_differences() {
    let (points, values) = example(15);
    let gp = GaussianProcess::new(hyper(), points, values).unwrap();
    let x = [0.7, -0.4];
    // the second of two positions
    let both = columns(&[[1.0, 0.3], x].concat(), 2);
    let (means, mean_slopes) = gp.means_with_slopes(&both);
    let (variances, variance_slopes) = gp.variances_with_slopes(&both);
    let (mean, variance) = (means[1], variances[1]);
    let at = |x: &[f64]| {
        let (means, variances) = gp.predict(&columns(x, 2));
        [means[0], variances[0]]
    };
    assert!((at(&x)[0] - mean).abs() < 1e-10 && (at(&x)[1] - variance).abs() < 1e-10);
    for k in 0..2 {
        let moved = |step: f64| {
            let mut x = x;
            x[k] += step;
            at(&x)
        };
        let (above, below) = (moved(1e-5), moved(-1e-5));
        let slope = |i: usize| (above[i] - below[i]) / 2e-5;
        assert!((slope(0) - mean_slopes[(k, 1)]).abs() < 1e-6);
        assert!((slope(1) - variance_slopes[(k, 1)]).abs() < 1e-6);
    }
}

#[test]
fn maxiqr_on_the_log_scale_is_maxiqr() {
    for (mean, sd) in [(-3.0, 0.5), (2.0, 1e-3), (0.0, 1e-7), (-1.0, 10.0)] {
        let direct = (f64::exp(mean) * f64::sinh(20.0 * sd)).ln() + 2f64.ln();
        let found = log_maxiqr(mean, sd, 20.0);
        assert!(
            (found - direct).abs() < 1e-9 * (1.0 + direct.abs()),
            "{mean} {sd}"
        );
    }
    // where the direct form overflows
    assert!((log_maxiqr(-5000.0, 100.0, 20.0) + 3000.0).abs() < 1e-9);
}

/// The variances that the greedy rule uses are those of the process with the points chosen so far.
#[test]
fn a_batch_is_conditioned_on_all_that_is_pending() {
    let (points, values) = example(10);
    let gp = GaussianProcess::new(hyper(), points, values).unwrap();
    let mut stream = stream(8);
    let candidates: Vec<f64> = (0..80)
        .map(|_| 5.0 * stream.random::<f64>() - 2.5)
        .collect();
    let candidates = columns(&candidates, 2);
    let chosen = choose(&gp, &candidates, 5, 20.0);
    let means = gp.means(&candidates);
    let mut pending: Vec<usize> = Vec::new();
    for next in chosen {
        let mut positions = gp.points.as_slice().to_vec();
        for i in &pending {
            positions.extend(candidates.column(*i).iter());
        }
        let values = vec![0.0; positions.len() / 2];
        let with = GaussianProcess::new(hyper(), columns(&positions, 2), values).unwrap();
        let (_, variances) = with.predict(&candidates);
        let value = |i: usize| log_maxiqr(means[i], variances[i].max(1e-6).sqrt(), 20.0);
        let best = (0..40).filter(|i| !pending.contains(i)).map(value);
        let best = best.fold(f64::NEG_INFINITY, f64::max);
        assert!(
            (value(next) - best).abs() < 1e-6,
            "{pending:?}: {} and {best}",
            value(next)
        );
        pending.push(next);
    }
}

#[test]
fn a_search_stays_in_the_box_and_beats_a_thousand_random_positions() {
    let (points, values) = example(10);
    let gp = GaussianProcess::new(hyper(), points.clone(), values).unwrap();
    let sides = bounding_box(&points);
    let mut stream = stream(3);
    let found = search(&gp, &sides, 3, 20.0, &mut stream);
    assert_eq!(found.ncols(), 3);
    for (k, [low, high]) in sides.iter().enumerate() {
        assert!(found.row(k).iter().all(|x| (*low..=*high).contains(x)));
    }
    let value = |at: &DMatrix<f64>| {
        let (means, variances) = gp.predict(at);
        log_maxiqr(means[0], variances[0].sqrt(), 20.0)
    };
    let random = || {
        let within = |[low, high]: &[f64; 2]| low + (high - low) * stream.random::<f64>();
        let x: Vec<f64> = sides.iter().map(within).collect();
        value(&columns(&x, 2))
    };
    let best = std::iter::repeat_with(random)
        .take(1000)
        .fold(f64::NEG_INFINITY, f64::max);
    let first = DMatrix::from_column_slice(2, 1, found.column(0).as_slice());
    assert!(value(&first) >= best - 0.05, "{} and {best}", value(&first));
}

/// A quadratic log density is the mean function itself, so that the fit finds it everywhere.
#[test]
fn a_fit_to_a_gaussian_extrapolates() {
    let (points, _) = example(40);
    let exact = |x: f64, y: f64| -0.5 * ((x - 0.3).powi(2) / 0.49 + (y + 0.2).powi(2) / 1.44) + 5.0;
    let values: Vec<f64> = points.column_iter().map(|c| exact(c[0], c[1])).collect();
    let gp = fit(points, values, Starts::FIRST, None, &mut stream(1)).unwrap();
    let at = [[0.0, 0.0], [1.9, -1.5], [3.5, 0.0]];
    let means = gp.means(&columns(at.as_flattened(), 2));
    for ([x, y], mean) in at.into_iter().zip(means) {
        assert!(
            (mean - exact(x, y)).abs() < 0.1,
            "{x} {y}: {mean} and {}",
            exact(x, y)
        );
    }
}

#[test]
fn equal_values_and_repeated_points_can_be_fitted() {
    let (points, _) = example(10);
    let gp = fit(
        points.clone(),
        vec![-2.0; 10],
        Starts::FIRST,
        None,
        &mut stream(1),
    )
    .unwrap();
    assert!((gp.means(&columns(&[0.1, 0.1], 2))[0] + 2.0).abs() < 0.5);
    let twice = [points.as_slice(), points.as_slice()].concat();
    let values: Vec<f64> = (0..20).map(|i| -f64::from(i % 10)).collect();
    assert!(
        fit(
            columns(&twice, 2),
            values,
            Starts::FIRST,
            None,
            &mut stream(1)
        )
        .is_some()
    );
}

#[test]
fn medoids_stand_for_every_cluster() {
    let mut stream = stream(2);
    let centres = [[0.0, 0.0], [10.0, 0.0], [0.0, 10.0], [10.0, 10.0]];
    let points: Vec<Vec<f64>> = (0..200)
        .map(|i| centres[i % 4].map(|c| c + stream.random::<f64>()).to_vec())
        .collect();
    let chosen = medoids(&points, 4, &mut stream);
    let mut clusters: Vec<usize> = chosen.iter().map(|i| i % 4).collect();
    clusters.sort_unstable();
    assert_eq!(clusters, [0, 1, 2, 3]);
    // a medoid is near the middle of its cluster
    for i in chosen {
        let centre = centres[i % 4];
        let off = points[i]
            .iter()
            .zip(centre)
            .map(|(x, c)| (x - c - 0.5).abs());
        assert!(off.fold(0.0, f64::max) < 0.3);
    }
    assert_eq!(medoids(&points[..3], 5, &mut stream), [0, 1, 2]);
    assert_eq!(medoids(&vec![vec![1.0]; 9], 3, &mut stream).len(), 1);
}

/// One more value of -1000: with the noise of the others it would move the process by hundreds where it is beside points.
#[test]
fn a_value_that_does_not_matter_moves_the_process_little() {
    let (points, values) = example(40);
    let without = GaussianProcess::new(hyper(), points.clone(), values.clone()).unwrap();
    let positions = [points.as_slice(), &[2.6, 0.0]].concat();
    let values = [&values[..], &[-1000.0]].concat();
    let with = GaussianProcess::new(hyper(), columns(&positions, 2), values).unwrap();
    let (at, _) = example(200);
    let changes = with.means(&at).into_iter().zip(without.means(&at));
    let largest = changes.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(largest < 1.0, "{largest}");
    // in the other direction: it is told that the density is low there
    let far = columns(&[2.6, 0.0], 2);
    assert!(with.means(&far)[0] < without.means(&far)[0] - 0.01);
}
