//! A sequence of layers, and the prior of their weights.

use super::Forward;
use crate::dist::{Normal, Univariate};
use bayes_autodiff::fault::{Fault, raise};
use bayes_autodiff::network::{Applied, Layer, Network, NetworkError, Precision, Shape};
use bayes_autodiff::simd::{InstructionSet, LANES};
use bayes_autodiff::{Mode, Vector};
use nalgebra::DMatrix;
use std::sync::Arc;

/// The prior standard deviations of weights and biases: independent normals with mean 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum WeightPrior {
    /// Variance `2 / fan_in` for the weights and the biases of a layer, where `fan_in` is the number of inputs that each
    /// of its outputs depends on (He et al. 2015).
    #[default]
    Kaiming,
    /// Variance `2 / fan_out`, where `fan_out` is the number of outputs that depend on each input.
    KaimingFanOut,
    /// Variance `variance / fan_in`. With 1 it is the variance of LeCun, Bottou, Orr & Müller (1998), which makes a layer's outputs about
    /// as large as its inputs; with 2 it is `Kaiming`.
    FanIn {
        /// The variance of an output whose inputs are all 1, without its bias.
        variance: f64,
    },
    /// One standard deviation for all weights, and one for all biases.
    Separate {
        /// Standard deviation of weights.
        weight_sd: f64,
        /// Standard deviation of biases.
        bias_sd: f64,
    },
}

impl WeightPrior {
    /// Standard deviations of the weights and of the biases of `layer`.
    fn sds(self, layer: Layer) -> [f64; 2] {
        match self {
            Self::Kaiming => [(2.0 / layer.fan_in() as f64).sqrt(); 2],
            Self::KaimingFanOut => [(2.0 / layer.fan_out() as f64).sqrt(); 2],
            Self::FanIn { variance } => [(variance / layer.fan_in() as f64).sqrt(); 2],
            Self::Separate { weight_sd, bias_sd } => [weight_sd, bias_sd],
        }
    }
}

/// The builder of a [`Sequential`].
#[derive(Clone, Debug)]
#[must_use]
pub struct Builder {
    input: Shape,
    layers: Vec<Layer>,
    prior: WeightPrior,
    precision: Precision,
}

impl Builder {
    /// Adds a layer.
    pub fn layer(mut self, layer: impl Into<Layer>) -> Self {
        self.layers.push(layer.into());
        self
    }

    /// The prior of the weights; [`WeightPrior::Kaiming`] by default.
    pub fn prior(self, prior: WeightPrior) -> Self {
        Self { prior, ..self }
    }

    /// The precision inside the layers; [`Precision::Double`] by default. Sums over rows are always in double precision.
    pub fn precision(self, precision: Precision) -> Self {
        Self { precision, ..self }
    }

    /// The network.
    ///
    /// # Errors
    /// The first layer that does not match the one before it; or an error if no layer has weights.
    pub fn build(self) -> Result<Sequential, NetworkError> {
        let network = Network::new(self.input, &self.layers)?;
        let mut sds = Vec::with_capacity(network.parameters());
        for layer in &self.layers {
            let [weight, bias] = self.prior.sds(*layer);
            sds.extend(std::iter::repeat_n(weight, layer.weights()));
            sds.extend(std::iter::repeat_n(bias, layer.biases()));
        }
        let with_weights = self.layers.iter().copied().filter(|l| l.parameters() > 0);
        Ok(Sequential {
            network: Arc::new(network),
            precision: self.precision,
            layers: with_weights.collect(),
            sds,
        })
    }
}

/// A neural network: a sequence of layers, with a prior for their weights.
#[derive(Clone, Debug)]
pub struct Sequential {
    network: Arc<Network>,
    precision: Precision,
    /// The layers with weights.
    layers: Vec<Layer>,
    sds: Vec<f64>,
}

impl Sequential {
    /// The layers with weights.
    pub(super) fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// Prior standard deviations of all weights.
    pub(super) fn sds(&self) -> &[f64] {
        &self.sds
    }

