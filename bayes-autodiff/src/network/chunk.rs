//! One chunk of rows through all stages, forward and backward.

use super::conv_pool::ConvPool;
use super::convolution::{backward_conv, padded_image};
use super::dense::Dense;
use super::element::{Element, Operand};
use super::pool::Windows;
use super::stage::{Kind, Stage};
use super::workspace::Workspace;
use super::{InputSlopes, Inputs, Network};
use crate::simd::{InstructionSet, LANES, Simd, Work, dispatch};
use std::cell::Cell;
use std::ops::Range;

impl Stage {
    /// The dense layer of this stage.
    fn dense(&self, rows: usize) -> Dense {
        Dense {
            rows,
            inputs: self.input.elements(),
            outputs: self.output.elements(),
        }
    }

    /// The range of its weights and biases among the weights of the network.
    fn own(&self) -> Range<usize> {
        self.offset..self.offset + self.parameters
    }
}

impl<E: Element + Operand<E>> Workspace<E> {
    /// Computes the outputs of every stage.
    #[inline(always)]
    fn forward<S: Simd>(&mut self, network: &Network, rows: usize) {
        let weights = std::mem::take(&mut self.weights);
        for (i, stage) in network.stages.iter().enumerate() {
            let own = &weights[stage.own()];
            if i == 0 && !stage.lifts() {
                self.forward_data::<S>(stage, own, rows);
            } else {
                self.forward_lanes::<S, _>(i, stage, own, rows);
            }
        }
        self.weights = weights;
    }

    /// The same for one particle, with eight rows of the data in the lanes of each of `groups` examples.
    #[inline(always)]
    fn forward_alone<S: Simd>(&mut self, network: &Network, weights: &[E], groups: usize) {
        for (i, stage) in network.stages.iter().enumerate() {
            self.forward_lanes::<S, E>(i, stage, &weights[stage.own()], groups);
        }
    }

    /// The first stage, on data.
    #[inline(always)]
    fn forward_data<S: Simd>(&mut self, stage: &Stage, weights: &[[E; LANES]], rows: usize) {
        let each = stage.output.elements();
        let out = &mut self.outputs[0][..rows * each];
        match &stage.kind {
            Kind::Conv(geometry) => {
                for (image, out) in self
                    .data
                    .chunks_exact(geometry.padded_elements())
                    .zip(out.chunks_exact_mut(each))
                {
                    geometry.forward::<S, E, E, _>(weights, image, out);
                }
            }
            Kind::ConvPool(geometry, pooling) => {
                let step = ConvPool {
                    geometry,
                    pooling: *pooling,
                    window: &self.windows[0],
                    spans: None,
                };
                for (((image, out), places), spans) in self
                    .data
                    .chunks_exact(geometry.padded_elements())
                    .zip(out.chunks_exact_mut(each))
                    .zip(self.places[0].chunks_exact_mut(each))
                    .zip(self.spans.chunks_exact(step.windows()[0]))
                {
                    let spans = Some(spans);
                    ConvPool { spans, ..step }.forward::<S, E, E, _>(weights, image, out, places);
                }
            }
            _ => stage
                .dense(rows)
                .forward_data::<S, E>(weights, &self.data, out),
        }
    }

    /// A stage on lanes.
    #[inline(always)]
    fn forward_lanes<S: Simd, W: Operand<E>>(
        &mut self,
        i: usize,
        stage: &Stage,
        weights: &[W],
        rows: usize,
    ) {
        let (before, after) = self.outputs.split_at_mut(i);
        let (from, each) = (stage.input.elements(), stage.output.elements());
        let input = &before.last().unwrap_or(&self.lifted)[..rows * from];
        let out = &mut after[0][..rows * each];
        let examples = input.chunks_exact(from).zip(out.chunks_exact_mut(each));
        match &stage.kind {
            Kind::Dense => stage.dense(rows).forward::<S, E, _, W>(weights, input, out),
            Kind::Activation(activation) => activation.forward::<S, E>(input, out),
            Kind::AveragePool(size) => {
                let windows = Windows::new(stage.input, *size);
                for (input, out) in examples {
                    windows.average::<S, E>(input, out);
                }
            }
            Kind::MaxPool(size) => {
                let windows = Windows::new(stage.input, *size);
                for ((input, out), places) in examples.zip(self.places[i].chunks_exact_mut(each)) {
                    windows.max::<S, E>(input, out, places);
                }
            }
            Kind::Conv(geometry) => {
                for (input, out) in examples {
                    let image = padded_image(geometry, input, &mut self.image[1]);
                    geometry.forward::<S, E, _, W>(weights, image, out);
                }
            }
            Kind::ConvPool(geometry, pooling) => {
                let step = ConvPool {
                    geometry,
                    pooling: *pooling,
                    window: &self.windows[i],
                    spans: None,
                };
                for ((input, out), places) in examples.zip(self.places[i].chunks_exact_mut(each)) {
                    let image = padded_image(geometry, input, &mut self.image[1]);
                    step.forward::<S, E, _, W>(weights, image, out, places);
                }
            }
        }
    }

