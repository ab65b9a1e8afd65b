//! The mass matrix of Hamiltonian kernels.

use super::Moments;
use super::covariance::{covariance_factor, supports_dense};
use super::factor::Factor;
use crate::error::Error;
use serde::{Deserialize, Serialize};

/// The mass matrix M.
#[derive(Clone, Debug, PartialEq)]
pub enum Mass {
    /// M = I.
    Identity,
    /// A given diagonal, `[dim]`, on the unconstrained coordinates.
    Diagonal(Vec<f64>),
    /// The inverse of the population's variances: of the particles in SMC, of the burn-in states in chains.
    Variance,
    /// The inverse of the population's covariance, which decorrelates a Gaussian. The same as `Variance` for fewer than 256 members,
    /// fewer than 8 members per coordinate, or more than 256 coordinates.
    Covariance,
}

/// An estimate of the inverse mass matrix M⁻¹.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Metric {
    /// The diagonal of M⁻¹, `[dim]`.
    pub variance: Vec<f64>,
    /// F with `M⁻¹ = F Fᵀ`.
    pub factor: Factor,
}

impl Metric {
    /// The initial estimate.
    pub(super) fn new(mass: &Mass, dim: usize) -> Self {
        Self::diagonal(match mass {
            Mass::Diagonal(mass) => mass.iter().map(|m| 1.0 / m).collect(),
            _ => vec![1.0; dim],
        })
    }

    /// A diagonal estimate.
    pub(super) fn diagonal(variance: Vec<f64>) -> Self {
        let roots = variance.iter().map(|w| w.sqrt()).collect();
        Self {
            variance,
            factor: Factor::Diagonal(roots),
        }
    }

    /// Fits the estimate to a population, `[particles, dim]`, unless the mass is given.
    pub(super) fn fit(&mut self, mass: &Mass, positions: &[f64]) {
        let dim = self.variance.len();
        let n = positions.len() / dim;
        if !matches!(mass, Mass::Variance | Mass::Covariance) {
            return;
        }
        *self = Self::diagonal(Moments::of(positions, dim).shrunk_variance(n));
        if *mass == Mass::Covariance && supports_dense(n, dim) {
            self.factor = covariance_factor(positions, dim);
        }
    }
}

/// Checks a mass matrix given by the user.
pub(super) fn validate_mass(mass: &Mass, dim: usize) -> Result<(), Error> {
    let Mass::Diagonal(mass) = mass else {
        return Ok(());
    };
    let wanted = format!("a diagonal of {dim} numbers, one for each unconstrained coordinate");
    Error::setting(
        "mass",
        format!("of length {}", mass.len()),
        mass.len() == dim,
        &wanted,
    )?;
    mass.iter().try_for_each(|m| {
        let holds = *m > 0.0 && m.is_finite();
        Error::setting("mass", m, holds, "finite numbers above 0")
    })
}
