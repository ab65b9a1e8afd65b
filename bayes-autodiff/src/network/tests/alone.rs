//! A single particle with rows in the lanes, against eight particles.

use super::{Case, Weighted, cases};
use crate::network::{Applied, Layer, Precision};
use crate::simd::{InstructionSet, LANES};
use std::sync::Arc;

impl Case {
    /// The outputs of the particle of a lane, alone.
    fn alone(&self, precision: Precision, level: InstructionSet, lane: usize) -> Vec<f64> {
        let applied = Applied {
            network: &Arc::new(self.network.clone()),
            precision,
            inputs: (&self.inputs).into(),
        };
        applied.outputs_alone(level, |k| self.weights[k][lane])
    }
}

/// Full chunks, and rows that do not fill the lanes.
#[test]
fn a_particle_alone_has_the_bits_that_it_has_among_eight() {
    for case in [1, 8, 11, 70].into_iter().flat_map(cases) {
        // the first dense layer of eight particles is a product of matrices, which may sum in another order
        let exact = !matches!(case.network.layers()[0], Layer::Dense { .. });
        for level in InstructionSet::available() {
            for (precision, tolerance) in [(Precision::Double, 1e-14), (Precision::Single, 1e-5)] {
                let mut together = vec![[0.0; LANES]; case.inputs.nrows() * case.network.outputs()];
                case.pass(precision).outputs(level, &mut together);
                let alone = case.alone(precision, level, 5);
                assert_eq!(alone.len(), together.len());
                for (i, (alone, lanes)) in alone.iter().zip(&together).enumerate() {
                    let off = (alone - lanes[5]).abs() / (1.0 + lanes[5].abs());
                    let allowed = if exact { 0.0 } else { tolerance };
                    assert!(
                        off <= allowed,
                        "{} output {i} at {level}, {precision:?}: {alone}, among eight {}",
                        case.name,
                        lanes[5]
                    );
                }
            }
        }
    }
}

#[test]
fn the_sum_of_a_particle_alone_is_the_one_it_has_among_eight() {
    for case in cases(11) {
        let applied = Applied {
            network: &Arc::new(case.network.clone()),
            precision: Precision::Double,
            inputs: (&case.inputs).into(),
        };
        let alone = applied.score_alone(|k| case.weights[k][2], &mut Weighted);
        let together =
            case.pass(Precision::Double)
                .score(InstructionSet::detect(), &mut Weighted, None)[2];
        super::close(alone, together, 1.0, 1e-14, case.name);
    }
}
