//! A network as a list of computed steps: layers, some of them fused.

use super::layer::{Activation, Layer, Shape};

/// One step of the computation.
#[derive(Clone, Debug)]
pub(super) struct Stage {
    pub(super) kind: Kind,
    /// The shape of the input for one example.
    pub(super) input: Shape,
    /// The shape of the output for one example.
    pub(super) output: Shape,
    /// Index of its first weight.
    pub(super) offset: usize,
    /// Number of weights and biases.
    pub(super) parameters: usize,
}

/// The kind of a step.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// A dense layer.
    Dense,
    /// A convolution.
    Conv(Geometry),
    /// A convolution, ReLU and max pooling in one pass: nothing of the size of the convolution is stored.
    ConvPool(Geometry, Pooling),
    /// Max pooling alone.
    MaxPool(usize),
    /// Average pooling.
    AveragePool(usize),
    /// A function of every element.
    Activation(Activation),
}

/// The pooling that follows a convolution in the same pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pooling {
    /// Rows and columns of a window.
    pub(super) size: usize,
    /// Whether there is a ReLU before or after the pooling, which is the same.
    pub(super) relu: bool,
}

/// The sizes of a convolution, and the places of its factors in the padded image.
#[derive(Clone, Debug)]
pub(super) struct Geometry {
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    pub(super) padding: usize,
    /// Rows and columns of the image.
    pub(super) image: [usize; 2],
    /// Rows and columns of the image with its zeros.
    pub(super) padded: [usize; 2],
    /// Rows and columns of the result.
    pub(super) result: [usize; 2],
    /// Offset in the padded image of every weight of a kernel, `[inputs, kernel, kernel]`.
    pub(super) taps: Vec<usize>,
    /// `0, 1, 2, ...`: the columns of an image.
    pub(super) ascending: Vec<usize>,
    /// The transposed convolution, which takes slopes back to the image.
    pub(super) back: Back,
}

/// A convolution transposed: the slopes with `kernel - 1` zeros around them, under mirrored kernels.
#[derive(Clone, Debug)]
pub(super) struct Back {
    /// Rows and columns of the slopes with their zeros.
    pub(super) padded: [usize; 2],
    /// Offsets of the kernels of every input channel among the weights.
    pub(super) channels: Vec<usize>,
    /// Offsets of the weights of the mirrored kernels, `[outputs, kernel, kernel]`, among all weights.
    pub(super) weights: Vec<usize>,
    /// Offsets of the same weights in the padded slopes.
    pub(super) taps: Vec<usize>,
}

impl Back {
    fn new([inputs, outputs]: [usize; 2], kernel: usize, result: [usize; 2]) -> Self {
        let padded = result.map(|n| n + 2 * (kernel - 1));
        let square = kernel * kernel;
        let mirrored =
            |channel| (0..square).map(move |tap| channel * inputs * square + square - 1 - tap);
        Self {
            padded,
            channels: (0..inputs).map(|channel| channel * square).collect(),
            weights: (0..outputs).flat_map(mirrored).collect(),
            taps: taps(outputs, kernel, padded),
        }
    }
}

impl Geometry {
    /// Elements of the padded image.
    pub(super) fn padded_elements(&self) -> usize {
        self.inputs * self.padded[0] * self.padded[1]
    }

    /// Pixels of one channel of the result.
    pub(super) fn pixels(&self) -> usize {
        self.result[0] * self.result[1]
    }

    fn new([inputs, outputs]: [usize; 2], kernel: usize, padding: usize, input: Shape) -> Self {
        let Shape::Image { height, width, .. } = input else {
            unreachable!("a network is checked before it is staged")
        };
        let padded = [height + 2 * padding, width + 2 * padding];
        let result = padded.map(|n| n + 1 - kernel);
        Self {
            inputs,
            outputs,
            padding,
            image: [height, width],
            padded,
            result,
            taps: taps(inputs, kernel, padded),
            ascending: (0..padded[1]).collect(),
            back: Back::new([inputs, outputs], kernel, result),
        }
    }
}

/// Offsets of the weights `[channels, kernel, kernel]` in an image of the given rows and columns.
pub(super) fn taps(channels: usize, kernel: usize, [height, width]: [usize; 2]) -> Vec<usize> {
    let mut taps = Vec::with_capacity(channels * kernel * kernel);
    for channel in 0..channels {
        for y in 0..kernel {
            taps.extend((0..kernel).map(|x| (channel * height + y) * width + x));
        }
    }
    taps
}

/// The steps of checked `layers`, given the shapes before each of them and after the last.
pub(super) fn stages(layers: &[Layer], shapes: &[Shape]) -> Vec<Stage> {
    let mut stages = Vec::new();
    let (mut at, mut offset) = (0, 0);
    while at < layers.len() {
        let (kind, count) = kind(&layers[at..], shapes[at]);
        let parameters = layers[at].parameters();
        stages.push(Stage {
            kind,
            input: shapes[at],
            output: shapes[at + count],
            offset,
            parameters,
        });
        offset += parameters;
        at += count;
    }
    stages
}

/// The step that begins with the first layer, and the number of layers in it.
fn kind(layers: &[Layer], input: Shape) -> (Kind, usize) {
    match layers[0] {
        Layer::Dense { .. } => (Kind::Dense, 1),
        Layer::Conv2d {
            inputs,
            outputs,
            kernel,
            padding,
        } => {
            let geometry = Geometry::new([inputs, outputs], kernel, padding, input);
            match pooling(&layers[1..]) {
                Some((pooling, count)) => (Kind::ConvPool(geometry, pooling), 1 + count),
                None => (Kind::Conv(geometry), 1),
            }
        }
        Layer::MaxPool { size } => (Kind::MaxPool(size), 1),
        Layer::AveragePool { size } => (Kind::AveragePool(size), 1),
        Layer::Activation(activation) => (Kind::Activation(activation), 1),
    }
}

/// Max pooling at the beginning of `layers`, with a ReLU on either side of it or none.
fn pooling(layers: &[Layer]) -> Option<(Pooling, usize)> {
    const RELU: Layer = Layer::Activation(Activation::Relu);
    match layers {
        [RELU, Layer::MaxPool { size }, ..] | [Layer::MaxPool { size }, RELU, ..] => Some((
            Pooling {
                size: *size,
                relu: true,
            },
            2,
        )),
        [Layer::MaxPool { size }, ..] => Some((
            Pooling {
                size: *size,
                relu: false,
            },
            1,
        )),
        _ => None,
    }
}
