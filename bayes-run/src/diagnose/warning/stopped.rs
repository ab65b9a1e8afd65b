//! Every run: it was stopped before it was finished.

use super::Message;
use crate::diagnose::ColumnDiagnostics;
use crate::run::Run;
use serde::{Deserialize, Serialize};

/// The run was stopped before all of its islands or chains were finished.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stopped {
    /// Number of finished islands or chains.
    pub finished: usize,
    /// `islands` or `chains`.
    pub kind: String,
    /// Number of islands or chains in the whole run.
    pub whole: u64,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<Stopped> {
    let whole = run.part_of.as_ref().filter(|_| run.is_stopped)?;
    Some(Stopped {
        finished: run.groups.len(),
        kind: format!("{}s", run.kind.name()),
        whole: whole.end - whole.start,
    })
}

impl Message for Stopped {
    fn problem(&self) -> String {
        let Self {
            finished,
            kind,
            whole,
        } = self;
        format!("the run was stopped when {finished} of {whole} {kind} were finished")
    }

    fn remedy(&self) -> &'static str {
        "The ones that finish first may differ from the others, so treat the result as preliminary. With a checkpoint folder \
         (`.checkpoint(..)`) the same command finishes the run."
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::example::islands;

    #[test]
    fn a_run_that_was_stopped() {
        let mut run = islands(&[-3.0; 4], 64);
        run.part_of = Some(0..6);
        run.is_stopped = true;
        assert_warned(
            &run,
            "the run was stopped when 4 of 6 islands were finished. The ones that finish first may differ from the others, so treat \
             the result as preliminary. With a checkpoint folder (`.checkpoint(..)`) the same command finishes the run.",
        );
    }
}
