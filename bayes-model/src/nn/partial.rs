//! A network with a posterior for some of its layers, while the others are learnt.

use super::{Forward, Sequential};
use crate::dist::{Normal, Univariate};
use crate::error::Error;
use bayes_autodiff::network::Layer;
use bayes_autodiff::{Mode, Vector};
use nalgebra::DMatrix;

/// Standard deviation of the biases at the start: near 0.
const START_OF_BIASES: f64 = 1e-3;

/// A partially Bayesian network: some of its layers are sampled, the others are learnt.
///
/// In a model, `let phi = sample(net.prior());` draws the weights of the sampled layers, and `let psi = param(net.start());` learns the
/// weights of the others. `let theta = net.weights(&phi, &psi);` are the weights of all layers, for `net.forward(x, &theta)`.
///
/// ```
/// use bayes_model::nn::{Dense, Gelu, Sequential};
///
/// let net = Sequential::flat(1)
///     .layer(Dense::new(1, 20))
///     .layer(Gelu)
///     .layer(Dense::new(20, 10))
///     .layer(Gelu)
///     .layer(Dense::new(10, 1))
///     .build()?
///     .partial(&[1])?; // the second layer with weights is sampled
/// assert_eq!((net.sampled(), net.learnt()), (210, 51));
/// # Ok::<(), bayes_model::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Partial {
    net: Sequential,
    /// Prior standard deviations of the sampled weights.
    prior: Vec<f64>,
    /// Standard deviations of the starting values of the learnt weights.
    start: Vec<f64>,
    /// For each weight of the network, whether it is sampled, and its index among the sampled or the learnt weights.
    places: Vec<(bool, usize)>,
}

impl Sequential {
    /// The network with these layers sampled and all others learnt. Layers are counted from 0, without layers that have no weights.
    ///
    /// The sampled layers have the prior of the network ([`WeightPrior`](super::WeightPrior)). The others start at `Normal(0, 2 / (fan_in
    /// + fan_out))`, where the second argument is a variance (Glorot and Bengio 2010), and their biases near 0.
    ///
    /// # Errors
    /// [`Error::Setting`] for a layer that the network does not have.
    pub fn partial(self, layers: &[usize]) -> Result<Partial, Error> {
        let count = self.layers().len();
        for layer in layers {
            let allowed =
                format!("below {count}, the number of layers with weights, counted from 0");
            Error::setting("layers", layer, *layer < count, &allowed)?;
        }
        let (mut prior, mut start) = (Vec::new(), Vec::new());
        let mut places = Vec::with_capacity(self.parameters());
        let mut sds = self.sds().iter();
        for (number, layer) in self.layers().iter().enumerate() {
            let own = sds.by_ref().take(layer.parameters());
            if layers.contains(&number) {
                places.extend((prior.len()..).map(|i| (true, i)).take(layer.parameters()));
                prior.extend(own);
            } else {
                places.extend((start.len()..).map(|i| (false, i)).take(layer.parameters()));
                own.for_each(drop);
                start.extend(std::iter::repeat_n(start_sd(*layer), layer.weights()));
                start.extend(std::iter::repeat_n(START_OF_BIASES, layer.biases()));
            }
        }
        Ok(Partial {
            net: self,
            prior,
            start,
            places,
        })
    }
}

/// `√(2 / (fan_in + fan_out))`.
fn start_sd(layer: Layer) -> f64 {
    let fan_out = match layer {
        Layer::Conv2d {
            outputs, kernel, ..
        } => outputs * kernel * kernel,
        other => other.biases(),
    };
    (2.0 / (layer.fan_in() + fan_out) as f64).sqrt()
}

impl Partial {
    /// The whole network.
    #[must_use]
    pub fn net(&self) -> &Sequential {
        &self.net
    }

    /// Number of weights and biases that are sampled.
    #[must_use]
    pub fn sampled(&self) -> usize {
        self.prior.len()
    }

    /// Number of weights and biases that are learnt.
    #[must_use]
    pub fn learnt(&self) -> usize {
        self.start.len()
    }

    /// The prior of the weights that are sampled, a vector `[sampled]`: layer by layer, weights before biases.
    #[inline(always)]
    #[must_use]
    pub fn prior(&self) -> Univariate<Normal, (f64, &[f64]), 2> {
        Normal::new(0.0, self.prior.as_slice())
    }

    /// The start of the weights that are learnt, a vector `[learnt]` in the same order.
    #[inline(always)]
    #[must_use]
    pub fn start(&self) -> Univariate<Normal, (f64, &[f64]), 2> {
        Normal::new(0.0, self.start.as_slice())
    }

    /// The weights of all layers.
    ///
    /// # Panics
    /// If one of the vectors is too short.
    #[inline(always)]
    #[must_use]
    pub fn weights<M: Mode>(&self, sampled: &Vector<M>, learnt: &Vector<M>) -> Vector<M> {
        let (sampled, learnt) = (sampled.elements(), learnt.elements());
        Vector::from_fn(self.places.len(), |k| match self.places[k] {
            (true, place) => sampled[place],
            (false, place) => learnt[place],
        })
    }

    /// [`Sequential::forward`] with the weights of all layers.
    ///
    /// # Panics
    /// As in [`Sequential::forward`].
    #[inline(always)]
    pub fn forward<'a, M: Mode>(
        &'a self,
        inputs: &'a DMatrix<f64>,
        weights: &'a Vector<M>,
    ) -> Forward<'a, M> {
        self.net.forward(inputs, weights)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Conv2d, Dense, Relu, WeightPrior};
    use super::*;
    use bayes_autodiff::Value;

    #[test]
    fn the_parts_are_put_together_layer_by_layer() {
        let prior = WeightPrior::Separate {
            weight_sd: 2.0,
            bias_sd: 3.0,
        };
        let net = Sequential::flat(1)
            .layer(Dense::new(1, 2))
            .layer(Relu)
            .layer(Dense::new(2, 1))
            .layer(Dense::new(1, 1))
            .prior(prior)
            .build()
            .unwrap();
        let net = net.partial(&[1]).unwrap();
        let vector = |x: &[f64]| Vector::<Value>::constant(x);
        let all = net.weights(
            &vector(&[10.0, 11.0, 12.0]),
            &vector(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]),
        );
        let wanted = [0.0, 1.0, 2.0, 3.0, 10.0, 11.0, 12.0, 4.0, 5.0];
        assert!(all.elements().iter().map(|x| x.0).eq(wanted));
        assert_eq!(net.prior, [2.0, 2.0, 3.0]);
        let first = (2.0f64 / 3.0).sqrt();
        assert_eq!(net.start, [first, first, 1e-3, 1e-3, 1.0, 1e-3]);
        let error = net.net().clone().partial(&[3]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "setting `layers` is 3, must be below 3, the number of layers with weights, counted from 0"
        );
    }

    #[test]
    fn a_convolution_fans_out_to_its_kernels() {
        let layer = Layer::from(Conv2d::new(4, 8, 3));
        assert_eq!(start_sd(layer), (2.0f64 / (36.0 + 72.0)).sqrt());
    }
}
