//! A Markov chain.

use super::Origin;
use crate::run::consistency::{Consistency, ROUNDING};
use crate::run::{Climbs, Exchanges, MeanSlopes, NotSearched, RunError, Stage, Trajectories};
use serde::{Deserialize, Serialize};

/// What a Markov chain has beside its draws.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Chain {
    /// One entry per temperature for a chain of parallel tempering; one entry for the draws of any other chain; empty if unknown.
    pub history: Vec<Stage>,
    /// The trajectories between the draws; `None` unless the kernel is Hamiltonian.
    pub trajectories: Option<Trajectories>,
    /// The mean slopes of the log density over the transitions, if the kernel uses gradients; `None` for fewer than 16 transitions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_slopes: Option<MeanSlopes>,
    /// The number of the superchain to which the chain belongs: chains with the same number started from the same point. `None` if every
    /// chain started from a point of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superchain: Option<u64>,
    /// The maxima that climbs found after the draws, with the number of draws near each of all chains that were tuned together; with the first of
    /// these. `None` if there were no climbs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub climbs: Option<Climbs>,
    /// Why there were no climbs, with the first chain; `None` if there were, and where none were asked for: by a setting, a kernel without gradients, or
    /// many chains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_searched: Option<NotSearched>,
    /// The swaps of a chain of parallel tempering.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchanges: Option<Exchanges>,
}

impl From<Chain> for Origin {
    fn from(chain: Chain) -> Self {
        Self::Chain(chain)
    }
}

impl Chain {
    /// Log evidence of a chain of parallel tempering, the sum of its [`log_increment`](Stage::log_increment); `None` for any other chain.
    #[must_use]
    pub fn log_evidence(&self) -> Option<f64> {
        let increments = self.history.iter().map(|stage| stage.log_increment);
        self.exchanges.as_ref().map(|_| increments.sum())
    }

    /// Checks that an engine can have written every number.
    pub(super) fn check(&self, at: &Consistency<'_>) -> Result<(), RunError> {
        self.check_slopes(at)?;
        if let Some(climbs) = &self.climbs {
            climbs.check(at)?;
        }
        let Some(exchanges) = &self.exchanges else {
            return Ok(());
        };
        let (pairs, temperatures) = (exchanges.swap_acceptance.len(), self.history.len());
        if pairs + 1 != temperatures {
            let allowed =
                format!("one number less than {temperatures}, the temperatures of its history");
            return Err(at.wrong(
                "exchanges: swap_acceptance",
                format!("a list of {pairs}"),
                &allowed,
            ));
        }
        let mut shares = exchanges.swap_acceptance.iter();
        shares.try_for_each(|share| {
            let holds = (0.0..=1.0 + ROUNDING).contains(share);
            at.number("exchanges: swap_acceptance", *share, holds, "from 0 to 1")
        })
    }

    /// Checks that every coordinate has a mean slope. A run without positions does not know how many there are.
    fn check_slopes(&self, at: &Consistency<'_>) -> Result<(), RunError> {
        let Some(MeanSlopes { mean, se }) = &self.mean_slopes else {
            return Ok(());
        };
        let dim = match at.group.positions.len() / at.group.log_prior.len().max(1) {
            0 => mean.len(),
            dim => dim,
        };
        at.list("mean_slopes: mean", mean.len(), dim)?;
        at.list("mean_slopes: se", se.len(), dim)?;
        for (mean, se) in mean.iter().zip(se) {
            at.number("mean_slopes: mean", *mean, mean.is_finite(), "finite")?;
            at.number("mean_slopes: se", *se, *se >= 0.0, "at least 0")?;
        }
        Ok(())
    }
}
