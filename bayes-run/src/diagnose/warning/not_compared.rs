//! Every run: the limit of time ended its last comparisons.

use super::Message;
use crate::diagnose::ColumnDiagnostics;
use crate::run::Run;
use serde::{Deserialize, Serialize};

/// The limit of time ended the comparisons after the last draw: whether the gradient is right is unknown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NotCompared {}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<NotCompared> {
    run.not_compared.then_some(NotCompared {})
}

impl Message for NotCompared {
    fn problem(&self) -> String {
        "the limit of time ended the comparisons after the last draw: it is unknown whether the gradient agrees with finite differences of \
         the density, and how well differential equations are solved"
            .to_owned()
    }

    fn remedy(&self) -> &'static str {
        "Compare them by `model.check(Check::new())`, or give the run more time (`.time_limit(..)`)."
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::example::islands;

    // Would detect a rule that the list of warnings lacks.
    #[test]
    fn comparisons_without_time_are_reported() {
        let mut run = islands(&[-3.0; 4], 64);
        run.not_compared = true;
        assert_warned(
            &run,
            "the limit of time ended the comparisons after the last draw: it is unknown whether the gradient agrees with finite differences of \
             the density, and how well differential equations are solved. Compare them by `model.check(Check::new())`, or give the run more \
             time (`.time_limit(..)`).",
        );
    }
}
