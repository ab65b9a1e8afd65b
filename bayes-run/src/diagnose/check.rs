//! The warnings of a run.

use super::Warning;
use super::columns::ColumnDiagnostics;
use crate::run::Run;

impl Run {
    /// Every problem of this run, worst first; empty for a healthy run.
    #[must_use]
    pub fn warnings(&self) -> Vec<Warning> {
        Warning::all_of(self, &ColumnDiagnostics::of_run(self))
    }
}

#[cfg(test)]
mod tests;
