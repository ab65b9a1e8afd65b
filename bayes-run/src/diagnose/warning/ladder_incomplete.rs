//! Islands: some stopped before they reached the posterior.

use super::Message;
use crate::diagnose::ColumnDiagnostics;
use crate::run::{Group, Run};
use crate::text::count;
use serde::{Deserialize, Serialize};

/// Islands stopped before they reached the posterior.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LadderIncomplete {
    /// Number of such islands.
    pub islands: usize,
    /// The lowest power of the likelihood at which one stopped.
    pub lambda: f64,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<LadderIncomplete> {
    let last = |group: &Group| group.history().last().map(|stage| stage.lambda);
    let short: Vec<f64> = run
        .groups
        .iter()
        .filter_map(last)
        .filter(|l| *l < 1.0)
        .collect();
    let lambda = short.iter().copied().reduce(f64::min)?;
    Some(LadderIncomplete {
        islands: short.len(),
        lambda,
    })
}

impl Message for LadderIncomplete {
    fn problem(&self) -> String {
        let islands = count(self.islands as u64, "island");
        let lambda = self.lambda;
        format!(
            "the temperature ladder did not reach the posterior: {islands} stopped before the power of the \
             likelihood was 1; the lowest power is {lambda:.3e}"
        )
    }

    fn remedy(&self) -> &'static str {
        "The draws are not from the posterior. End the schedule at 1, or allow more temperatures."
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::example::{islands, of_island};

    #[test]
    fn a_ladder_that_ends_early() {
        let mut run = islands(&[-3.0; 4], 64);
        of_island(&mut run.groups[2]).history.pop();
        assert_warned(
            &run,
            "the temperature ladder did not reach the posterior: 1 island stopped before the power of the \
         likelihood was 1; the lowest power is 4.000e-1. The draws are not from the posterior. End the \
         schedule at 1, or allow more temperatures.",
        );
    }
}
