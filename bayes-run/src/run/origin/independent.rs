//! Independent draws of an approximation.

use super::{Climbs, Excursions, Origin, PathfinderPath, Widened};
use crate::number;
use crate::run::RunError;
use crate::run::consistency::{Consistency, is_log};
use serde::{Deserialize, Serialize};

/// What independent draws have beside their values: the draws of a Gaussian, the members of an ensemble, or particles of random values.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Independent {
    /// Log evidence by Laplace's approximation or by importance weights; `None` otherwise.
    #[serde(with = "number::option")]
    pub log_evidence: Option<f64>,
    /// Whether a prior is improper. Then the constant of the density is arbitrary, and there is no evidence.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub improper_prior: bool,
    /// Log weight of each draw, up to a constant, `[draws]`; empty if all weights are equal.
    #[serde(with = "number::many")]
    pub log_weights: Vec<f64>,
    /// Log density at each draw of the Gaussian in the unconstrained coordinates from which it was drawn, normalised, `[draws]`. Empty
    /// unless the draws come from a Gaussian approximation.
    #[serde(with = "number::many")]
    pub log_approximation: Vec<f64>,
    /// The paths of Pathfinder; empty for another engine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<PathfinderPath>,
    /// The maxima that climbs found; `None` if there were no climbs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub climbs: Option<Climbs>,
    /// Short trajectories from the draws; `None` if there were none, as where k-hat is too high already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excursions: Option<Excursions>,
    /// The mass of the posterior by draws that are moved apart; `None` if it was not computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub widened: Option<Widened>,
}

impl From<Independent> for Origin {
    fn from(independent: Independent) -> Self {
        Self::Independent(independent)
    }
}

impl Independent {
    /// Checks that an engine can have written every number.
    pub(super) fn check(&self, at: &Consistency<'_>) -> Result<(), RunError> {
        at.logs("log_weights", &self.log_weights)?;
        at.logs("log_approximation", &self.log_approximation)?;
        at.some_draws("log_weights", self.log_weights.len())?;
        at.some_draws("log_approximation", self.log_approximation.len())?;
        for path in &self.paths {
            let (elbo, allowed) = (path.elbo, "a number below infinity");
            at.number("paths: elbo", elbo, is_log(elbo), allowed)?;
            let (best, iterates) = (path.best, path.iterates);
            let holds = best <= iterates && (best == 0) == path.failure.is_some();
            let allowed = "the number of an iterate, or 0 for a path that failed";
            at.number("paths: best", best as f64, holds, allowed)?;
        }
        if let Some(climbs) = &self.climbs {
            climbs.check(at)?;
        }
        if let Some(widened) = &self.widened {
            widened.check(at)?;
        }
        if let Some(excursions) = &self.excursions {
            excursions.check(at)?;
        }
        let Some(log_evidence) = self.log_evidence else {
            return Ok(());
        };
        let allowed = "a number below infinity";
        at.number("log_evidence", log_evidence, is_log(log_evidence), allowed)
    }
}
