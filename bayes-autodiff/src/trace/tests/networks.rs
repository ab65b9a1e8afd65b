//! Networks as one operation.

use super::super::{Recorded, Trace};
use super::{Numbers, check, replayed};
use crate::gradient::Program;
use crate::network::{Activation, Applied, Layer, Network, Precision, Shape};
use crate::simd::InstructionSet;
use crate::{Mode, Real};
use nalgebra::DMatrix;
use std::sync::Arc;

/// A network with a prior scale for its weights.
pub(super) struct Learner {
    network: Arc<Network>,
    x: DMatrix<f64>,
    /// Whether rows are classified; otherwise the outputs are terms.
    classify: bool,
    /// The first weights, which do not depend on the position.
    known: Vec<f64>,
}

impl Learner {
    pub(super) fn at<M: Mode>(&self, z: &[Real<M>]) -> [Real<M>; 2] {
        let known = self.known.iter().map(|x| Real::constant(*x));
        let theta: Vec<Real<M>> = known.chain(z.iter().map(|z| 0.6 * z)).collect();
        let applied = Applied {
            network: &self.network,
            precision: Precision::Double,
            inputs: (&self.x).into(),
        };
        let mut sum = Real::<M>::constant(0.0);
        if self.classify {
            M::add_network_choices(&mut sum, applied, &theta, |i| i % 2);
        } else {
            let outputs = M::network(applied, &theta);
            for (i, output) in outputs.elements().iter().enumerate() {
                sum += -0.5 * (output.tanh() - i as f64 * 0.01).square();
            }
        }
        [-0.5 * M::dot_random(z, z), sum]
    }
}

impl Program for Learner {
    fn evaluate<M: Mode>(&self, z: &[Real<M>]) -> [Real<M>; 2] {
        self.at(z)
    }
}

/// A learner on random data with this number of weights that do not depend on the position, and its dimension.
pub(super) fn learner(
    rows: usize,
    classify: bool,
    known: usize,
    numbers: &mut Numbers,
) -> (Learner, usize) {
    let dense = |inputs, outputs| Layer::Dense { inputs, outputs };
    let layers = [
        dense(2, 3),
        Layer::Activation(Activation::Tanh),
        dense(3, 2),
    ];
    let network = Network::new(Shape::Flat(2), &layers).expect("the layers fit");
    let dim = network.parameters() - known;
    let learner = Learner {
        network: Arc::new(network),
        x: DMatrix::from_fn(rows, 2, |_, _| numbers.symmetric()),
        classify,
        known: (0..known).map(|_| numbers.symmetric()).collect(),
    };
    (learner, dim)
}

/// Meant to detect: the prior scale left out of a weight or of its slope, an operation larger than a segment.
#[test]
fn networks_have_the_gradients_of_forward_mode() {
    for rows in [3, 90] {
        for classify in [false, true] {
            let mut numbers = Numbers(11);
            let (program, dim) = learner(rows, classify, 0, &mut numbers);
            let positions = numbers.positions(dim * 19);
            let trace = check(&program, dim, &positions, [1.0, 0.5]);
            assert_eq!(trace.kinds().vectors, 1);
        }
    }
}

/// Seen to detect: the outputs of the known layers row by row instead of column by column, weights of the whole network for the rest.
#[test]
fn layers_with_known_weights_are_computed_when_a_network_is_recorded() {
    // the first layer has nine weights and biases, the second one eight
    for (known, operands) in [(5, 17), (9, 8), (11, 8)] {
        for classify in [false, true] {
            let mut numbers = Numbers(12);
            let (program, dim) = learner(21, classify, known, &mut numbers);
            let positions = numbers.positions(dim * 19);
            check(&program, dim, &positions, [1.0, 0.5]);
            let recorded = Recorded::new(
                &program,
                &[],
                &[&positions[..dim], &positions[dim..2 * dim]],
            );
            let recorded = recorded.expect("it can be traced");
            assert_eq!(recorded.recording.bulks[0].of.len(), operands);
            // on other rows the known layers are computed again
            let (other, _) = learner(21, classify, known, &mut numbers);
            let other = Learner {
                known: program.known.clone(),
                ..other
            };
            let again = recorded.on(&other, &[], &positions[..dim]);
            let again = again.expect("only the data differ").trace(&[]);
            let wanted = Trace::record(&other, &[], &[&positions[..dim]]).expect("as above");
            let at = |trace: &Trace<'_>| {
                replayed(InstructionSet::detect(), trace, [1.0, 0.5], &positions)
            };
            let (found, wanted) = (at(&again), at(&wanted));
            assert_eq!(found.log_likelihood, wanted.log_likelihood);
            assert_eq!(found.gradient, wanted.gradient);
        }
    }
}
