//! A run inside an error.

use crate::run::Run;
use std::fmt;
use std::sync::Arc;

/// A run for which there was no room on the disk; clones share it.
#[derive(Clone)]
pub struct Kept(Arc<Run>);

impl Kept {
    pub(crate) fn new(run: Run) -> Self {
        Self(Arc::new(run))
    }

    /// The run, to be saved elsewhere.
    #[must_use]
    pub fn run(&self) -> &Run {
        &self.0
    }

    /// The run itself, without a copy where no clone of the error is left.
    #[must_use]
    pub fn into_run(self) -> Run {
        Arc::unwrap_or_clone(self.0)
    }
}

/// Whether it is the same one.
impl PartialEq for Kept {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (groups, kind) = (self.0.groups.len(), self.0.kind.name());
        write!(f, "a run of {} with {groups} {kind}s", self.0.model)
    }
}