    /// A network on rows of `elements` numbers.
    pub fn flat(elements: usize) -> Builder {
        Self::on(Shape::Flat(elements))
    }

    /// A network on images. A row of data is one image, channel by channel, each channel by rows of pixels.
    pub fn image(channels: usize, height: usize, width: usize) -> Builder {
        Self::on(Shape::Image {
            channels,
            height,
            width,
        })
    }

    fn on(input: Shape) -> Builder {
        Builder {
            input,
            layers: Vec::new(),
            prior: WeightPrior::default(),
            precision: Precision::default(),
        }
    }

    /// Number of weights and biases.
    #[must_use]
    pub fn parameters(&self) -> usize {
        self.network.parameters()
    }

    /// Number of outputs for one example.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.network.outputs()
    }

    /// The prior distribution of the weights, a vector `[parameters]`: layer by layer, weights before biases.
    #[inline(always)]
    #[must_use]
    pub fn prior(&self) -> Univariate<Normal, (f64, &[f64]), 2> {
        Normal::new(0.0, self.sds.as_slice())
    }

    /// The outputs for every row of `inputs`, `[rows, outputs]`, as a distribution's parameter.
    ///
    /// Nothing is computed yet: a likelihood that supports networks evaluates the outputs chunk by chunk; [`Forward::matrix`] computes the
    /// numbers.
    ///
    /// # Panics
    /// With a [`Fault::Shape`] if the rows of `inputs` do not match the first layer, or `weights` has another length than the network's
    /// number of weights.
    #[inline(always)]
    pub fn forward<'a, M: Mode>(
        &'a self,
        inputs: &'a DMatrix<f64>,
        weights: &'a Vector<M>,
    ) -> Forward<'a, M> {
        self.check(inputs, weights.len());
        Forward::new(self.applied(inputs), weights)
    }

    #[inline(always)]
    fn applied<'a>(&'a self, inputs: &'a DMatrix<f64>) -> Applied<'a> {
        Applied {
            network: &self.network,
            precision: self.precision,
            inputs: inputs.into(),
        }
    }

    /// Stops the model unless inputs and weights have the right sizes.
    fn check(&self, inputs: &DMatrix<f64>, weights: usize) {
        let input = self.network.input();
        if inputs.ncols() != input.elements() {
            raise(Fault::Shape {
                operation: format!(
                    "network on {input} applied to matrix {} x {}",
                    inputs.nrows(),
                    inputs.ncols()
                ),
            });
        }
        if weights != self.parameters() {
            raise(Fault::Shape {
                operation: format!(
                    "network of {} weights with vector of length {weights}",
                    self.parameters()
                ),
            });
        }
    }

    /// The outputs for every row of `inputs` at the weights of each draw, `[rows, outputs]` each.
    ///
    /// Eight draws are evaluated together.
    ///
    /// # Panics
    /// With a [`Fault::Shape`] as for [`Sequential::forward`].
    #[must_use]
    pub fn predict(&self, inputs: &DMatrix<f64>, draws: &[&[f64]]) -> Vec<DMatrix<f64>> {
        let (rows, columns) = (inputs.nrows(), self.outputs());
        let mut predictions = Vec::with_capacity(draws.len());
        let mut outputs = vec![[0.0; LANES]; rows * columns];
        for block in draws.chunks(LANES) {
            block.iter().for_each(|draw| self.check(inputs, draw.len()));
            let weight = |k: usize| std::array::from_fn(|i| block[i.min(block.len() - 1)][k]);
            let weights: Vec<[f64; LANES]> = (0..self.parameters()).map(weight).collect();
            self.applied(inputs)
                .at(&weights)
                .outputs(InstructionSet::detect(), &mut outputs);
            let of = |lane: usize| {
                DMatrix::from_fn(rows, columns, |i, k| outputs[i * columns + k][lane])
            };
            predictions.extend((0..block.len()).map(of));
        }
        predictions
    }
}
