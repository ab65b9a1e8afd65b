//! An island of particles.

use super::Origin;
use crate::number;
use crate::run::consistency::{Consistency, ROUNDING, is_log};
use crate::run::{Controlled, LocalMass, RunError, Stage, is_zero};
use serde::{Deserialize, Serialize};

/// The engines whose islands have a history and ancestors.
const CLIMBING: [&str; 4] = ["smc", "psmc", "ais", "nested"];

/// What an island of particles has beside its draws.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Island {
    /// Log evidence; `None` if the weights are those of a surrogate of the posterior.
    #[serde(with = "number::option")]
    pub log_evidence: Option<f64>,
    /// Log weight of each draw within the island, up to a constant, `[draws]`; empty if all weights are equal.
    #[serde(with = "number::many")]
    pub log_weights: Vec<f64>,
    /// For each draw, the number of the initial particle from which it descends, from 0. An island that keeps k states of each particle
    /// starts with k prior draws in place of each.
    pub ancestors: Vec<u32>,
    /// For each initial particle, the share of the weight that its descendants gained by reweighting, summed over the temperatures,
    /// `[initial particles]`: the parts of the relative error of the evidence. The gains add up to 0. Each is divided by √(1 − Σ s²),
    /// where the s are the shares of all initial particles before the reweighting.
    #[serde(default, with = "number::many", skip_serializing_if = "Vec::is_empty")]
    pub gains: Vec<f64>,
    /// How many times larger the variance of the evidence is because particles depend on those of earlier levels, which moves should make them
    /// forget: 1 if they do. `None` outside of nested sampling.
    #[serde(
        default,
        with = "number::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub inflation: Option<f64>,
    /// The bias of [`Island::log_evidence`] because the states decided over the temperatures, to the first order in 1/N. It is subtracted
    /// from the log evidence of the run. 0 if a pilot or a given ladder decided.
    #[serde(default, with = "number::one", skip_serializing_if = "is_zero")]
    pub adaptation_bias: f64,
    /// The log evidence by control variates; `None` if the run did not use them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub controlled: Option<Controlled>,
    /// The mass of the posterior near modes that climbs have found, by importance sampling; empty if no mode was looked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub local_masses: Vec<LocalMass>,
    /// If islands interact, the number of the initial island from which this one descends; `None` for independent islands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ancestor_island: Option<u64>,
    /// One entry per temperature or level; empty if the weights were made at once.
    pub history: Vec<Stage>,
}

impl From<Island> for Origin {
    fn from(island: Island) -> Self {
        Self::Island(island)
    }
}

impl Island {
    /// Whether it climbed levels of the likelihood instead of its powers.
    pub(crate) fn has_levels(&self) -> bool {
        self.history.iter().any(|stage| stage.level.is_some())
    }

    /// Checks that an engine can have written every number.
    pub(super) fn check(&self, at: &Consistency<'_>) -> Result<(), RunError> {
        at.logs("log_weights", &self.log_weights)?;
        at.some_draws("log_weights", self.log_weights.len())?;
        at.some_draws("ancestors", self.ancestors.len())?;
        self.check_local_masses(at)?;
        let Some(log_evidence) = self.log_evidence else {
            return match at.is_of_parts {
                // the weights of a surrogate of the posterior give no evidence
                true => Ok(()),
                false => Err(RunError::Evidence { group: at.index }),
            };
        };
        let allowed = "a number below infinity";
        at.number("log_evidence", log_evidence, is_log(log_evidence), allowed)?;
        let last = self.history.last();
        let is_complete = last.is_some_and(|stage| stage.lambda == 1.0);
        if log_evidence == f64::NEG_INFINITY && !is_complete {
            // the island stopped where all its particles had density zero
            return Ok(());
        }
        if CLIMBING.contains(&at.engine) {
            self.check_climb(at)?;
        }
        self.check_controlled(at)?;
        match self.history.is_empty() {
            true => Ok(()),
            false => self.check_increments(log_evidence, at),
        }
    }

    fn check_climb(&self, at: &Consistency<'_>) -> Result<(), RunError> {
        let none = |list, of: &str| {
            let allowed = format!("not empty: {of}");
            Err(at.wrong(list, "empty".to_owned(), &allowed))
        };
        if self.history.is_empty() {
            return none("history", "an island with an evidence has temperatures");
        }
        if self.ancestors.is_empty() && !at.group.log_prior.is_empty() {
            return none("ancestors", "every particle of an island descends from one");
        }
        Ok(())
    }

    fn check_controlled(&self, at: &Consistency<'_>) -> Result<(), RunError> {
        let Some(controlled) = &self.controlled else {
            return Ok(());
        };
        let found = controlled.log_evidence;
        at.number(
            "controlled: log_evidence",
            found,
            found.is_finite(),
            "finite",
        )?;
        at.list(
            "controlled: gains",
            controlled.gains.len(),
            self.gains.len(),
        )
    }

    /// The log evidence is the sum of the log increments of the history.
    fn check_increments(&self, log_evidence: f64, at: &Consistency<'_>) -> Result<(), RunError> {
        let increments = || self.history.iter().map(|stage| stage.log_increment);
        let (sum, size): (f64, f64) = (increments().sum(), increments().map(f64::abs).sum());
        let close = (log_evidence - sum).abs() <= ROUNDING * (1.0 + size);
        let allowed = format!("{sum}, the sum of `log_increment` over its history");
        let holds = close || log_evidence == sum;
        at.number("log_evidence", log_evidence, holds, &allowed)
    }

    /// The ellipsoids have the dimension of the positions.
    fn check_local_masses(&self, at: &Consistency<'_>) -> Result<(), RunError> {
        let draws = at.group.log_prior.len().max(1);
        let positions = &at.group.positions;
        let elements = at.group.draws.len() / draws;
        for mass in &self.local_masses {
            // a selection of the quantities has no positions
            let dim = match positions.is_empty() {
                true => mass.mode.len(),
                false => positions.len() / draws,
            };
            at.list("local_masses: mode", mass.mode.len(), dim)?;
            at.list("local_masses: values", mass.values.len(), elements)?;
            let wanted = dim * (dim + 1) / 2;
            at.list("local_masses: factor", mass.factor.len(), wanted)?;
            let LocalMass {
                log_mass,
                radius,
                se,
                draws,
                ..
            } = *mass;
            let field = "local_masses: log_mass";
            at.number(field, log_mass, log_mass.is_finite(), "finite")?;
            let holds = radius.is_finite() && radius > 0.0;
            at.number("local_masses: radius", radius, holds, "finite and above 0")?;
            let holds = se.is_finite() && se >= 0.0;
            at.number("local_masses: se", se, holds, "finite and at least 0")?;
            for share in draws.iter().flat_map(|there| [there.inside, there.near]) {
                let holds = (0.0..=1.0).contains(&share);
                at.number("local_masses: draws", share, holds, "from 0 to 1")?;
            }
        }
        Ok(())
    }
}
