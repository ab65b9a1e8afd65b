//! Runs in errors.

use super::Run;
use crate::error::Kept;
use std::sync::Arc;

/// The run that an error keeps: [`Error::NotSaved`](crate::Error::NotSaved) has one.
pub trait KeptRun {
    /// The run, to be saved elsewhere.
    ///
    /// # Panics
    /// Never for an error of this library, which keeps only runs.
    fn run(&self) -> &Run;

    /// The run itself; it is copied only while another clone of the error exists.
    ///
    /// # Panics
    /// Never for an error of this library, which keeps only runs.
    #[must_use]
    fn into_run(self) -> Run;
}

impl KeptRun for Kept {
    fn run(&self) -> &Run {
        self.shared().downcast_ref().expect("only runs are kept")
    }

    fn into_run(self) -> Run {
        let shared = self.into_shared().downcast::<Run>();
        Arc::unwrap_or_clone(shared.unwrap_or_else(|_| unreachable!("only runs are kept")))
    }
}

/// Keeps a run in an error.
#[must_use]
pub fn keep(run: Run) -> Kept {
    let (groups, kind) = (run.groups.len(), run.kind.name());
    let description = format!("a run of {} with {groups} {kind}s", run.model);
    Kept::of(run, description)
}
