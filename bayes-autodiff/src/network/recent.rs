//! The outputs of the first layers of the network that was evaluated last: particles often differ only in the weights of later layers.

use super::{Applied, Inputs, Network, Precision, Split};
use crate::simd::InstructionSet;
use std::cell::RefCell;
use std::sync::Arc;

/// The maximum number of kept values of the inputs, and of the outputs of the first layers: 8 MiB each.
const MOST_KEPT: usize = 1 << 20;
/// The number of networks that a thread keeps: a model may have one for a mean and one for a scale.
const NETWORKS: usize = 2;

thread_local! {
    static RECENT: RefCell<Vec<Recent>> = const { RefCell::new(Vec::new()) };
}

/// The last evaluation of a network by a thread.
struct Recent {
    network: Arc<Network>,
    precision: Precision,
    level: InstructionSet,
    /// `[rows, columns]`, column by column.
    inputs: Vec<f64>,
    rows: usize,
    weights: Vec<f64>,
    features: Option<Features>,
}

/// The outputs of the first layers.
struct Features {
    /// The number of their weights.
    weights: usize,
    /// The other layers.
    rest: Arc<Network>,
    /// `[rows, outputs]`, column by column.
    outputs: Vec<f64>,
}

impl Applied<'_> {
    /// The outputs of every row, `[rows, outputs]`, at the weights `at(0)`, `at(1)`, ... of one particle. The same bits as
    /// [`Applied::outputs_alone`]. Reuses the first layers of the previous particle if they have the same weights.
    pub(crate) fn outputs_after(
        self,
        level: InstructionSet,
        at: impl Fn(usize) -> f64,
    ) -> Vec<f64> {
        if self.inputs.entries.len() > MOST_KEPT || !self.network.has_several_layers() {
            return self.outputs_alone(level, at);
        }
        let weights: Vec<f64> = (0..self.network.parameters()).map(at).collect();
        // removed, so that a panic leaves nothing behind
        let mut all = RECENT.take();
        let place = all.iter().position(|recent| recent.is_of(&self, level));
        let mut recent = match place {
            Some(place) => all.remove(place),
            None => Recent::new(&self, level, &weights),
        };
        let found = recent.outputs(&self, &weights);
        all.truncate(NETWORKS - 1);
        all.insert(0, recent);
        RECENT.set(all);
        found
    }
}

impl Recent {
    fn new(applied: &Applied<'_>, level: InstructionSet, weights: &[f64]) -> Self {
        Self {
            network: applied.network.clone(),
            precision: applied.precision,
            level,
            inputs: applied.inputs.entries.to_vec(),
            rows: applied.inputs.rows,
            weights: weights.to_vec(),
            features: None,
        }
    }

    fn is_of(&self, applied: &Applied<'_>, level: InstructionSet) -> bool {
        self.network.is_same(applied.network)
            && (self.precision, self.level, self.rows)
                == (applied.precision, level, applied.inputs.rows)
            && same(&self.inputs, applied.inputs.entries)
    }

    fn outputs(&mut self, applied: &Applied<'_>, weights: &[f64]) -> Vec<f64> {
        let equal = |k: usize| weights[k].to_bits() == self.weights[k].to_bits();
        let split = match &self.features {
            // mostly the same layers as before
            Some(features) if (0..features.weights).all(equal) => None,
            _ => match self.network.split(equal) {
                Some(split) if self.rows * split.known.outputs() <= MOST_KEPT => Some(split),
                _ => {
                    self.weights.copy_from_slice(weights);
                    self.features = None;
                    return applied.outputs_alone(self.level, |k| weights[k]);
                }
            },
        };
        if let Some(split) = split {
            self.features = Some(Features::new(split, applied, self.level, weights));
        }
        let Some(features) = &self.features else {
            unreachable!("they were there, or have been computed")
        };
        let inputs = Inputs {
            entries: &features.outputs,
            rows: self.rows,
            columns: features.rest.input().elements(),
        };
        let network = &features.rest;
        let rest = Applied {
            network,
            inputs,
            ..*applied
        };
        rest.outputs_alone(self.level, |k| weights[features.weights + k])
    }
}

impl Features {
    fn new(split: Split, applied: &Applied<'_>, level: InstructionSet, weights: &[f64]) -> Self {
        let Split { known, rest } = split;
        let count = known.parameters();
        let network = &Arc::new(known);
        let first = Applied {
            network,
            ..*applied
        };
        Self {
            weights: count,
            rest: Arc::new(rest),
            outputs: first.columns(level, |k| weights[k]),
        }
    }
}

/// Whether numbers have the same bits.
fn same(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

#[cfg(test)]
mod tests {
    use super::super::{Activation, Layer, Shape};
    use super::*;

    /// Particles that differ in all layers, in the last ones, in a part of one, and in none; then with other rows, and another network.
    ///
    /// Seen to detect: features of other weights, of outdated weights, and of other rows.
    #[test]
    fn what_was_evaluated_last_changes_no_bit() {
        // the value of a particle's first weights, and the index from which its own follow: the layers have 20, 24 and 10
        const PARTICLES: [(f64, usize); 12] = [
            (0.1, 44),
            (0.1, 44),
            (0.1, 20),
            (0.7, 44),
            (0.7, 44),
            (0.7, 30),
            (0.7, 60),
            (0.7, 60),
            (0.7, 5),
            (0.1, 20),
            (0.1, 44),
            (0.1, 44),
        ];
        let dense = |inputs, outputs| Layer::Dense { inputs, outputs };
        let relu = Layer::Activation(Activation::Relu);
        let layers = [dense(3, 5), relu, dense(5, 4), relu, dense(4, 2)];
        let wave = |i: usize, seed: f64| ((i as f64 + seed) * 1.7).sin();
        for precision in [Precision::Double, Precision::Single] {
            for (rows, count, shift) in [(21, 5, 0.3), (21, 5, 0.4), (21, 3, 0.4), (4, 5, 0.4)] {
                let network = Network::new(Shape::Flat(3), &layers[..count]).unwrap();
                let network = &Arc::new(network);
                let entries: Vec<f64> = (0..3 * rows).map(|i| wave(i, shift)).collect();
                let applied = Applied {
                    network,
                    precision,
                    inputs: Inputs {
                        entries: &entries,
                        rows,
                        columns: 3,
                    },
                };
                for (turn, (first, from)) in PARTICLES.into_iter().enumerate() {
                    let own = 2.0 + turn as f64;
                    let at = |k: usize| wave(k, if k < from { first } else { own });
                    let level = InstructionSet::detect();
                    let found = applied.outputs_after(level, at);
                    let wanted = applied.outputs_alone(level, at);
                    assert!(same(&found, &wanted), "{turn}");
                }
            }
        }
    }
}
