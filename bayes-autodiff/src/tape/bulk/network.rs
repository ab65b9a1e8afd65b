//! The outputs of a network for every row of data.

use super::product::Matrix as Data;
use super::{Lane, Operation, Payload, Record, Tape, hand_down, output};
use crate::matrix::Matrix;
use crate::network::{Applied, Inputs, Precision, Scratch};
use crate::real::Real;
use crate::simd::{LANES, Simd};

/// `[rows, outputs]` slots. The activations are not stored; the sweep recomputes them chunk by chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outputs {
    /// Its place among the networks of the payload.
    network: usize,
    precision: Precision,
    data: Data,
    rows: usize,
    columns: usize,
    parents: usize,
    /// Where the weights begin among the lanes of the payload.
    weights: usize,
}

impl Outputs {
    #[inline(always)]
    pub(super) fn sweep<S: Simd>(self, own: &[Lane], below: &mut [Lane], payload: &Payload) {
        let network = &payload.networks[self.network];
        let applied = Applied {
            network,
            precision: self.precision,
            inputs: Inputs {
                entries: self.data.entries(self.rows * self.columns, payload),
                rows: self.rows,
                columns: self.columns,
            },
        };
        let weights = &payload.lanes[self.weights..][..network.parameters()];
        let mut scratch = Scratch::take::<S>(weights.len(), |k| S::load(&weights[k].0), true);
        let adjoints: Vec<[f64; LANES]> = own[..self.rows * network.outputs()]
            .iter()
            .map(|lane| lane.0)
            .collect();
        applied.at(&scratch.weights).pull_back(
            S::INSTRUCTION_SET,
            &adjoints,
            &mut scratch.gradient,
        );
        for k in 0..weights.len() {
            let slope = S::load(&scratch.gradient[k]);
            hand_down::<S>(below, payload.parents[self.parents + k], slope);
        }
        scratch.give_back();
    }
}

impl Record {
    /// The outputs of a network, `[rows, outputs]`.
    #[inline(always)]
    pub(in crate::tape) fn network<S: Simd>(
        &mut self,
        applied: Applied<'_>,
        weights: &[Real<Tape<S>>],
    ) -> Matrix<Tape<S>> {
        let Inputs {
            entries,
            rows,
            columns,
        } = applied.inputs;
        let outputs = applied.network.outputs();
        let mut values = vec![[0.0; LANES]; rows * outputs];
        let scratch = Scratch::take::<S>(weights.len(), |k| weights[k].0.value, false);
        applied
            .at(&scratch.weights)
            .outputs(S::INSTRUCTION_SET, &mut values);
        scratch.give_back();
        let first = match self.keep_parents(weights) {
            Some(parents) if rows > 0 => {
                let operation = Outputs {
                    network: self.payload.networks.len(),
                    precision: applied.precision,
                    data: self.keep_matrix(entries),
                    rows,
                    columns,
                    parents,
                    weights: self.payload.lanes.len(),
                };
                self.payload.networks.push(applied.network.clone());
                for weight in weights {
                    self.keep_value::<S>(weight.0.value);
                }
                Some(self.bulk(rows * outputs, Operation::Network(operation)))
            }
            _ => None,
        };
        let mut out = Matrix::zeros(rows, outputs);
        for (i, lanes) in values.iter().enumerate() {
            out[(i / outputs, i % outputs)] = output(S::load(lanes), first, i);
        }
        out
    }
}
