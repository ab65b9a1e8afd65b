//! The layers as users write them.

use bayes_autodiff::network::{Activation, Layer};

/// `outputs` linear functions of all inputs.
///
/// Weights `[inputs, outputs]` row-major, then biases `[outputs]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dense {
    inputs: usize,
    outputs: usize,
}

impl Dense {
    /// A layer from `inputs` numbers to `outputs`; an image is read channel by channel, row by row.
    #[must_use]
    pub fn new(inputs: usize, outputs: usize) -> Self {
        Self { inputs, outputs }
    }
}

/// A two-dimensional convolution (cross-correlation) with square kernels and stride 1.
///
/// Weights `[outputs, inputs, kernel, kernel]` row-major, then biases `[outputs]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conv2d {
    inputs: usize,
    outputs: usize,
    kernel: usize,
    padding: usize,
}

impl Conv2d {
    /// A convolution from `inputs` channels to `outputs`, with kernels of `kernel` x `kernel` pixels and no
    /// padding.
    #[must_use]
    pub fn new(inputs: usize, outputs: usize, kernel: usize) -> Self {
        Self {
            inputs,
            outputs,
            kernel,
            padding: 0,
        }
    }

    /// Rows and columns of zeros on every side of the image; `(kernel - 1) / 2` keeps its size.
    #[must_use]
    pub fn padding(self, padding: usize) -> Self {
        Self { padding, ..self }
    }
}

/// The maximum of every `size` x `size` pixels, side by side; remaining pixels at the edges are dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaxPool {
    size: usize,
}

impl MaxPool {
    /// Windows of `size` x `size` pixels.
    #[must_use]
    pub fn new(size: usize) -> Self {
        Self { size }
    }
}

/// The mean of every `size` x `size` pixels, side by side; remaining pixels at the edges are dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AveragePool {
    size: usize,
}

impl AveragePool {
    /// Windows of `size` x `size` pixels.
    #[must_use]
    pub fn new(size: usize) -> Self {
        Self { size }
    }
}

/// `max(x, 0)` of every element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relu;

/// `x Φ(x)` of every element, with the standard normal distribution function `Φ` (Hendrycks and Gimpel 2016).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gelu;

/// Hyperbolic tangent of every element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tanh;

/// `1 / (1 + e⁻ˣ)` of every element, the logistic function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sigmoid;

impl From<Dense> for Layer {
    fn from(Dense { inputs, outputs }: Dense) -> Self {
        Self::Dense { inputs, outputs }
    }
}

impl From<Conv2d> for Layer {
    fn from(layer: Conv2d) -> Self {
        Self::Conv2d {
            inputs: layer.inputs,
            outputs: layer.outputs,
            kernel: layer.kernel,
            padding: layer.padding,
        }
    }
}

impl From<MaxPool> for Layer {
    fn from(MaxPool { size }: MaxPool) -> Self {
        Self::MaxPool { size }
    }
}

impl From<AveragePool> for Layer {
    fn from(AveragePool { size }: AveragePool) -> Self {
        Self::AveragePool { size }
    }
}

impl From<Relu> for Layer {
    fn from(_: Relu) -> Self {
        Self::Activation(Activation::Relu)
    }
}

impl From<Gelu> for Layer {
    fn from(_: Gelu) -> Self {
        Self::Activation(Activation::Gelu)
    }
}

impl From<Tanh> for Layer {
    fn from(_: Tanh) -> Self {
        Self::Activation(Activation::Tanh)
    }
}

impl From<Sigmoid> for Layer {
    fn from(_: Sigmoid) -> Self {
        Self::Activation(Activation::Sigmoid)
    }
}
