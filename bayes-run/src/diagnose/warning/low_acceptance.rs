//! Every run: the acceptance rate is too low.

use super::Message;
use crate::diagnose::ColumnDiagnostics;
use crate::diagnose::rhat;
use crate::run::{Group, Run};
use crate::text::percent;
use serde::{Deserialize, Serialize};

/// Acceptance rate below which a kernel is considered not to move.
const ACCEPTANCE: f64 = 0.05;

/// The acceptance rate is too low.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LowAcceptance {
    /// Mean acceptance probability at the last stage.
    pub acceptance: f64,
    /// Stages at which acceptance was too low.
    pub stages: usize,
    /// Number of all stages.
    pub of: usize,
}

/// Acceptance is too low at the last stage on average, or at more than half of all stages.
pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<LowAcceptance> {
    let last: Vec<f64> = run
        .groups
        .iter()
        .filter_map(|group| group.history().last().map(|stage| stage.acceptance))
        .collect();
    let acceptance = rhat::mean(&last);
    let all = || run.groups.iter().flat_map(Group::history);
    let (stages, of) = (
        all().filter(|stage| stage.acceptance < ACCEPTANCE).count(),
        all().count(),
    );
    let low = acceptance < ACCEPTANCE || 2 * stages > of;
    (low && of > 0).then_some(LowAcceptance {
        acceptance,
        stages,
        of,
    })
}

impl Message for LowAcceptance {
    fn problem(&self) -> String {
        let Self { stages, of, .. } = self;
        let acceptance = percent(self.acceptance);
        format!(
            "the acceptance rate is too low: {acceptance} at the last stage, and below 5% at {stages} of \
             {of} stages"
        )
    }

    fn remedy(&self) -> &'static str {
        "The draws hardly move. Use a smaller step size, fewer leapfrog steps or another kernel."
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::example::{islands, of_island};

    #[test]
    fn moves_that_are_refused() {
        let mut run = islands(&[-3.0; 4], 64);
        for group in &mut run.groups {
            of_island(group).history[2].acceptance = 0.004;
        }
        assert_warned(
            &run,
            "the acceptance rate is too low: 0.4% at the last stage, and below 5% at 4 of 12 stages. The draws \
         hardly move. Use a smaller step size, fewer leapfrog steps or another kernel.",
        );
    }
}
