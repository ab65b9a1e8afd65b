//! A network at the weights of a single particle, with eight rows of the data in the lanes: an eighth of the work of a pass.
//!
//! Any layer except a first dense layer, and any convolution, gives the same bits as in a [`Pass`](super::Pass). A first dense layer may
//! differ in the last digits, because a product of matrices may sum in another order.

use super::chunk::Precise;
use super::{Applied, Precision, Rows};
use crate::simd::{InstructionSet, LANES, Simd, Work, dispatch};

impl Applied<'_> {
    /// The outputs of every row, `[rows, outputs]`, at the weights `at(0)`, `at(1)`, ... of one particle.
    ///
    /// # Panics
    /// If the inputs do not have the sizes of the network, or the processor does not support the level.
    pub(crate) fn outputs_alone(
        self,
        level: InstructionSet,
        at: impl Fn(usize) -> f64,
    ) -> Vec<f64> {
        self.inputs.check(self.network);
        match self.precision {
            Precision::Double => self.run_alone::<f64>(level, at),
            Precision::Single => self.run_alone::<f32>(level, at),
        }
    }

    /// [`Applied::outputs_alone`], column by column, as the inputs of another network.
    ///
    /// # Panics
    /// As for [`Applied::outputs_alone`].
    pub(crate) fn columns(self, level: InstructionSet, at: impl Fn(usize) -> f64) -> Vec<f64> {
        let (rows, columns) = (self.inputs.rows, self.network.outputs());
        let found = self.outputs_alone(level, at);
        let mut all = vec![0.0; found.len()];
        for (i, row) in found.chunks_exact(columns).enumerate() {
            for (k, x) in row.iter().enumerate() {
                all[k * rows + i] = *x;
            }
        }
        all
    }

    fn run_alone<E: Precise>(self, level: InstructionSet, at: impl Fn(usize) -> f64) -> Vec<f64> {
        let (network, inputs) = (&**self.network, self.inputs);
        let weights = (0..network.parameters()).map(|k| E::of(at(k)));
        let weights: Vec<E> = weights.collect();
        let each = network.outputs();
        let mut all = vec![0.0; inputs.rows * each];
        if inputs.rows == 0 {
            return all;
        }
        let mut workspace = E::take();
        workspace.prepare_alone(network, inputs.rows.div_ceil(LANES));
        let rows = workspace.chunk * LANES;
        for (chunk, out) in all.chunks_mut(rows * each).enumerate() {
            let start = chunk * rows;
            let end = inputs.rows.min(start + rows);
            workspace.read_alone(inputs, start..end);
            let groups = (end - start).div_ceil(LANES);
            E::forward_alone(level, &mut workspace, network, &weights, groups);
            let found = &workspace.outputs[workspace.stages - 1];
            for (i, out) in out.chunks_exact_mut(each).enumerate() {
                let (group, lane) = (i / LANES, i % LANES);
                for (out, lanes) in out.iter_mut().zip(&found[group * each..]) {
                    *out = lanes[lane].double();
                }
            }
        }
        E::give_back(workspace);
        all
    }

    /// The sum of the terms of all rows at the weights of one particle.
    pub(crate) fn score_alone<R: Rows>(self, at: impl Fn(usize) -> f64, rows: &mut R) -> f64 {
        let level = InstructionSet::detect();
        let outputs = self.outputs_after(level, at);
        let each = self.network.outputs();
        dispatch(
            level,
            AloneTerms {
                outputs: &outputs,
                each,
                rows,
            },
        )
    }
}

/// The terms of all rows, by the arithmetic of eight particles.
struct AloneTerms<'a, R> {
    /// `[rows, each]`.
    outputs: &'a [f64],
    each: usize,
    rows: &'a mut R,
}

impl<R: Rows> Work for AloneTerms<'_, R> {
    type Output = f64;

    #[inline(always)]
    fn run<S: Simd>(self) -> f64 {
        let mut row_outputs = vec![[0.0; LANES]; self.each];
        let mut sum = S::splat(0.0);
        for (row, outputs) in self.outputs.chunks_exact(self.each).enumerate() {
            for (lanes, x) in row_outputs.iter_mut().zip(outputs) {
                *lanes = [*x; LANES];
            }
            sum = S::add(sum, self.rows.term::<S>(row, &row_outputs, None));
        }
        S::array(sum)[0]
    }
}
