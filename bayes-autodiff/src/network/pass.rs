//! Passes over the data: chunk by chunk forward, the terms of the rows, and backward.

use super::chunk::Precise;
use super::element::Element;
use super::workspace::Workspace;
use super::{InputSlopes, Inputs, Network, Precision, Rows};
use crate::mode::Mode;
use crate::real::Real;
use crate::simd::{InstructionSet, LANES, Simd, Work, dispatch};
use std::ops::Range;

impl Inputs<'_> {
    /// Panics unless these rows are examples for `network`.
    pub(super) fn check(&self, network: &Network) {
        assert_eq!(
            self.columns,
            network.input().elements(),
            "a row of the inputs is what the first layer takes"
        );
        assert_eq!(
            self.entries.len(),
            self.rows * self.columns,
            "rows times columns"
        );
    }
}

impl InputSlopes<'_> {
    /// A reborrow, for a part of the rows.
    fn again(&mut self) -> InputSlopes<'_> {
        InputSlopes {
            shares: self.shares,
            sums: self.sums,
        }
    }
}

/// A network at the weights of eight particles and at the rows of its inputs.
#[derive(Clone, Copy, Debug)]
pub struct Pass<'a> {
    /// The network.
    pub network: &'a Network,
    /// The arithmetic inside the layers.
    pub precision: Precision,
    /// The examples, `[rows, input elements]`.
    pub inputs: Inputs<'a>,
    /// The weights of eight particles, `[parameters]`.
    pub weights: &'a [[f64; LANES]],
}

impl Pass<'_> {
    /// The sum of the terms of all rows. With `gradient`, `[parameters]`, adds the derivatives of the sum to it.
    ///
    /// Nothing is allocated once a thread has evaluated a network of this size.
    ///
    /// # Panics
    /// If the inputs or the weights do not have the sizes of the network, or the processor does not support the level.
    pub fn score<R: Rows>(
        self,
        level: InstructionSet,
        rows: &mut R,
        gradient: Option<&mut [[f64; LANES]]>,
    ) -> [f64; LANES] {
        self.score_with_inputs(level, rows, gradient, None)
    }

    /// [`Pass::score`]; with `gradient` and `inputs` it also adds up the derivatives with respect to the inputs of a dense first layer.
    ///
    /// # Panics
    /// As for [`Pass::score`], or if the first layer is not dense.
    pub(crate) fn score_with_inputs<R: Rows>(
        self,
        level: InstructionSet,
        rows: &mut R,
        gradient: Option<&mut [[f64; LANES]]>,
        inputs: Option<InputSlopes<'_>>,
    ) -> [f64; LANES] {
        self.check();
        if let Some(gradient) = &gradient {
            assert_eq!(
                gradient.len(),
                self.weights.len(),
                "a slope for every weight"
            );
        }
        match self.precision {
            Precision::Double => self.run::<f64, R>(level, rows, gradient, inputs),
            Precision::Single => self.run::<f32, R>(level, rows, gradient, inputs),
        }
    }

    /// Writes the outputs of every row, `[rows, outputs]`.
    ///
    /// # Panics
    /// As for [`Pass::score`], or if `out` has another size.
    pub fn outputs(self, level: InstructionSet, out: &mut [[f64; LANES]]) {
        let outputs = self.network.outputs();
        assert_eq!(out.len(), self.inputs.rows * outputs, "rows times outputs");
        self.score(level, &mut Collect { outputs, out }, None);
    }

    /// Adds to `gradient`, `[parameters]`, the derivatives of the outputs weighted by `adjoints`, `[rows, outputs]`.
    ///
    /// The outputs are recomputed, chunk by chunk.
    ///
    /// # Panics
    /// As for [`Pass::score`], or if `adjoints` has another size.
    pub fn pull_back(
        self,
        level: InstructionSet,
        adjoints: &[[f64; LANES]],
        gradient: &mut [[f64; LANES]],
    ) {
        self.pull_back_with_inputs(level, adjoints, gradient, None);
    }

    /// [`Pass::pull_back`], with the inputs as in [`Pass::score_with_inputs`].
    pub(crate) fn pull_back_with_inputs(
        self,
        level: InstructionSet,
        adjoints: &[[f64; LANES]],
        gradient: &mut [[f64; LANES]],
        inputs: Option<InputSlopes<'_>>,
    ) {
        let outputs = self.network.outputs();
        assert_eq!(
            adjoints.len(),
            self.inputs.rows * outputs,
            "rows times outputs"
        );
        let mut rows = Adjoints { outputs, adjoints };
        self.score_with_inputs(level, &mut rows, Some(gradient), inputs);
    }

    fn check(&self) {
        self.inputs.check(self.network);
        assert_eq!(
            self.weights.len(),
            self.network.parameters(),
            "as many weights as the network has"
        );
    }

    fn run<E: Precise, R: Rows>(
        self,
        level: InstructionSet,
        rows: &mut R,
        mut gradient: Option<&mut [[f64; LANES]]>,
        mut inputs: Option<InputSlopes<'_>>,
    ) -> [f64; LANES] {
        let mut workspace = E::take();
        let wanted = [gradient.is_some(), inputs.is_some()];
        workspace.prepare(self.network, self.inputs.rows, wanted);
        E::read_weights(level, &mut workspace, self.weights);
        let mut sum = [0.0; LANES];
        let mut start = 0;
        while start < self.inputs.rows {
            let chunk = start..self.inputs.rows.min(start + workspace.chunk);
            E::forward(
                level,
                &mut workspace,
                self.network,
                self.inputs,
                chunk.clone(),
            );
            let terms = Terms {
                workspace: &mut workspace,
                chunk: chunk.clone(),
                rows: &mut *rows,
                sum,
                gradient: gradient.is_some(),
            };
            sum = dispatch(level, terms);
            if let Some(gradient) = &mut gradient {
                let last = chunk.end == self.inputs.rows;
                E::backward(level, &mut workspace, self.network, chunk.len());
                if let Some(inputs) = &mut inputs {
                    let rows = (chunk.clone(), self.inputs.rows);
                    E::add_input_slopes(level, &mut workspace, self.network, rows, inputs.again());
                }
                if last || workspace.partial_rows >= E::PARTIAL_ROWS {
                    E::add_gradient(level, &mut workspace, gradient);
                }
            }
            start = chunk.end;
        }
        E::give_back(workspace);
        sum
    }
}

