//! A checked list of layers.

use super::layer::{Layer, NetworkError, Shape};
use super::stage::{Stage, stages};

/// A list of layers with matching shapes.
#[derive(Clone, Debug)]
pub struct Network {
    pub(super) layers: Vec<Layer>,
    /// The input shape of each layer, and the output shape of the last.
    pub(super) shapes: Vec<Shape>,
    pub(super) stages: Vec<Stage>,
}

impl Network {
    /// A network of `layers` on examples of the shape `input`.
    ///
    /// # Errors
    /// The first layer that does not match the layer before it; or an error that no layer has weights.
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
