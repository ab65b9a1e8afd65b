//! How a chain of parallel tempering exchanged states between the prior and the posterior.

use super::{Group, Run};
use serde::{Deserialize, Serialize};

/// The swaps of a chain of parallel tempering with its companions at the other temperatures, after the burn-in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Exchanges {
    /// Number of scans: moves at every temperature, then swaps.
    pub scans: u64,
    /// Round trips of states from the prior to the posterior and back: half of the passages from one end to the other.
    pub round_trips: u64,
    /// Mean acceptance probability of a swap of each pair of neighbouring temperatures, `[temperatures - 1]`.
    #[serde(with = "crate::number::many")]
    pub swap_acceptance: Vec<f64>,
}

impl Exchanges {
    /// The communication barrier Λ between the prior and the posterior: the sum of the rejection probabilities. It hardly
    /// depends on the number of temperatures (Syed et al. 2022).
    #[must_use]
    pub fn barrier(&self) -> f64 {
        self.swap_acceptance.iter().map(|share| 1.0 - share).sum()
    }

    /// The round trips that the swaps would allow if every move gave an independent state, with r the rejection
    /// probabilities (Syed et al. 2022):
    ///
    /// ```text
    /// scans / (2 + 2 Σ r / (1 − r))
    /// ```
    #[must_use]
    pub fn possible_round_trips(&self) -> f64 {
        let odds = |share: &f64| (1.0 - share) / share;
        let delay: f64 = self.swap_acceptance.iter().map(odds).sum();
        self.scans as f64 / (2.0 + 2.0 * delay)
    }
}

impl Run {
    /// The exchanges of the chains, if it is a run of parallel tempering.
    pub(crate) fn exchanges(&self) -> impl Iterator<Item = &Exchanges> {
        self.groups.iter().filter_map(Group::exchanges)
    }
}
