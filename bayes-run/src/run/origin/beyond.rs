//! What lies beyond the draws of an approximation, as far as climbs and short trajectories tell.

use crate::number;
use crate::run::RunError;
use crate::run::consistency::{Consistency, is_log};
use serde::{Deserialize, Serialize};

/// Climbs of the log density: from the draw of the highest density, from the restarts of a fit, from the ends of Pathfinder's paths, and
/// from draws of the prior.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Climbs {
    /// Number of climbs.
    pub number: u64,
    /// The maxima where they ended, the highest first. A climb that ended at none of them is at the edge of the space, on a ridge, or was
    /// stopped.
    pub maxima: Vec<Maximum>,
    /// Number of climbs that ended higher than every draw, or less than 3 lower, at none of these maxima: the density there is no Gaussian, or the
    /// search had no gradients left.
    #[serde(default, skip_serializing_if = "is_none")]
    pub unsettled: u64,
}

fn is_none(number: &u64) -> bool {
    *number == 0
}

/// Why chains were not searched for other maxima.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum NotSearched {
    /// The time of the run was over.
    Late,
    /// The user stopped the run, or its time was over, before the search ended.
    Stopped,
    /// A search would have cost more than its share of the gradients.
    TooShort,
    /// The run has fewer than 100 draws.
    FewDraws,
    /// The model has more than 100 coordinates.
    ManyCoordinates,
}

impl NotSearched {
    /// The reason in words.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::Late => "the time of the run was over",
            Self::Stopped => "the run was stopped, or its time was over, before the search ended",
            Self::TooShort => "it would cost too large a part of so short a run",
            Self::FewDraws => "there are fewer than 100 draws",
            Self::ManyCoordinates => "there are more than 100 coordinates",
        }
    }
}

/// A maximum of the log density of the unconstrained coordinates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Maximum {
    /// Number of climbs that ended there.
    pub climbs: u64,
    /// The log density there.
    #[serde(with = "number::one")]
    pub log_density: f64,
    /// The quantities there, constrained, `[layout.elements()]`.
    #[serde(with = "number::many")]
    pub values: Vec<f64>,
    /// The logarithm of the mass around it: the integral of the density over the ellipsoid that has 90% of the Gaussian with its
    /// curvature, over 0.9. By Laplace's approximation if this is too little to matter. What lies in the ellipsoid of a higher maximum is left
    /// out.
    #[serde(with = "number::one")]
    pub log_mass: f64,
    /// The standard error of `log_mass`, 0 by Laplace's approximation.
    #[serde(default, with = "number::one")]
    pub se: f64,
    /// Number of draws in this ellipsoid; those in the ellipsoid of a higher maximum are left out.
    pub draws: u64,
}

/// Short trajectories of Hamiltonian Monte Carlo from draws that were chosen by their importance weights.
///
/// If the weights turn the draws into the posterior, the ends of the trajectories are of the posterior too, so that the mean of the log
/// weights stays the same. It rises where the trajectories leave the draws for a part of the posterior that no draw has reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Excursions {
    /// Number of trajectories.
    pub number: u64,
    /// The mean rise of the log weight from the start of a trajectory to its end.
    #[serde(with = "number::one")]
    pub rise: f64,
    /// The standard error of this mean.
    #[serde(with = "number::one")]
    pub se: f64,
    /// Number of trajectories that ended where the weight is larger than at every draw.
    pub beyond: u64,
}

/// A log mass with a larger standard error says nothing.
const IMPRECISE: f64 = 0.5;

impl Maximum {
    /// Whether the mass around it is known: its standard error is at most one half.
    #[must_use]
    pub fn is_measured(&self) -> bool {
        self.se <= IMPRECISE
    }
}

impl Climbs {
    /// Checks that an engine can have written every number.
    pub(super) fn check(&self, at: &Consistency<'_>) -> Result<(), RunError> {
        let ended: u64 = self.maxima.iter().map(|maximum| maximum.climbs).sum();
        let allowed = format!("at least {ended}, the climbs that ended at a maximum");
        let number = self.number as f64;
        let ended = ended.saturating_add(self.unsettled);
        at.number("climbs: number", number, self.number >= ended, &allowed)?;
        let elements = at.group.draws.len() / at.group.log_prior.len().max(1);
        for maximum in &self.maxima {
            at.list("climbs: values", maximum.values.len(), elements)?;
            let height = maximum.log_density;
            at.number("climbs: log_density", height, height.is_finite(), "finite")?;
            let mass = maximum.log_mass;
            at.number(
                "climbs: log_mass",
                mass,
                is_log(mass),
                "a number below infinity",
            )?;
            let (se, holds) = (maximum.se, maximum.se.is_finite() && maximum.se >= 0.0);
            at.number("climbs: se", se, holds, "finite and at least 0")?;
        }
        Ok(())
    }
}

/// The mass of the posterior by importance sampling from draws that are moved apart, beside the mass by the draws themselves.
///
/// Both have the same mean, whatever the approximation. Where the posterior has heavier tails than the approximation, few draws have
/// most of the weight of the tails, and most sets of draws lack it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Widened {
    /// The factor of the distances from the mean of the draws.
    #[serde(with = "number::one")]
    pub scale: f64,
    /// The rise of the log mass.
    #[serde(with = "number::one")]
    pub rise: f64,
    /// The standard error of this rise.
    #[serde(with = "number::one")]
    pub se: f64,
}

impl Widened {
    /// Checks that an engine can have written every number.
    pub(super) fn check(&self, at: &Consistency<'_>) -> Result<(), RunError> {
        let Self { scale, rise, se } = *self;
        at.number(
            "widened: scale",
            scale,
            scale.is_finite() && scale > 1.0,
            "finite and above 1",
        )?;
        at.number("widened: rise", rise, rise.is_finite(), "finite")?;
        let holds = se.is_finite() && se >= 0.0;
        at.number("widened: se", se, holds, "finite and at least 0")
    }
}

impl Excursions {
    /// Checks that an engine can have written every number.
    pub(super) fn check(&self, at: &Consistency<'_>) -> Result<(), RunError> {
        let Self { rise, se, .. } = *self;
        at.number("excursions: rise", rise, rise.is_finite(), "finite")?;
        let holds = se.is_finite() && se >= 0.0;
        at.number("excursions: se", se, holds, "finite and at least 0")
    }
}
