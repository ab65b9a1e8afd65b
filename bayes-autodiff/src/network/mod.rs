//! Neural networks as one operation on eight particles: dense and convolutional layers, pooling, activations.
//!
//! A [`Network`] is a checked list of [`Layer`]s. A [`Pass`] takes it over the rows of its inputs, at the weights of
//! eight particles, and sums the terms that [`Rows`] compute from the outputs: a log likelihood, and with it
//! the gradient. It processes the rows in chunks that stay in the cache, each forward and then backward,
//! so no intermediate result is as long as the data. A first dense layer is one matrix product for eight particles
//! together; all else is computed lane by lane in blocks of registers. [`forward`] is the network in any
//! [`Mode`](crate::Mode), for derivatives of small ones.
//!
//! A single particle has eight rows of the data in the lanes in the place of eight particles, and only its outputs are computed so (`alone.rs`),
//! without the first layers if the particle before had the same weights there (`recent.rs`).
//!
//! The weights lie layer after layer as [`Layer`] says, each with one value for each of the eight particles.

mod activation;
mod alone;
mod applied;
mod choices;
mod chunk;
mod conv_pool;
mod convolution;
mod dense;
mod element;
mod layer;
mod pass;
mod pool;
mod product;
mod recent;
mod scalar;
mod split;
mod stage;
mod workspace;

pub use applied::Applied;
pub(crate) use applied::Scratch;
pub use choices::Choices;
pub use layer::{Activation, Layer, NetworkError, Shape};
pub(crate) use pass::InputSlopes;
pub use pass::{Inputs, Pass, Precision, Rows};
pub use scalar::forward;
pub(crate) use split::Split;

#[cfg(test)]
mod tests;

use stage::{Stage, stages};

/// A list of layers with matching shapes.
#[derive(Clone, Debug)]
pub struct Network {
    layers: Vec<Layer>,
    /// The input shape of each layer, and the output shape of the last.
    shapes: Vec<Shape>,
    stages: Vec<Stage>,
}

impl Network {
    /// A network of `layers` on examples of the shape `input`.
    ///
    /// # Errors
    /// The first layer that does not match the one before it; or that no layer has weights.
    pub fn new(input: Shape, layers: &[Layer]) -> Result<Self, NetworkError> {
        let mut shapes = vec![input];
        for (index, layer) in layers.iter().enumerate() {
            let given = shapes[index];
            let misfit = |wanted: String| NetworkError::Misfit {
                index,
                layer: *layer,
                wanted: wanted.into(),
                before: before(layers, index).into(),
                given,
            };
            shapes.push(layer.output(given).map_err(misfit)?);
        }
        if layers.iter().all(|layer| layer.parameters() == 0) {
            return Err(NetworkError::NoWeights);
        }
        Ok(Self {
            layers: layers.to_vec(),
            stages: stages(layers, &shapes),
            shapes,
        })
    }

    /// The layers in order.
    #[must_use]
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// The input shape of each layer, and the output shape of the last, `[layers + 1]`.
    #[must_use]
    pub fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    /// The shape of an example.
    #[must_use]
    pub fn input(&self) -> Shape {
        self.shapes[0]
    }

    /// Number of outputs for one example.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.shapes[self.layers.len()].elements()
    }

    /// Number of weights and biases.
    #[must_use]
    pub fn parameters(&self) -> usize {
        self.layers.iter().map(|layer| layer.parameters()).sum()
    }
}

/// The layer or input before layer `index`, in words.
fn before(layers: &[Layer], index: usize) -> String {
    match index.checked_sub(1) {
        None => "the input".to_owned(),
        Some(last) => format!("layer {last} `{}`", layers[last]),
    }
}
