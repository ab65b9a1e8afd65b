//! Networks on the rows of data.

use super::{Places, Tally};
use crate::network::{self, Applied, InputSlopes, Inputs, Network, Precision, Scratch};
use crate::simd::{LANES, Simd};
use crate::trace::numbers::{Numbers, Source};
use std::sync::Arc;

/// A network and the rows of its inputs; its operands are the weights.
#[derive(Clone, Debug)]
pub(in crate::trace) struct Outputs {
    pub(in crate::trace) network: Arc<Network>,
    pub(in crate::trace) precision: Precision,
    /// `[rows, columns]`, column by column.
    pub(in crate::trace) inputs: Numbers,
    pub(in crate::trace) rows: usize,
    pub(in crate::trace) columns: usize,
    /// The place of its inputs among the features of the program, if they are not data (see [`Sharing`](crate::trace::Sharing)).
    pub(in crate::trace) features: Option<usize>,
}

impl PartialEq for Outputs {
    fn eq(&self, other: &Self) -> bool {
        self.network.is_same(&other.network)
            && self.precision == other.precision
            && self.inputs == other.inputs
            && (self.rows, self.columns) == (other.rows, other.columns)
            && self.features == other.features
    }
}

impl Outputs {
    /// The number of outputs of all rows.
    pub(super) fn len(&self) -> usize {
        self.rows * self.network.outputs()
    }

    /// The place for the slopes of the inputs of one group of lanes, if the inputs are features and the slopes are needed.
    fn input_slopes<'a>(&self, tally: &'a mut Tally<'_>, group: usize) -> Option<InputSlopes<'a>> {
        let first = self.features?;
        Some(InputSlopes {
            shares: tally.shares.get(group)?.0,
            sums: &mut tally.sums[first..][..self.rows * self.columns],
        })
    }

    pub(in crate::trace) fn applied<'a>(&'a self, source: Source<'a>) -> Applied<'a> {
        Applied {
            network: &self.network,
            precision: self.precision,
            inputs: Inputs {
                entries: source.numbers(self.inputs),
                rows: self.rows,
                columns: self.columns,
            },
        }
    }

    #[inline(always)]
    pub(super) fn forward<S: Simd>(&self, source: Source<'_>, places: &mut Places<'_>) {
        let scratch = weights::<S>(places, false);
        let mut outputs = vec![[0.0; LANES]; self.len()];
        let pass = self.applied(source).at(&scratch.weights);
        pass.outputs(S::INSTRUCTION_SET, &mut outputs);
        for (i, output) in outputs.iter().enumerate() {
            places.set::<S>(i, S::load(output));
        }
        scratch.give_back();
    }

    /// The activations are computed again, chunk by chunk.
    #[inline(always)]
    pub(super) fn reverse<S: Simd>(&self, source: Source<'_>, places: &mut Places<'_>) {
        let mut scratch = weights::<S>(places, true);
        let mut adjoints = vec![[0.0; LANES]; self.len()];
        for (i, adjoint) in adjoints.iter_mut().enumerate() {
            S::store(places.adjoint::<S>(i), adjoint);
        }
        let pass = self.applied(source).at(&scratch.weights);
        let inputs = self.input_slopes(&mut places.tally, places.group);
        let gradient = &mut scratch.gradient;
        pass.pull_back_with_inputs(S::INSTRUCTION_SET, &adjoints, gradient, inputs);
        for (k, slope) in scratch.gradient.iter().enumerate() {
            places.pass_on::<S>(k, S::mul(S::splat(places.of[k].0), S::load(slope)));
        }
        scratch.give_back();
    }
}

/// The sum over rows of `output[chosen] - ln Σ e^output`, with its gradient in one pass over the rows.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::trace) struct Choices {
    pub(in crate::trace) outputs: Outputs,
    /// The choice of every row, as a whole number.
    pub(in crate::trace) chosen: Numbers,
}

impl Choices {
    #[inline(always)]
    pub(super) fn term<S: Simd, const GRADIENT: bool>(
        &self,
        source: Source<'_>,
        adjoint: S::Float,
        places: &mut Places<'_>,
    ) -> S::Float {
        let mut scratch = weights::<S>(places, GRADIENT);
        let chosen = source.numbers(self.chosen);
        let mut rows = network::Choices(
            #[inline(always)]
            |row: usize| chosen[row] as usize,
        );
        let pass = self.outputs.applied(source).at(&scratch.weights);
        let gradient = GRADIENT.then_some(&mut scratch.gradient[..]);
        let inputs = self.outputs.input_slopes(&mut places.tally, places.group);
        // not a closure, which would not be compiled for the instruction set
        let inputs = match inputs {
            Some(inputs) if GRADIENT => {
                let shares = S::mul_or_zero(S::load(&inputs.shares), adjoint);
                let shares = S::array(shares);
                Some(InputSlopes { shares, ..inputs })
            }
            _ => None,
        };
        let total = pass.score_with_inputs(S::INSTRUCTION_SET, &mut rows, gradient, inputs);
        for (k, slope) in scratch.gradient.iter().enumerate() {
            let slope = S::mul(S::splat(places.of[k].0), S::load(slope));
            places.pass_on::<S>(k, S::mul_or_zero(adjoint, slope));
        }
        scratch.give_back();
        S::load(&total)
    }
}

/// The weights of a group of lanes, and memory for their gradient.
#[inline(always)]
fn weights<S: Simd>(places: &Places<'_>, gradient: bool) -> Scratch {
    Scratch::take::<S>(places.of.len(), |k| places.multiple::<S>(k), gradient)
}