/// [`Rows`] that keep the outputs.
struct Collect<'a> {
    outputs: usize,
    out: &'a mut [[f64; LANES]],
}

impl Rows for Collect<'_> {
    fn value<M: Mode>(&mut self, _: usize, _: &[Real<M>]) -> Real<M> {
        Real::constant(0.0)
    }
    #[inline(always)]
    fn term<S: Simd>(
        &mut self,
        row: usize,
        outputs: &[[f64; LANES]],
        _: Option<&mut [[f64; LANES]]>,
    ) -> S::Float {
        self.out[row * self.outputs..][..self.outputs].copy_from_slice(outputs);
        S::splat(0.0)
    }
}

/// [`Rows`] whose slopes are given.
struct Adjoints<'a> {
    outputs: usize,
    adjoints: &'a [[f64; LANES]],
}

impl Rows for Adjoints<'_> {
    fn value<M: Mode>(&mut self, _: usize, _: &[Real<M>]) -> Real<M> {
        Real::constant(0.0)
    }
    #[inline(always)]
    fn term<S: Simd>(
        &mut self,
        row: usize,
        _: &[[f64; LANES]],
        slopes: Option<&mut [[f64; LANES]]>,
    ) -> S::Float {
        if let Some(slopes) = slopes {
            slopes.copy_from_slice(&self.adjoints[row * self.outputs..][..self.outputs]);
        }
        S::splat(0.0)
    }
}

/// The terms of a chunk's rows, compiled for each instruction set.
struct Terms<'a, E, R> {
    workspace: &'a mut Workspace<E>,
    chunk: Range<usize>,
    rows: &'a mut R,
    /// The sum of the earlier terms.
    sum: [f64; LANES],
    gradient: bool,
}

impl<E: Element, R: Rows> Work for Terms<'_, E, R> {
    type Output = [f64; LANES];

    /// The sum so far; leaves the slopes of the outputs in the workspace.
    #[inline(always)]
    fn run<S: Simd>(self) -> [f64; LANES] {
        let Workspace {
            outputs,
            stages,
            slopes: [slopes, _],
            row: [output, slope],
            ..
        } = self.workspace;
        let outputs = &outputs[*stages - 1];
        let each = output.len();
        let mut sum = S::load(&self.sum);
        for (k, row) in self.chunk.enumerate() {
            for (own, x) in output.iter_mut().zip(&outputs[k * each..][..each]) {
                S::store(E::widen::<S>(E::load::<S>(x)), own);
            }
            let wanted = self.gradient.then_some(&mut **slope);
            sum = S::add(sum, self.rows.term::<S>(row, output, wanted));
            if self.gradient {
                for (own, x) in slopes[k * each..][..each].iter_mut().zip(slope.iter()) {
                    E::store::<S>(E::narrow::<S>(S::load(x)), own);
                }
            }
        }
        S::array(sum)
    }
}
