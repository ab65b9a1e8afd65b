//! What a node does with the positions that it is shown.

use super::super::surrogate::gp::{GaussianProcess, Hyper, columns};
use super::super::tests::run_at;
use super::super::{Pai, Parts, Warning};
use super::node::Node;
use super::{proposal, verify};
use bayes_core::density::{Block, LogDensity};
use bayes_core::rng::{Key, Purpose};

/// A wavy line around a parabola, of which a process knows little where it has no point.
struct Waves;

impl LogDensity for Waves {
    fn dim(&self) -> usize {
        1
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        block.fill(|x| [0.0, (4.0 * x[0]).sin() - 0.5 * x[0] * x[0]]);
    }
}

#[test]
fn verification_looks_where_the_process_is_uncertain_and_at_random() {
    let parts = [Waves];
    let draws = (0..400).map(|i| f64::from(i) / 100.0 - 2.0).collect();
    let runs = [run_at(&Waves, draws)];
    let parts_of_runs = Parts::new(&parts, &runs).unwrap();
    let pai = Pai::new();
    let look = |at: &[f64]| {
        let key = Key::new(3, Purpose::Combine);
        let mut node = Node::begin(&pai, &parts_of_runs, 0, key).unwrap();
        let seen = node.look(&pai, &columns(at, 1), 0.2);
        (seen, node.evaluations)
    };
    // in the middle of the draws
    let (seen, evaluations) = look(&[-0.2, 0.1, 0.3]);
    assert!(!seen.is_off);
    assert_eq!(evaluations, 1);
    // and far outside
    let (seen, evaluations) = look(&[-0.2, 0.1, 20.0, 0.3]);
    assert!(seen.is_off);
    assert_eq!(evaluations, 2);
    assert_eq!(seen.points.positions[0], 20.0);
    assert!(seen.points.positions[1].abs() < 0.5);
}

#[test]
fn a_stage_before_is_taken_where_the_last_one_is_farther_from_the_posterior() {
    let draws = (0..400).map(|i| f64::from(i) / 100.0 - 2.0).collect();
    let (parts, runs) = ([Waves], [run_at(&Waves, draws)]);
    let parts = Parts::new(&parts, &runs).unwrap();
    let pai = Pai::new().draws(400).verification_rounds(1);
    let node = || Node::begin(&pai, &parts, 0, Key::new(3, Purpose::Combine)).unwrap();
    let right = node().gp;
    // all of its mass is near 1.5, where the log density is 1 and not 30
    let bent = |x: &f64| 30.0 - 50.0 * (x - 1.5).powi(2);
    let values = right.points.iter().map(bent).collect();
    let wrong = GaussianProcess::new(right.hyper.clone(), right.points.clone(), values).unwrap();
    let verified = |stages: Vec<verify::Stage>| {
        let mut nodes = [node()];
        nodes[0].gp = wrong.clone();
        verify::verified(&pai, &parts, &mut nodes, stages).unwrap()
    };
    let is_unexpected = |warning: &Warning| matches!(warning, Warning::Unexpected { .. });

    let alone = verified(Vec::new());
    assert!(
        alone.warnings.iter().any(is_unexpected),
        "{:?}",
        alone.warnings
    );
    let found = verified(vec![vec![right.clone()]]);
    assert!(!found.warnings.iter().any(is_unexpected));
    let exact = proposal::sample(&pai, &parts, &[&right]).unwrap();
    assert_eq!(found.positions, exact.positions);
    // the wrong one stays where it is the nearest
    let worse = right
        .points
        .iter()
        .map(|x| 300.0 - 900.0 * (x - 1.9).powi(2));
    let worse = GaussianProcess::new(right.hyper.clone(), right.points.clone(), worse.collect());
    let found = verified(vec![vec![worse.unwrap()]]);
    assert_eq!(found.positions, alone.positions);
    assert!(found.warnings.iter().any(is_unexpected));
}

/// Meant to detect: draws where the sum of means is high by 60 and no part has a point.
#[test]
fn a_mean_that_is_high_where_the_process_knows_nothing_has_no_draws() {
    let draws = (0..400).map(|i| f64::from(i) / 100.0 - 2.0).collect();
    let (parts, runs) = ([Waves], [run_at(&Waves, draws)]);
    let parts = Parts::new(&parts, &runs).unwrap();
    // a normal density, and a gap from 3 to 9, in which the mean is the prior's, 60, and the standard deviation 50
    let points: Vec<f64> = (-15..=15)
        .map(|i| 0.2 * f64::from(i))
        .chain([9.0])
        .collect();
    let values = points.iter().map(|x| -0.5 * x * x).collect();
    let hyper = Hyper(vec![2.0 * 50f64.ln(), 60.0, 0.5f64.ln(), 1000f64.ln(), 0.0]);
    let process = GaussianProcess::new(hyper, columns(&points, 1), values).unwrap();
    let sample = |rounds: usize| {
        let pai = Pai::new().draws(400).verification_rounds(rounds);
        proposal::sample(&pai, &parts, &[&process]).unwrap()
    };
    let found = sample(1);
    let (means, variances) = process.predict(&columns(&found.positions, 1));
    for (i, x) in found.positions.iter().enumerate() {
        assert!(x.abs() < 4.5, "{x}");
        let excess = (variances[i].sqrt() - 1.0).max(0.0);
        let exact = means[i] - 2.0 * excess;
        assert!((found.log_density[i] - exact).abs() < 1e-9, "{x}");
    }
    let square = found.positions.iter().map(|x| x * x).sum::<f64>() / 400.0;
    assert!((square - 1.0).abs() < 0.15, "{square}");
    // the mean alone has them all there
    let plain = sample(0);
    assert!(plain.positions.iter().all(|x| (3.0..9.0).contains(x)));
}
