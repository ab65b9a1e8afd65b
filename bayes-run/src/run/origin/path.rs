//! The paths of Pathfinder, whose Gaussians made the draws.

use super::super::{Group, Run};
use crate::number;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A path of Pathfinder: an optimisation from a starting point, and the best of the Gaussians along it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathfinderPath {
    /// Number of iterates of the optimiser after the start.
    pub iterates: u64,
    /// Number of gradients.
    pub gradients: u64,
    /// The iterate whose Gaussian is the path's, from 1: of those with the fewest draws of zero density the one of highest ELBO; 0 for a path that failed.
    pub best: u64,
    /// The ELBO of this Gaussian by the draws that chose it, on the log scale; minus infinity if one of them has no density, or if the path
    /// failed.
    #[serde(with = "number::one")]
    pub elbo: f64,
    /// Why the path has no Gaussian; `None` if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<PathFailure>,
}

impl Run {
    /// The paths of Pathfinder; none of other engines.
    #[must_use]
    pub fn pathfinder_paths(&self) -> Vec<&PathfinderPath> {
        let independent = self.groups.iter().filter_map(Group::independent);
        independent.flat_map(|found| &found.paths).collect()
    }
}

impl PathfinderPath {
    /// The failures of some paths, and how many met each, in words; empty without any.
    #[must_use]
    pub fn failures(paths: &[Self]) -> String {
        let of_kind = |kind: &PathFailure| {
            let same = paths.iter().filter(|path| path.failure == Some(*kind));
            match same.count() {
                0 => None,
                number => Some(format!("{number} met {kind}")),
            }
        };
        let failures: Vec<String> = PathFailure::ALL.iter().filter_map(of_kind).collect();
        failures.join(", ")
    }
}

/// Why a path of Pathfinder has no Gaussian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PathFailure {
    /// No candidate for its start has a finite density.
    NoStart,
    /// The optimiser made no step, or none that shows a curvature, as where the gradient is zero or not finite.
    NoStep,
    /// Rounding spoilt the covariance at every iterate.
    NoGaussian,
    /// No draw of any of its Gaussians has a finite density.
    NoDraw,
}

impl PathFailure {
    const ALL: [Self; 4] = [Self::NoStart, Self::NoStep, Self::NoGaussian, Self::NoDraw];
}

impl fmt::Display for PathFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoStart => "no finite density at any of 100 draws for its start",
            Self::NoStep => "no step of the optimiser that shows a curvature",
            Self::NoGaussian => "no covariance that rounding left positive definite",
            Self::NoDraw => "no finite density at any draw of its Gaussians",
        })
    }
}
