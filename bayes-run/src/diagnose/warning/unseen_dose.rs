//! Runs of models whose differential equations have doses or stops after the last time of a state.

use super::Message;
use crate::density::equations::UNSEEN;
use crate::diagnose::ColumnDiagnostics;
use crate::run::Run;
use serde::{Deserialize, Serialize};

/// A dose or a stop of differential equations comes after the last time, so that no state sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnseenDose {
    /// The equations, which of their doses or stops, and when, in words.
    pub place: String,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Vec<UnseenDose> {
    let unseen = run.equations.iter().filter_map(|found| found.unseen());
    unseen.map(|place| UnseenDose { place }).collect()
}

impl Message for UnseenDose {
    fn problem(&self) -> String {
        self.place.clone()
    }

    fn remedy(&self) -> &'static str {
        UNSEEN
    }
}

#[cfg(test)]
mod tests {
    use crate::density::Equations;
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::Run;
    use crate::run::example::chains;

    #[test]
    fn a_dose_that_no_state_sees_is_reported() {
        let equations = Equations {
            unseen: "the dose with index 1 is at 8.0, after the last time, 6.0".to_owned(),
            ..super::super::inexact_equations::example()
        };
        let run = Run {
            equations: vec![equations],
            ..chains(4, 250)
        };
        assert_warned(
            &run,
            "in the differential equations in drug.rs:12, the dose with index 1 is at 8.0, after the last time, 6.0. No state sees it. Leave it \
             out, or ask for a state after it; all times have one unit and one origin.",
        );
    }
}
