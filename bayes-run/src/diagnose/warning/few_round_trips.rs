//! Parallel tempering: few states went from the prior to the posterior and back.

use super::Message;
use crate::diagnose::ColumnDiagnostics;
use crate::run::{Exchanges, Run};
use crate::text::count;
use serde::{Deserialize, Serialize};

/// Round trips per chain from which the draws of a chain rest on several independent draws of the prior.
const TRIPS: f64 = 5.0;

/// Few states went from the prior to the posterior and back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FewRoundTrips {
    /// Round trips of all chains.
    pub round_trips: u64,
    /// Number of chains.
    pub chains: usize,
    /// The round trips per chain that the swaps would allow if moves gave independent states.
    pub possible: f64,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<FewRoundTrips> {
    let chains = run.exchanges().count();
    let trips = run.exchanges().map(|exchanges| exchanges.round_trips);
    let round_trips = trips.fold(0, u64::saturating_add);
    let possible = run
        .exchanges()
        .map(Exchanges::possible_round_trips)
        .sum::<f64>();
    let found = FewRoundTrips {
        round_trips,
        chains,
        possible: possible / chains as f64,
    };
    (found.each() < TRIPS).then_some(found)
}

impl FewRoundTrips {
    /// Round trips per chain.
    fn each(&self) -> f64 {
        self.round_trips as f64 / self.chains as f64
    }

    /// Whether slow moves, and not too few scans, are the reason: they make less than a third of the trips that the swaps
    /// allow.
    fn moves_are_slow(&self) -> bool {
        self.possible >= TRIPS && 3.0 * self.each() < self.possible
    }
}

impl Message for FewRoundTrips {
    fn problem(&self) -> String {
        let (each, possible) = (self.each(), self.possible);
        let chains = count(self.chains as u64, "chain");
        format!(
            "few states went from the prior to the posterior and back: {each:.1} for each of {chains}; at least {TRIPS:.0} are \
             recommended, and independent moves would make {possible:.0}"
        )
    }

    fn remedy(&self) -> &'static str {
        if self.moves_are_slow() {
            "The evidence and the weights of modes may be wrong by more than their errors. The moves at each temperature are too \
             slow: use more of them (`.mutations(5)`), or another kernel."
        } else {
            "The evidence and the weights of modes may be wrong by more than their errors. Use more draws and a longer burn-in \
             (`.draws(..)`, `.burn_in(..)`)."
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::example::{of_chain, tempered};

    #[test]
    fn round_trips_that_the_scans_allow_are_enough() {
        assert!(tempered(4, 200, 0.5, 30).warnings().is_empty());
    }

    #[test]
    fn slow_moves_are_named_if_the_swaps_would_allow_more() {
        assert_warned(
            &tempered(4, 200, 0.5, 1),
            "few states went from the prior to the posterior and back: 1.0 for each of 4 chains; at least 5 are recommended, and \
             independent moves would make 25. The evidence and the weights of modes may be wrong by more than their errors. The \
             moves at each temperature are too slow: use more of them (`.mutations(5)`), or another kernel.",
        );
    }

    #[test]
    fn too_few_scans_are_named_if_they_could_not_make_more() {
        let mut run = tempered(4, 200, 0.5, 4);
        for group in &mut run.groups {
            of_chain(group)
                .exchanges
                .as_mut()
                .expect("it is tempered")
                .scans = 30;
        }
        assert_warned(
            &run,
            "few states went from the prior to the posterior and back: 4.0 for each of 4 chains; at least 5 are recommended, and \
             independent moves would make 4. The evidence and the weights of modes may be wrong by more than their errors. Use \
             more draws and a longer burn-in (`.draws(..)`, `.burn_in(..)`).",
        );
    }
}
