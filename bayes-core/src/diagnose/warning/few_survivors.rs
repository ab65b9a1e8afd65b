//! Islands: a resampling kept few distinct particles.

use super::Message;
use crate::diagnose::ColumnDiagnostics;
use crate::run::{Run, Stage};
use serde::{Deserialize, Serialize};

/// The smallest share of distinct particles that a resampling should keep.
const SURVIVORS: f64 = 0.1;

/// A resampling kept few distinct particles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FewSurvivors {
    /// The island.
    pub island: usize,
    /// The power of the likelihood at which it happened.
    pub lambda: f64,
    /// Distinct particles left.
    pub survivors: usize,
    /// Number of particles.
    pub particles: usize,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<FewSurvivors> {
    let particles = run.draws_per_group();
    let bound = (SURVIVORS * particles as f64).max(2.0);
    let mut worst: Option<(usize, &Stage)> = None;
    for (island, group) in run.groups.iter().enumerate() {
        for stage in group
            .history
            .iter()
            .filter(|stage| stage.unique_parents > 0)
        {
            if worst.is_none_or(|(_, other)| stage.unique_parents < other.unique_parents) {
                worst = Some((island, stage));
            }
        }
    }
    let (island, stage) = worst.filter(|(_, stage)| (stage.unique_parents as f64) < bound)?;
    let (lambda, survivors) = (stage.lambda, stage.unique_parents);
    Some(FewSurvivors {
        island,
        lambda,
        survivors,
        particles,
    })
}

impl Message for FewSurvivors {
    fn problem(&self) -> String {
        let Self {
            island,
            lambda,
            survivors,
            particles,
        } = self;
        format!(
            "resampling kept {survivors} distinct particles of {particles} in island {island}, at the power \
             {lambda:.3e} of the likelihood"
        )
    }

    fn remedy(&self) -> &'static str {
        "The step from the previous temperature was too large. Use an adaptive schedule, a higher ESS \
         target or more particles."
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::example::islands;

    #[test]
    fn a_resampling_that_leaves_few() {
        let mut run = islands(&[-3.0; 4], 64);
        run.groups[3].history[0].unique_parents = 2;
        assert_warned(
            &run,
            "resampling kept 2 distinct particles of 64 in island 3, at the power 1.000e-1 of the likelihood. \
         The step from the previous temperature was too large. Use an adaptive schedule, a higher ESS \
         target or more particles.",
        );
    }
}
