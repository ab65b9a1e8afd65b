//! Islands: the temperature ladder advances in tiny steps.

use super::Message;
use crate::diagnose::ColumnDiagnostics;
use crate::run::{Group, Island, Run, Stage};
use serde::{Deserialize, Serialize};

/// Relative step in the power of the likelihood below which a temperature ladder stalls. With an ESS target of 0.9 a step is about 0.3/√d,
/// so a step of a thousandth would be normal for a hundred thousand parameters.
const STALLED_STEP: f64 = 1e-3;
/// Number of stalled steps from which on there is a warning.
const STALLED_STEPS: usize = 3;

/// Share of the states above which the ESS of a step shows a fine schedule instead of an adaptive one.
const FINE: f64 = 0.99;

/// The temperature ladder advances in tiny steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LadderStalled {
    /// The island with the most such steps.
    pub island: usize,
    /// Number of such steps.
    pub stalled: usize,
    /// Number of all steps of that island.
    pub stages: usize,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<LadderStalled> {
    // without resampling the weights carry over, and a pilot has finished the ladder; in nested sampling the share of the evidence below
    // the levels ends in small steps
    let stalled = |island: &Island| match island.log_weights.as_slice() {
        [] if !island.has_levels() => stalled_steps(&island.history),
        _ => 0,
    };
    let islands: Vec<&Island> = run.groups.iter().filter_map(Group::island).collect();
    let counts = islands.iter().map(|island| stalled(island)).enumerate();
    let (island, stalled) = counts.max_by_key(|(_, stalled)| *stalled)?;
    let stages = islands[island].history.len();
    (stalled >= STALLED_STEPS).then_some(LadderStalled {
        island,
        stalled,
        stages,
    })
}

impl Message for LadderStalled {
    fn problem(&self) -> String {
        let Self {
            island,
            stalled,
            stages,
        } = self;
        format!(
            "the temperature ladder stalled: {stalled} of {stages} steps of island {island} raised the \
             power of the likelihood by less than 0.1%"
        )
    }

    fn remedy(&self) -> &'static str {
        "The moves no longer spread the particles out. Use more mutation steps, more particles or another \
         kernel."
    }
}

/// Number of tiny steps, without the last step, which only closes the gap to 1. A fine schedule given by the user keeps the ESS near the
/// number of states, so it does not count as a stall.
fn stalled_steps(history: &[Stage]) -> usize {
    let tiny = |pair: &&[Stage]| {
        let [before, after] = pair else { return false };
        let states = after.states.max(after.particles) as f64;
        after.lambda - before.lambda < STALLED_STEP * after.lambda && after.ess < FINE * states
    };
    history.windows(2).rev().skip(1).filter(tiny).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::example::{islands, of_island, stage};

    #[test]
    fn a_ladder_in_tiny_steps() {
        let mut run = islands(&[-3.0; 4], 64);
        let ladder = [0.1, 0.10001, 0.10002, 0.10003, 0.5, 1.0];
        of_island(&mut run.groups[1]).history = ladder.map(|lambda| stage(lambda, 64)).to_vec();
        assert_warned(
            &run,
            "the temperature ladder stalled: 3 of 6 steps of island 1 raised the power of the likelihood \
         by less than 0.1%. The moves no longer spread the particles out. Use more mutation steps, more \
         particles or another kernel.",
        );
    }

    #[test]
    fn a_ladder_stalls_at_any_adaptive_target() {
        let mut run = islands(&[-3.0; 4], 64);
        let ladder = [0.1, 0.10001, 0.10002, 0.10003, 0.5, 1.0];
        let at_the_default = |lambda| Stage {
            ess: 0.9 * 64.0 + 1e-6,
            ..stage(lambda, 64)
        };
        of_island(&mut run.groups[1]).history = ladder.map(at_the_default).to_vec();
        assert_eq!(run.warnings().len(), 1);
    }

    #[test]
    fn a_fine_ladder_by_wish_is_no_stall() {
        let mut run = islands(&[-3.0; 4], 64);
        let fine = |i: usize| Stage {
            ess: 63.9,
            ..stage(i as f64 / 5000.0, 64)
        };
        of_island(&mut run.groups[1]).history = (1..=5000).map(fine).collect();
        assert_eq!(run.warnings(), []);
    }
}
