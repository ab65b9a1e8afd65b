//! The layers of a network, and the check that their shapes match.

use std::fmt;
use thiserror::Error;

/// The shape of one example between two layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Numbers without order.
    Flat(usize),
    /// Channels of pixels: channel by channel, each row by row.
    Image {
        /// Number of channels.
        channels: usize,
        /// Rows of pixels.
        height: usize,
        /// Columns of pixels.
        width: usize,
    },
}

impl Shape {
    /// Number of elements.
    #[must_use]
    pub fn elements(self) -> usize {
        match self {
            Self::Flat(elements) => elements,
            Self::Image {
                channels,
                height,
                width,
            } => channels * height * width,
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flat(elements) => write!(f, "{elements}"),
            Self::Image {
                channels,
                height,
                width,
            } => {
                write!(f, "{channels} x {height} x {width}")
            }
        }
    }
}

/// A function applied to every element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// `max(x, 0)`, with slope 0 at 0.
    Relu,
    /// `x Φ(x)` with the standard normal distribution function `Φ` (Hendrycks and Gimpel 2016).
    Gelu,
    /// Hyperbolic tangent.
    Tanh,
    /// `1 / (1 + e⁻ˣ)`, the logistic function.
    Sigmoid,
}

/// One layer of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// `outputs` linear functions of all inputs; an image is read channel by channel, row by row.
    ///
    /// Weights `[inputs, outputs]` row-major, then biases `[outputs]`.
    Dense {
        /// Number of input elements.
        inputs: usize,
        /// Number of output elements.
        outputs: usize,
    },
    /// Cross-correlation with square kernels, stride 1, zeros around the image.
    ///
    /// Weights `[outputs, inputs, kernel, kernel]` row-major, then biases `[outputs]`.
    Conv2d {
        /// Number of input channels.
        inputs: usize,
        /// Number of output channels.
        outputs: usize,
        /// Rows and columns of a kernel.
        kernel: usize,
        /// Rows and columns of zeros on every side.
        padding: usize,
    },
    /// The largest of every `size` x `size` pixels, side by side; remaining pixels at the edges are dropped.
    MaxPool {
        /// Rows and columns of a window.
        size: usize,
    },
    /// The mean of every `size` x `size` pixels, side by side; remaining pixels at the edges are dropped.
    AveragePool {
        /// Rows and columns of a window.
        size: usize,
    },
    /// A function of every element.
    Activation(Activation),
}

impl Layer {
    /// Number of weights and biases.
    #[must_use]
    pub fn parameters(self) -> usize {
        self.weights() + self.biases()
    }

    /// Number of weights, without biases.
    #[must_use]
    pub fn weights(self) -> usize {
        self.fan_in() * self.biases()
    }

    /// Number of biases: one for each output or output channel.
    #[must_use]
    pub fn biases(self) -> usize {
        match self {
            Self::Dense { outputs, .. } | Self::Conv2d { outputs, .. } => outputs,
            _ => 0,
        }
    }

    /// Number of inputs with a weight for each output; 0 for a layer without weights.
    #[must_use]
    pub fn fan_in(self) -> usize {
        match self {
            Self::Dense { inputs, .. } => inputs,
            Self::Conv2d { inputs, kernel, .. } => inputs * kernel * kernel,
            _ => 0,
        }
    }

    /// Number of outputs with a weight for each input, counted without borders and strides; 0 for a layer without weights.
    #[must_use]
    pub fn fan_out(self) -> usize {
        match self {
            Self::Conv2d { kernel, .. } => self.biases() * kernel * kernel,
            _ => self.biases(),
        }
    }

    /// The shape of the layer's output for `input`; otherwise the expected input, in words.
    pub(super) fn output(self, input: Shape) -> Result<Shape, String> {
        match self {
            Self::Dense { inputs, outputs } => {
                wants(
                    inputs > 0 && outputs > 0,
                    "at least 1 input and 1 output".to_owned(),
                )?;
                wants(inputs == input.elements(), format!("{inputs} inputs"))?;
                Ok(Shape::Flat(outputs))
            }
            Self::Conv2d {
                inputs,
                outputs,
                kernel,
                padding,
            } => convolved(input, [inputs, outputs], kernel, padding),
            Self::MaxPool { size } | Self::AveragePool { size } => pooled(input, size),
            Self::Activation(_) => Ok(input),
        }
    }
}

fn wants(holds: bool, wanted: String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(wanted) }
}

fn convolved(
    input: Shape,
    [inputs, outputs]: [usize; 2],
    kernel: usize,
    padding: usize,
) -> Result<Shape, String> {
    let Shape::Image {
        channels,
        height,
        width,
    } = input
    else {
        return Err(format!("an image of {inputs} channels"));
    };
    wants(
        inputs > 0 && outputs > 0 && kernel > 0,
        "at least 1 channel in and out, and a kernel of at least 1".to_owned(),
    )?;
    wants(inputs == channels, format!("an image of {inputs} channels"))?;
    let fits = height.min(width) + 2 * padding >= kernel;
    wants(
        fits,
        format!(
            "an image of at least {kernel} x {kernel} pixels, {padding} zeros on every side included"
        ),
    )?;
    Ok(Shape::Image {
        channels: outputs,
        height: height + 2 * padding + 1 - kernel,
        width: width + 2 * padding + 1 - kernel,
    })
}

fn pooled(input: Shape, size: usize) -> Result<Shape, String> {
    let Shape::Image {
        channels,
        height,
        width,
    } = input
    else {
        return Err("an image".to_owned());
    };
    let fits = size > 0 && height.min(width) >= size;
    wants(
        fits,
        format!(
            "an image of at least {size} x {size} pixels, and at least 1 x 1",
            size = size
        ),
    )?;
    Ok(Shape::Image {
        channels,
        height: height / size,
        width: width / size,
    })
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dense { inputs, outputs } => write!(f, "Dense({inputs}, {outputs})"),
            Self::Conv2d {
                inputs,
                outputs,
                kernel,
                ..
            } => write!(f, "Conv2d({inputs}, {outputs}, {kernel})"),
            Self::MaxPool { size } => write!(f, "MaxPool({size})"),
            Self::AveragePool { size } => write!(f, "AveragePool({size})"),
            Self::Activation(activation) => write!(f, "{activation:?}"),
        }
    }
}

/// The reason why layers do not form a network.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NetworkError {
    /// A layer whose input does not match the output of the layer before it.
    #[error("layer {index} `{layer}` expects {wanted}, but {before} gives {given}")]
    Misfit {
        /// The place of the layer, from 0.
        index: usize,
        /// The layer.
        layer: Layer,
        /// The expected input, in words.
        wanted: Box<str>,
        /// The layer before it, or the input, in words.
        before: Box<str>,
        /// The shape of its output.
        given: Shape,
    },
    /// No layer has weights.
    #[error("the network has no weights: it needs a `Dense` or a `Conv2d` layer")]
    NoWeights,
}
