//! A network in two parts: the first layers, whose weights are known, and the remaining ones.

use super::{Layer, Network};

/// The first layers of a network, and the remaining ones.
#[derive(Debug)]
pub(crate) struct Split {
    /// Layers with known weights, up to the first layer with an unknown weight.
    pub(crate) known: Network,
    /// The remaining layers.
    pub(crate) rest: Network,
}

impl Split {
    /// Whether the rest begins with a dense layer.
    pub(crate) fn goes_on_with_dense(&self) -> bool {
        matches!(self.rest.layers()[0], Layer::Dense { .. })
    }
}

impl Network {
    /// Divides the network before the first layer with an unknown weight. `None` if no layer with weights comes before it, or if all
    /// weights are known.
    pub(crate) fn split(&self, is_known: impl Fn(usize) -> bool) -> Option<Split> {
        let mut first = 0;
        let unknown = self.layers.iter().position(|layer| {
            let own = first..first + layer.parameters();
            first = own.end;
            !own.into_iter().all(&is_known)
        })?;
        Some(Split {
            known: Self::new(self.input(), &self.layers[..unknown]).ok()?,
            rest: Self::new(self.shapes[unknown], &self.layers[unknown..]).ok()?,
        })
    }

    /// Whether more than one layer has weights.
    pub(crate) fn has_several_layers(&self) -> bool {
        let weights = self.layers.iter().filter(|layer| layer.parameters() > 0);
        weights.count() > 1
    }

    /// Whether another network has the same layers on examples of the same shape.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.input() == other.input() && self.layers == other.layers
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Activation, Shape};
    use super::*;

    const GELU: Layer = Layer::Activation(Activation::Gelu);

    fn dense(inputs: usize, outputs: usize) -> Layer {
        Layer::Dense { inputs, outputs }
    }

    /// Weights 0 to 11, 12 to 27 and 28 to 32.
    fn network() -> Network {
        let layers = [GELU, dense(3, 3), GELU, dense(3, 4), GELU, dense(4, 1)];
        Network::new(Shape::Flat(3), &layers).unwrap()
    }

    #[test]
    fn the_rest_begins_with_the_first_layer_that_has_an_unknown_weight() {
        let net = network();
        let split = |unknown: usize| net.split(|k| k != unknown);
        // before the first layer with weights there is no layer worth a step
        for unknown in [0, 11] {
            assert!(split(unknown).is_none());
        }
        for (unknown, layers) in [(12, 3), (27, 3), (28, 5), (32, 5)] {
            let Split { known, rest } = split(unknown).unwrap();
            assert_eq!(known.layers(), &net.layers()[..layers], "{unknown}");
            assert_eq!(rest.layers(), &net.layers()[layers..], "{unknown}");
            assert_eq!(known.shapes().last(), rest.shapes().first());
        }
        assert!(net.split(|_| true).is_none());
        assert!(net.split(|_| false).is_none());
    }
}
