//! Compares a model's trace with the model: its densities with those over plain numbers, and a derivative with forward mode.

use super::posterior::{batch_of, drawn};
use super::{LogDensity, Particles, Posterior};
use crate::model::{Draw, DrawnPrior};
use crate::rng::{Key, Purpose};

/// Maximum number of coordinates of a model whose gradients are compared before sampling: one pass in forward mode may take long for a
/// network.
const MAX_CHECKED: usize = 1000;

/// Number of prior draws to try.
const DRAWS: u64 = 10;

/// Densities are the same up to this share: a network may compute in single precision, in another order of its sums.
const SAME: f64 = 1e-4;

/// A value with rounding up to this size leaves its derivatives six digits.
const ROUNDING: f64 = 1e-9;

impl Posterior<'_> {
    /// Whether the trace agrees with the model over plain numbers on the densities, and with forward mode on the derivative in one
    /// direction, at a prior draw.
    ///
    /// A wrong gradient would only lower the acceptance rate and so be hard to notice; this check costs a few evaluations. Forward mode
    /// derives the operations of the recording, as the trace does; plain numbers do not depend on the recording.
    pub(super) fn modes_agree(&self) -> bool {
        let dim = self.validated.layout.dim;
        let discrete = self.validated.discrete.iter().any(|discrete| *discrete);
        if discrete || dim > MAX_CHECKED {
            return true;
        }
        let Some(position) = self.unrounded_draw() else {
            return true;
        };
        let mut particle = Particles::new(1, dim);
        particle.positions.copy_from_slice(&position);
        self.evaluate_gradient([1.0; 2], &mut particle.block());
        let found = [particle.log_prior[0], particle.log_likelihood[0]];
        if !self.has_densities(&position, found) {
            return false;
        }
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

    /// Whether these are the log prior and the log likelihood over plain numbers. Densities that are not finite are not compared.
    fn has_densities(&self, position: &[f64], found: [f64; 2]) -> bool {
        let mut plain = Particles::new(1, position.len());
        plain.positions.copy_from_slice(position);
        let mut block = plain.block();
        self.model.values(self.jacobian, batch_of(&mut block).0);
        let expected = [plain.log_prior[0], plain.log_likelihood[0]];
        found.iter().zip(expected).all(|(found, expected)| {
            let gap = (found - expected).abs();
            !gap.is_finite() || gap <= SAME * (1.0 + expected.abs())
        })
    }

    /// A prior draw whose values do not round, `[dim]`: where values round, forward mode reads the rounded values, and reverse mode the
    /// coordinates. `None` if all ten draws round.
    fn unrounded_draw(&self) -> Option<Vec<f64>> {
        let draw = |item| {
            let key = Key::new(self.seed, Purpose::Validation).item(1 + item);
            drawn(self.model, Draw::new(&mut key.stream()))
        };
        let mut draws = (0..DRAWS).map(draw);
        let rounded = |(priors, _): &(Vec<DrawnPrior>, _)| {
            priors.iter().any(|prior| prior.rounding > ROUNDING)
        };
        let (_, mut position) = draws.find(|draw| !rounded(draw))?;
        // shorter if the draw panicked
        position.resize(self.validated.layout.dim, 0.0);
        Some(position)
    }
}
