//! Families of Gaussians by unconstrained parameters.

use crate::density::{BlockFactor, Reference, ReferenceBlock};

/// The standard deviations at the start of an optimisation, in units of the coordinates: small, so that it starts near one point.
const FIRST_SD: f64 = 0.1;

/// Gaussians `x = centre + unit ∘ (a + S z)` with standard normal z, where S is diagonal or lower triangular.
///
/// The parameters are a, then the logarithms of the diagonal of S, then the rows of S below the diagonal. With the units, steps of one
/// length suit all coordinates.
pub(super) struct Family {
    pub(super) is_full: bool,
    /// The first mean, `[dim]`.
    pub(super) centre: Vec<f64>,
    /// The size of each coordinate, `[dim]`, above 0.
    pub(super) unit: Vec<f64>,
}

impl Family {
    pub(super) fn dim(&self) -> usize {
        self.centre.len()
    }

    /// The number of parameters.
    pub(super) fn parameters(&self) -> usize {
        let d = self.dim();
        2 * d + if self.is_full { d * (d - 1) / 2 } else { 0 }
    }

    /// The parameters of the Gaussian at the start of an optimisation.
    pub(super) fn first(&self) -> Vec<f64> {
        let d = self.dim();
        let mut parameters = vec![0.0; self.parameters()];
        parameters[d..2 * d].fill(FIRST_SD.ln());
        parameters
    }

    /// The place of row `i` of S below the diagonal; empty for a diagonal S.
    fn row(&self, i: usize) -> std::ops::Range<usize> {
        let first = 2 * self.dim() + i * i.saturating_sub(1) / 2;
        match self.is_full {
            true => first..first + i,
            false => 0..0,
        }
    }

    /// The position for the standard normal numbers `z`, `[dim]`.
    pub(super) fn position(&self, parameters: &[f64], z: &[f64], position: &mut [f64]) {
        let d = self.dim();
        for i in 0..d {
            let below = parameters[self.row(i)].iter().zip(z);
            let below: f64 = below.map(|(s, z)| s * z).sum();
            let moved = parameters[i] + parameters[d + i].exp() * z[i] + below;
            position[i] = self.centre[i] + self.unit[i] * moved;
        }
    }

    /// The log density at the position of `z`, normalised.
    pub(super) fn log_density(&self, parameters: &[f64], z: &[f64]) -> f64 {
        let d = self.dim();
        let each = |i: usize| {
            0.5 * z[i] * z[i]
                + parameters[d + i]
                + self.unit[i].ln()
                + 0.5 * std::f64::consts::TAU.ln()
        };
        -(0..d).map(each).sum::<f64>()
    }

    /// `S⁻ᵀ z`: minus the gradient of the log density, in the units of the coordinates.
    fn pull(&self, parameters: &[f64], z: &[f64]) -> Vec<f64> {
        let d = self.dim();
        let mut pull = z.to_vec();
        for i in (0..d).rev() {
            pull[i] /= parameters[d + i].exp();
            let own = pull[i];
            let row = parameters[self.row(i)].iter();
            row.zip(&mut pull).for_each(|(s, rest)| *rest -= s * own);
        }
        pull
    }

    /// Adds `share` times the gradient of `ln p(x) − weight ln q(x)` in the parameters, through x alone. x is the position of `z`, and
    /// `slopes` is the gradient of `ln p` there.
    ///
    /// The gradient of `ln q` in its own parameters has mean 0 and is left out; the rest has no noise where q is the posterior (Roeder,
    /// Wu and Duvenaud 2017).
    pub(super) fn add_gradient(
        &self,
        parameters: &[f64],
        z: &[f64],
        slopes: &[f64],
        [share, weight]: [f64; 2],
        gradient: &mut [f64],
    ) {
        let d = self.dim();
        let pull = self.pull(parameters, z);
        for i in 0..d {
            let slope = share * (self.unit[i] * slopes[i] + weight * pull[i]);
            gradient[i] += slope;
            gradient[d + i] += slope * z[i] * parameters[d + i].exp();
            let row = gradient[self.row(i)].iter_mut();
            row.zip(z).for_each(|(g, z)| *g += slope * z);
        }
    }

