//! Parallel tempering: two neighbouring temperatures hardly exchange states.

use super::Message;
use crate::diagnose::ColumnDiagnostics;
use crate::run::Run;
use serde::{Deserialize, Serialize};

/// The smallest acceptance of swaps without a warning.
const ACCEPTANCE: f64 = 0.15;

/// Two neighbouring temperatures hardly exchange states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RareSwaps {
    /// The chain.
    pub chain: usize,
    /// Mean acceptance probability of the swaps.
    pub acceptance: f64,
    /// The powers of the likelihood of the two temperatures.
    pub lambdas: [f64; 2],
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<RareSwaps> {
    let pairs = run.groups.iter().enumerate().flat_map(|(chain, group)| {
        let swaps = group
            .exchanges()
            .into_iter()
            .flat_map(|e| &e.swap_acceptance);
        let ladder = group.history().windows(2);
        swaps
            .zip(ladder)
            .map(move |(acceptance, stages)| RareSwaps {
                chain,
                acceptance: *acceptance,
                lambdas: [stages[0].lambda, stages[1].lambda],
            })
    });
    let rarest = pairs.min_by(|a, b| a.acceptance.total_cmp(&b.acceptance))?;
    (rarest.acceptance < ACCEPTANCE).then_some(rarest)
}

impl Message for RareSwaps {
    fn problem(&self) -> String {
        let Self {
            chain,
            acceptance,
            lambdas: [low, high],
        } = self;
        format!(
            "two temperatures of chain {chain} hardly exchange states: swaps between the powers {low:.3e} and {high:.3e} of the \
             likelihood have acceptance {acceptance:.2}; at least {ACCEPTANCE} is recommended"
        )
    }

    fn remedy(&self) -> &'static str {
        "The log evidence between them rests on little overlap. Use more temperatures (`.temperatures(..)`, about twice the \
         communication barrier), or a longer burn-in, in which the ladder adapts."
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::example::{of_chain, tempered};

    #[test]
    fn a_pair_that_hardly_swaps_is_named() {
        let mut run = tempered(4, 200, 0.5, 30);
        let exchanges = of_chain(&mut run.groups[2])
            .exchanges
            .as_mut()
            .expect("it is tempered");
        exchanges.swap_acceptance[1] = 0.03;
        assert_warned(
            &run,
            "two temperatures of chain 2 hardly exchange states: swaps between the powers 1.000e-1 and 4.000e-1 of the \
             likelihood have acceptance 0.03; at least 0.15 is recommended. The log evidence between them rests on little \
             overlap. Use more temperatures (`.temperatures(..)`, about twice the communication barrier), or a longer burn-in, \
             in which the ladder adapts.",
        );
    }
}