    /// Propagates the slopes back through all stages and adds the slopes of the weights to the partial gradient.
    #[inline(always)]
    fn backward<S: Simd>(&mut self, network: &Network, rows: usize) {
        for (i, stage) in network.stages.iter().enumerate().rev() {
            if i == 0 && !stage.lifts() {
                self.backward_data::<S>(stage, rows);
            } else if stage.parameters > 0 || i > 0 {
                self.backward_lanes::<S>(i, stage, rows);
            }
        }
        self.partial_rows += rows;
    }

    /// The first stage, on data: only the weights.
    #[inline(always)]
    fn backward_data<S: Simd>(&mut self, stage: &Stage, rows: usize) {
        let gradient = &mut self.partial[stage.own()];
        let each = stage.output.elements();
        let slopes = &self.slopes[0][..rows * each];
        match &stage.kind {
            Kind::Conv(geometry) => {
                for (image, slopes) in self
                    .data
                    .chunks_exact(geometry.padded_elements())
                    .zip(slopes.chunks_exact(each))
                {
                    geometry.add_gradient::<S, E, E>(image, slopes, gradient);
                }
            }
            Kind::ConvPool(geometry, pooling) => {
                let step = ConvPool {
                    geometry,
                    pooling: *pooling,
                    window: &self.windows[0],
                    spans: None,
                };
                for (((image, slopes), places), spans) in self
                    .data
                    .chunks_exact(geometry.padded_elements())
                    .zip(slopes.chunks_exact(each))
                    .zip(self.places[0].chunks_exact(each))
                    .zip(self.spans.chunks_exact(step.windows()[0]))
                {
                    let spans = Some(spans);
                    ConvPool { spans, ..step }.add_gradient::<S, E, E>(
                        image,
                        [slopes, places],
                        &mut self.image[0],
                        gradient,
                    );
                }
            }
            _ => {
                let transposed = &self.transposed[..rows * stage.input.elements()];
                stage
                    .dense(rows)
                    .add_gradient_data::<S, E>(transposed, slopes, gradient);
            }
        }
    }

    /// A stage on lanes: its weights, and the slopes of its inputs.
    #[inline(always)]
    fn backward_lanes<S: Simd>(&mut self, i: usize, stage: &Stage, rows: usize) {
        let own = stage.own();
        let weights = &self.weights[own.clone()];
        let gradient = &mut self.partial[own];
        let (before, after) = self.outputs.split_at(i);
        let (from, each) = (stage.input.elements(), stage.output.elements());
        let input = &before.last().unwrap_or(&self.lifted)[..rows * from];
        let [slopes, input_slopes] = &mut self.slopes;
        let slopes = &mut slopes[..rows * each];
        let input_slopes = &mut input_slopes[..rows * from];
        let examples = slopes
            .chunks_exact(each)
            .zip(input_slopes.chunks_exact_mut(from));
        match &stage.kind {
            Kind::Dense => {
                let dense = stage.dense(rows);
                dense.add_gradient::<S, E>(input, slopes, gradient);
                dense.input_slopes::<S, E>(weights, slopes, input_slopes);
            }
            Kind::Activation(activation) => {
                let output = &after[0][..rows * each];
                activation.backward::<S, E>(input, output, slopes);
                return;
            }
            Kind::AveragePool(size) => {
                let windows = Windows::new(stage.input, *size);
                for (slopes, out) in examples {
                    windows.average_slopes::<S, E>(slopes, out);
                }
            }
            Kind::MaxPool(size) => {
                let windows = Windows::new(stage.input, *size);
                for ((slopes, out), places) in examples.zip(self.places[i].chunks_exact(each)) {
                    windows.max_slopes::<S, E>(slopes, places, out);
                }
            }
            Kind::Conv(geometry) => {
                for ((slopes, out), input) in examples.zip(input.chunks_exact(from)) {
                    let given = [weights, input, slopes];
                    backward_conv::<S, E>(geometry, given, &mut self.image[1], [out, gradient]);
                }
            }
            Kind::ConvPool(geometry, pooling) => {
                let step = ConvPool {
                    geometry,
                    pooling: *pooling,
                    window: &self.windows[i],
                    spans: None,
                };
                for (((slopes, out), input), places) in examples
                    .zip(input.chunks_exact(from))
                    .zip(self.places[i].chunks_exact(each))
                {
                    let pooled = [slopes, places];
                    let [plain, around] = &mut self.image;
                    let given = [weights, input, step.unpooled::<S, E>(pooled, plain)];
                    backward_conv::<S, E>(geometry, given, around, [out, gradient]);
                }
            }
        }
        self.slopes.swap(0, 1);
    }