    /// The Gaussian of the coordinates.
    pub(super) fn gaussian(&self, parameters: &[f64]) -> Reference {
        let d = self.dim();
        let mean = (0..d).map(|i| self.centre[i] + self.unit[i] * parameters[i]);
        let sd = |i: usize| self.unit[i] * parameters[d + i].exp();
        let factor = if self.is_full {
            let mut lower = vec![0.0; d * d];
            for (i, row) in lower.chunks_exact_mut(d).enumerate() {
                row[i] = sd(i);
                let below = parameters[self.row(i)].iter().zip(row);
                below.for_each(|(s, entry)| *entry = self.unit[i] * s);
            }
            BlockFactor::Lower(lower)
        } else {
            BlockFactor::Diagonal((0..d).map(sd).collect())
        };
        Reference {
            blocks: vec![ReferenceBlock {
                offset: 0,
                mean: mean.collect(),
                factor,
            }],
            is_gaussian_prior: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn family(is_full: bool) -> Family {
        Family {
            is_full,
            centre: vec![1.0, -2.0, 0.5],
            unit: vec![0.5, 2.0, 3.0],
        }
    }

    fn parameters(is_full: bool) -> Vec<f64> {
        let all = [0.3, -0.1, 0.7, -0.4, 0.2, 0.1, 0.8, -0.6, 0.9];
        all[..if is_full { 9 } else { 6 }].to_vec()
    }

    const Z: [f64; 3] = [0.9, -1.4, 0.3];

    #[test]
    fn the_gaussian_is_that_of_the_parameters() {
        for is_full in [false, true] {
            let (family, parameters) = (family(is_full), parameters(is_full));
            assert_eq!(family.parameters(), parameters.len());
            let gaussian = family.gaussian(&parameters);
            let (mut x, mut z) = ([0.0; 3], [0.0; 3]);
            family.position(&parameters, &Z, &mut x);
            gaussian.whiten(&x, &mut z);
            assert!(
                z.iter().zip(&Z).all(|(a, b)| (a - b).abs() < 1e-14),
                "{z:?}"
            );
            let wanted = Reference::log_density(&z) + gaussian.log_normaliser();
            let found = family.log_density(&parameters, &Z);
            assert!((found - wanted).abs() < 1e-13, "{found}, want {wanted}");
        }
    }

    /// `ln p(x)` with a gradient that depends on the position, minus `ln q(x)` of the fixed Gaussian `q`.
    fn objective(x: &[f64], q: &Reference) -> f64 {
        let p = x[0].sin() + 0.3 * x[0] * x[1] - 0.1 * x[2] * x[2];
        let mut z = [0.0; 3];
        q.whiten(x, &mut z);
        p - Reference::log_density(&z)
    }

    // Differences in the parameters through the position alone.
    #[test]
    fn gradients_are_those_of_differences() {
        for is_full in [false, true] {
            let (family, parameters) = (family(is_full), parameters(is_full));
            let q = family.gaussian(&parameters);
            let at = |parameters: &[f64]| {
                let mut x = [0.0; 3];
                family.position(parameters, &Z, &mut x);
                (objective(&x, &q), x)
            };
            let x = at(&parameters).1;
            let slopes = [x[0].cos() + 0.3 * x[1], 0.3 * x[0], -0.2 * x[2]];
            let mut gradient = vec![0.0; parameters.len()];
            family.add_gradient(&parameters, &Z, &slopes, [1.0, 1.0], &mut gradient);
            for (k, found) in gradient.iter().enumerate() {
                let moved = |by: f64| {
                    let mut moved = parameters.clone();
                    moved[k] += by;
                    at(&moved).0
                };
                let wanted = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                assert!((found - wanted).abs() < 1e-8, "{k}: {found}, want {wanted}");
            }
        }
    }
}
