//! Runs in errors.

use super::Run;
use crate::error::Kept;
use std::sync::Arc;

impl Kept {
    pub(crate) fn new(run: Run) -> Self {
        let (groups, kind) = (run.groups.len(), run.kind.name());
        let description = format!("a run of {} with {groups} {kind}s", run.model);
        Self::of(run, description)
    }

    /// The run, to be saved elsewhere.
    ///
    /// # Panics
    /// Never: only runs are kept.
    #[must_use]
    pub fn run(&self) -> &Run {
        self.shared().downcast_ref().expect("only runs are kept")
    }

    /// The run itself, without a copy where no clone of the error is left.
    ///
    /// # Panics
    /// Never: only runs are kept.
    #[must_use]
    pub fn into_run(self) -> Run {
        let shared = self.into_shared().downcast::<Run>();
        Arc::unwrap_or_clone(shared.unwrap_or_else(|_| unreachable!("only runs are kept")))
    }
}
