//! Compares the derivatives of a model in reverse and in forward mode.

use super::{LogDensity, Particles, Posterior};
use crate::rng::{Key, Purpose};

/// Maximum number of coordinates of a model whose gradients are compared before sampling: one pass in forward mode may
/// take long for a network.
const MAX_CHECKED: usize = 1000;

impl Posterior<'_> {
    /// Whether reverse mode and forward mode agree on the derivative in one direction, at a prior draw.
    ///
    /// A wrong gradient would only lower the acceptance rate, and so would be hard to notice; this check costs two
    /// evaluations.
    pub(super) fn modes_agree(&self) -> bool {
        let dim = self.validated.layout.dim;
        let discrete = self.validated.discrete.iter().any(|discrete| *discrete);
        if discrete || dim > MAX_CHECKED {
            return true;
        }
        let key = Key::new(self.seed, Purpose::Validation).item(1);
        let mut particle = Particles::new(1, dim);
        self.draw_prior(&mut key.stream(), &mut particle.positions);
        self.evaluate_gradient([1.0; 2], &mut particle.block());
        let direction: Vec<f64> = (0..dim).map(|i| 1.5 + (i as f64).cos()).collect();
        let forward = self
            .model
            .directional_derivative(&particle.positions, &direction);
        let terms = particle.gradient.iter().zip(&direction);
        let (reverse, size) = terms.fold((0.0, 1.0), |(sum, size): (f64, f64), (g, v)| {
            (sum + g * v, size + (g * v).abs())
        });
        // if the density is not finite, there is nothing to compare
        !(forward.is_finite() && reverse.is_finite()) || (forward - reverse).abs() <= 1e-6 * size
    }
}
