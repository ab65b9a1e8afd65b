//! What a node does with the positions that it is shown.

use super::super::surrogate::gp::columns;
use super::super::tests::run_at;
use super::super::{Pai, Parts};
use super::node::Node;
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
