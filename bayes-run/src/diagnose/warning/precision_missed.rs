//! Islands: the allowed number of islands did not reach the requested precision.

use super::Message;
use crate::diagnose::ColumnDiagnostics;
use crate::run::{PRECISION_MISSED, Run};
use serde::{Deserialize, Serialize};

/// A run with a requested precision made all allowed islands and did not reach it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrecisionMissed {
    /// The requested precision, in words.
    pub wanted: String,
    /// Number of islands that were made.
    pub islands: usize,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<PrecisionMissed> {
    Some(PrecisionMissed {
        wanted: run.settings.get(PRECISION_MISSED)?.clone(),
        islands: run.groups.len(),
    })
}

impl Message for PrecisionMissed {
    fn problem(&self) -> String {
        let Self { wanted, islands } = self;
        format!("{islands} islands do not give the wanted precision ({wanted})")
    }

    fn remedy(&self) -> &'static str {
        "Allow more islands (`.at_most(..)`), or use more particles: the error of the evidence falls faster with them while islands disagree."
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::PRECISION_MISSED;
    use crate::run::example::islands;

    #[test]
    fn a_run_that_is_not_precise_enough() {
        let mut run = islands(&[-3.0; 4], 64);
        let wanted = "log evidence ± 0.01".to_owned();
        run.settings.insert(PRECISION_MISSED.to_owned(), wanted);
        assert_warned(
            &run,
            "4 islands do not give the wanted precision (log evidence ± 0.01). Allow more islands (`.at_most(..)`), or use more particles: the \
             error of the evidence falls faster with them while islands disagree.",
        );
    }
}