    /// Adds up the slopes of the inputs over the lanes, for the rows `chunk` of all rows, after [`Workspace::backward`].
    #[inline(always)]
    fn add_input_slopes<S: Simd>(
        &mut self,
        network: &Network,
        (chunk, rows): (Range<usize>, usize),
        inputs: InputSlopes<'_>,
    ) {
        let stage = &network.stages[0];
        assert!(
            matches!(stage.kind, Kind::Dense),
            "the slopes of the inputs of a dense layer"
        );
        let dense = stage.dense(chunk.len());
        let (each, from) = (stage.output.elements(), stage.input.elements());
        let [slopes, input_slopes] = &mut self.slopes;
        let input_slopes = &mut input_slopes[..chunk.len() * from];
        dense.input_slopes::<S, E>(
            &self.weights[stage.own()],
            &slopes[..chunk.len() * each],
            input_slopes,
        );
        let shares = S::load(&inputs.shares);
        for (row, slopes) in chunk.zip(input_slopes.chunks_exact(from)) {
            for (k, slope) in slopes.iter().enumerate() {
                let slope = E::widen::<S>(E::load::<S>(slope));
                let own = S::array(S::mul_or_zero(shares, slope));
                inputs.sums[k * rows + row] += own.iter().sum::<f64>();
            }
        }
    }

    /// Adds the partial gradient to `gradient`, `[parameters]`, and resets it to zero.
    #[inline(always)]
    fn add_gradient<S: Simd>(&mut self, gradient: &mut [[f64; LANES]]) {
        for (sum, own) in gradient.iter_mut().zip(self.partial.iter_mut()) {
            let new = S::add(S::load(sum), E::widen::<S>(E::load::<S>(own)));
            S::store(new, sum);
            *own = [E::default(); LANES];
        }
        self.partial_rows = 0;
    }
}

/// The parts of a pass in the precision of this element.
///
/// They are not generic, so that they are compiled once, here, not for each model.
pub(super) trait Precise: Element + Operand<Self> {
    /// Number of rows whose slopes are summed in this precision before the sum is added in double precision.
    const PARTIAL_ROWS: usize;
    /// The workspace of this thread; a fresh one while it is in use.
    fn take() -> Workspace<Self>;
    /// Keeps a workspace for the next pass.
    fn give_back(workspace: Workspace<Self>);
    /// Copies the weights in this precision.
    fn read_weights(
        level: InstructionSet,
        workspace: &mut Workspace<Self>,
        weights: &[[f64; LANES]],
    );
    /// Computes the outputs of every stage for the rows `chunk` of `inputs`.
    fn forward(
        level: InstructionSet,
        workspace: &mut Workspace<Self>,
        network: &Network,
        inputs: Inputs<'_>,
        chunk: Range<usize>,
    );
    /// Computes the outputs of every stage for one particle, for `groups` examples with eight rows each.
    fn forward_alone(
        level: InstructionSet,
        workspace: &mut Workspace<Self>,
        network: &Network,
        weights: &[Self],
        groups: usize,
    );
    /// Propagates the slopes of `rows` rows back through all stages, into the partial gradient.
    fn backward(
        level: InstructionSet,
        workspace: &mut Workspace<Self>,
        network: &Network,
        rows: usize,
    );
    /// Adds up the slopes of the inputs, for the rows `chunk` of all rows, after [`Precise::backward`].
    fn add_input_slopes(
        level: InstructionSet,
        workspace: &mut Workspace<Self>,
        network: &Network,
        rows: (Range<usize>, usize),
        inputs: InputSlopes<'_>,
    );
    /// Adds the partial gradient to `gradient` and resets it to zero.
    fn add_gradient(
        level: InstructionSet,
        workspace: &mut Workspace<Self>,
        gradient: &mut [[f64; LANES]],
    );
}

