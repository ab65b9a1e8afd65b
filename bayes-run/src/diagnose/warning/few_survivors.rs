//! Islands: a resampling kept few distinct particles.

use super::Message;
use crate::diagnose::ColumnDiagnostics;
use crate::number;
use crate::run::{Run, Stage};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The smallest share of distinct particles that a resampling should keep.
const SURVIVORS: f64 = 0.1;

/// A resampling kept few distinct particles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FewSurvivors {
    /// The island.
    pub island: usize,
    /// The power of the likelihood at this resampling.
    pub lambda: f64,
    /// The level of the log likelihood at this resampling, in nested sampling.
    #[serde(
        default,
        with = "number::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub level: Option<f64>,
    /// Distinct particles left.
    pub survivors: usize,
    /// Number of particles.
    pub particles: usize,
    /// Whether the schedule is adaptive, so that no other schedule would take a smaller step.
    #[serde(default)]
    pub adaptive: bool,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<FewSurvivors> {
    let groups = run.groups.iter().enumerate();
    let stages =
        groups.flat_map(|(island, group)| group.history().iter().map(move |s| (island, s)));
    let few = |stage: &Stage| {
        let bound = (SURVIVORS * stage.particles as f64).max(2.0);
        stage.unique_parents > 0 && stage.particles > 1 && (stage.unique_parents as f64) < bound
    };
    let (island, stage) = stages
        .filter(|(_, stage)| few(stage))
        .min_by_key(|(_, stage)| stage.unique_parents)?;
    Some(FewSurvivors {
        island,
        lambda: stage.lambda,
        level: stage.level,
        survivors: stage.unique_parents,
        particles: stage.particles,
        adaptive: is_adaptive(run),
    })
}

fn is_adaptive(run: &Run) -> bool {
    let schedule = run.settings.get("schedule");
    schedule.is_some_and(|schedule| schedule.starts_with("Adaptive"))
}

impl Message for FewSurvivors {
    fn problem(&self) -> String {
        let Self {
            island,
            lambda,
            level,
            survivors,
            particles,
            ..
        } = self;
        let place = match level {
            Some(level) => format!("at the level {level:.4e} of the log likelihood"),
            None => format!("at the power {lambda:.3e} of the likelihood"),
        };
        format!(
            "resampling kept {survivors} distinct particles of {particles} in island {island}, {place}"
        )
    }

    fn remedy(&self) -> &'static str {
        "The step from the previous temperature was too large. Use an adaptive schedule, a higher ESS \
         target or more particles."
    }

    fn remedy_here(&self) -> Cow<'static, str> {
        if self.level.is_some() {
            return "Few distinct states are above the level: `.survivors(..)` is small, many states have the same likelihood, or most moves were \
                    refused, so that states are copies. Use more particles or moves, or more survivors; for a likelihood that is the same over large \
                    regions use `Inference::psmc()`."
                .into();
        }
        if !self.adaptive {
            return self.remedy().into();
        }
        "The step is as small as the ESS target asks, and still a few particles had far more likelihood than all others: where the prior is \
         much wider than the likelihood, few of its draws are near the data. Use more particles (`.particles(4096)`), or a prior that is \
         nearer to the data; a datum far outside of what the prior expects may be an error in its units."
            .into()
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::example::{islands, of_island};

    #[test]
    fn a_resampling_that_leaves_few() {
        let mut run = islands(&[-3.0; 4], 64);
        of_island(&mut run.groups[3]).history[0].unique_parents = 2;
        assert_warned(
            &run,
            "resampling kept 2 distinct particles of 64 in island 3, at the power 1.000e-1 of the likelihood. \
         The step from the previous temperature was too large. Use an adaptive schedule, a higher ESS \
         target or more particles.",
        );
    }

    #[test]
    fn an_adaptive_schedule_is_not_advised_to_a_run_that_has_one() {
        let mut run = islands(&[-3.0; 4], 64);
        of_island(&mut run.groups[3]).history[0].unique_parents = 2;
        let schedule = "Adaptive { ess_target: 0.9 }".to_owned();
        run.settings.insert("schedule".to_owned(), schedule);
        let text = run.warnings()[0].to_string();
        assert!(!text.contains("Use an adaptive schedule"), "{text}");
        assert!(text.contains("`.particles(4096)`"), "{text}");
    }
}
