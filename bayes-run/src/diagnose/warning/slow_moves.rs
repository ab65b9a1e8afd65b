//! Islands: the last temperature has fewer moves than the particles need to forget where they were.

use super::Message;
use crate::diagnose::ColumnDiagnostics;
use crate::run::Run;
use serde::{Deserialize, Serialize};

/// The longest relaxation time at the posterior without a warning, relative to the number of mutation steps. On Neal's funnel, whose
/// evidence comes out too low by several of its errors, an island was above 1 in each of 18 runs. In 56 runs of 14 problems with known
/// evidence, no island of 256 particles was above 0.3.
const MOST: f64 = 1.0;

/// The particles need more steps to forget where they were than they make.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlowMoves {
    /// The island.
    pub island: usize,
    /// Number of steps in which the correlation of a particle with its past falls by a factor e.
    pub relaxation_time: f64,
    /// Steps of each particle at the posterior.
    pub mutations: usize,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<SlowMoves> {
    let last = |(island, stages): (usize, &Vec<crate::run::Stage>)| {
        // nested sampling climbs by levels and does not move at a posterior
        if stages.iter().any(|stage| stage.level.is_some()) {
            return None;
        }
        let stage = stages.last().filter(|stage| stage.lambda == 1.0)?;
        Some(SlowMoves {
            island,
            relaxation_time: stage.relaxation_time,
            mutations: stage.mutations,
        })
    };
    let histories = run.groups.iter().map(|group| &group.history).enumerate();
    histories
        .filter_map(last)
        // false for a NaN: the time was not measured
        .filter(|found| found.ratio() > MOST && found.ratio().is_finite())
        .max_by(|a, b| a.ratio().total_cmp(&b.ratio()))
}

impl SlowMoves {
    fn ratio(&self) -> f64 {
        self.relaxation_time / self.mutations as f64
    }
}

impl Message for SlowMoves {
    fn problem(&self) -> String {
        format!(
            "the particles of island {} need {:.0} moves at the posterior to forget where they were, and made {}",
            self.island, self.relaxation_time, self.mutations
        )
    }

    fn remedy(&self) -> &'static str {
        "They may not follow the path from the prior: parts of the posterior, such as the neck of a funnel, then have too little mass, and the log evidence is \
         too low by more than its error. Write group effects as `.non_centred()`, make more moves (`.mutations(60)`) at more temperatures \
         (`.ess_target(0.98)`), and compare the evidence of both runs."
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::example::islands;

    /// Mutation meant to be detected: the mean over islands in place of the slowest.
    #[test]
    fn an_island_that_forgets_slowly() {
        let mut run = islands(&[-3.0; 4], 64);
        let stage = run.groups[2]
            .history
            .last_mut()
            .expect("it has temperatures");
        (stage.relaxation_time, stage.mutations) = (90.0, 36);
        assert_warned(
            &run,
            "the particles of island 2 need 90 moves at the posterior to forget where they were, and made 36. They may not follow the path from \
             the prior: parts of the posterior, such as the neck of a funnel, then have too little mass, and the log evidence is too low by more \
             than its error. Write group effects as `.non_centred()`, make more moves (`.mutations(60)`) at more temperatures \
             (`.ess_target(0.98)`), and compare the evidence of both runs.",
        );
    }

    #[test]
    fn moves_that_are_many_enough_are_no_warning() {
        let mut run = islands(&[-3.0; 4], 64);
        let stage = run.groups[2]
            .history
            .last_mut()
            .expect("it has temperatures");
        (stage.relaxation_time, stage.mutations) = (30.0, 36);
        assert!(run.warnings().is_empty());
        run.groups[2]
            .history
            .last_mut()
            .expect("the same")
            .relaxation_time = f64::NAN;
        assert!(run.warnings().is_empty());
    }
}