macro_rules! precise {
    ($element:ty, $kept:ident, $partial_rows:expr) => {
        thread_local! {
            static $kept: Cell<Workspace<$element>> = Cell::default();
        }

        impl Precise for $element {
            const PARTIAL_ROWS: usize = $partial_rows;

            fn take() -> Workspace<Self> {
                $kept.take()
            }
            fn give_back(workspace: Workspace<Self>) {
                $kept.set(workspace);
            }
            fn read_weights(
                level: InstructionSet,
                workspace: &mut Workspace<Self>,
                weights: &[[f64; LANES]],
            ) {
                dispatch(level, Read { workspace, weights });
            }
            fn forward(
                level: InstructionSet,
                workspace: &mut Workspace<Self>,
                network: &Network,
                inputs: Inputs<'_>,
                chunk: Range<usize>,
            ) {
                let rows = chunk.len();
                workspace.read_rows(network, inputs, chunk);
                dispatch(
                    level,
                    Forward {
                        workspace,
                        network,
                        rows,
                    },
                );
            }
            fn forward_alone(
                level: InstructionSet,
                workspace: &mut Workspace<Self>,
                network: &Network,
                weights: &[Self],
                groups: usize,
            ) {
                dispatch(
                    level,
                    Alone {
                        workspace,
                        network,
                        weights,
                        groups,
                    },
                );
            }
            fn backward(
                level: InstructionSet,
                workspace: &mut Workspace<Self>,
                network: &Network,
                rows: usize,
            ) {
                dispatch(
                    level,
                    Backward {
                        workspace,
                        network,
                        rows,
                    },
                );
            }
            fn add_input_slopes(
                level: InstructionSet,
                workspace: &mut Workspace<Self>,
                network: &Network,
                rows: (Range<usize>, usize),
                inputs: InputSlopes<'_>,
            ) {
                dispatch(
                    level,
                    ToInputs {
                        workspace,
                        network,
                        rows,
                        inputs,
                    },
                );
            }
            fn add_gradient(
                level: InstructionSet,
                workspace: &mut Workspace<Self>,
                gradient: &mut [[f64; LANES]],
            ) {
                dispatch(
                    level,
                    Add {
                        workspace,
                        gradient,
                    },
                );
            }
        }
    };
}
precise!(f64, DOUBLE, usize::MAX);
precise!(f32, SINGLE, 512);

/// A part of a pass as [`Work`].
macro_rules! part {
    ($name:ident, |$workspace:ident, $level:ident| $run:expr, $($field:ident: $type:ty),*) => {
        struct $name<'a, E> {
            workspace: &'a mut Workspace<E>,
            $($field: $type,)*
        }

        impl<E: Element + Operand<E>> Work for $name<'_, E> {
            type Output = ();
            #[inline(always)]
            fn run<$level: Simd>(self) {
                let Self { workspace: $workspace, $($field),* } = self;
                $run
            }
        }
    };
}
part!(Read, |workspace, S| workspace.read_weights::<S>(weights), weights: &'a [[f64; LANES]]);
part!(Forward, |workspace, S| workspace.forward::<S>(network, rows), network: &'a Network, rows: usize);
part!(Alone, |workspace, S| workspace.forward_alone::<S>(network, weights, groups), network: &'a Network, weights: &'a [E], groups: usize);
part!(Backward, |workspace, S| workspace.backward::<S>(network, rows), network: &'a Network, rows: usize);
part!(ToInputs, |workspace, S| workspace.add_input_slopes::<S>(network, rows, inputs), network: &'a Network, rows: (Range<usize>, usize), inputs: InputSlopes<'a>);
part!(Add, |workspace, S| workspace.add_gradient::<S>(gradient), gradient: &'a mut [[f64; LANES]]);
