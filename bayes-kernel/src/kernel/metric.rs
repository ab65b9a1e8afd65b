//! The mass matrix of Hamiltonian kernels.

use super::covariance::{covariance_factor, supports_dense};
use super::factor::Factor;
use super::low_rank::LowRank;
use super::{Moments, Population, fisher, named};
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
    /// A diagonal from the draws and gradients of the burn-in: the square root of the variance of the draws over that of the gradients
    /// (Seyboldt, Carlson and Carpenter 2026). For chains.
    Fisher,
    /// As `Fisher`, and stretched along the directions in which that is off by more than a factor of 2, also with fewer states than
    /// coordinates. For chains.
    LowRank,
}

/// The masses that hold no numbers, by name.
const NAMED: [(&str, Mass); 5] = [
    ("identity", Mass::Identity),
    ("variance", Mass::Variance),
    ("covariance", Mass::Covariance),
    ("fisher", Mass::Fisher),
    ("low_rank", Mass::LowRank),
];

impl Mass {
    /// The names of all masses but `Diagonal`, which holds numbers.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMED.iter().map(|(name, _)| *name)
    }

    /// The mass with this name.
    ///
    /// # Errors
    /// [`Error::Setting`] with the valid names.
    pub fn by_name(name: &str) -> Result<Self, Error> {
        named("mass", &NAMED, name).cloned()
    }

    /// Whether it is learnt from gradients.
    pub(super) fn fits_gradients(&self) -> bool {
        matches!(self, Self::Fisher | Self::LowRank)
    }
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

    /// One that is stretched along a few directions.
    pub(super) fn low_rank(low_rank: LowRank) -> Self {
        Self {
            variance: low_rank.variance(),
            factor: Factor::LowRank(low_rank),
        }
    }

    /// Fits it to the states of the burn-in of chains, which are few and depend on each other, unless the mass is given.
    pub(super) fn fit_chains(&mut self, mass: &Mass, population: Population<'_>) {
        if *mass != Mass::Variance {
            return self.fit(mass, population);
        }
        let positions = population.positions;
        let dim = self.variance.len();
        let moments = Moments::of(positions, dim);
        *self = Self::diagonal(moments.log_shrunk_variance(positions.len() / dim));
    }

    /// Fits it to a population, unless the mass is given.
    pub(super) fn fit(&mut self, mass: &Mass, population: Population<'_>) {
        let dim = self.variance.len();
        let positions = population.positions;
        let n = positions.len() / dim;
        match mass {
            Mass::Identity | Mass::Diagonal(_) => {}
            Mass::Fisher => *self = Self::diagonal(fisher::diagonal(population, &self.variance)),
            Mass::LowRank => *self = fisher::low_rank(population, &self.variance),
            Mass::Variance | Mass::Covariance => {
                *self = Self::diagonal(Moments::of(positions, dim).shrunk_variance(n));
                if *mass == Mass::Covariance && supports_dense(n, dim) {
                    self.factor = covariance_factor(positions, dim);
                }
            }
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
