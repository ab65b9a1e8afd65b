//! What a run has made: its islands or chains, in memory or in a file.

use crate::error::Error;
use crate::run::{Group, Run, RunFile, Spool};
use std::path::Path;

/// The groups of the finished units of a run.
pub(super) struct Outcome {
    /// Empty if they are in the spool.
    pub(super) groups: Vec<Group>,
    pub(super) spool: Option<Spool>,
    /// Whether all units are finished.
    pub(super) is_complete: bool,
}

impl Outcome {
    /// Changes the group with this number, if it is there.
    ///
    /// # Errors
    /// Those of the spool.
    pub(super) fn amend(
        &mut self,
        number: u64,
        change: impl FnOnce(&mut Group),
    ) -> Result<(), Error> {
        if let Some(spool) = &mut self.spool {
            return Ok(spool.amend(number, change)?);
        }
        let mut groups = self.groups.iter_mut();
        if let Some(group) = groups.find(|group| group.index == number) {
            change(group);
        }
        Ok(())
    }

    /// The log evidences of all groups.
    pub(super) fn log_evidences(&self) -> impl Iterator<Item = Option<f64>> {
        let in_memory = self.groups.iter().map(|group| group.log_evidence);
        let elsewhere = self.spool.iter().flat_map(Spool::log_evidences);
        in_memory.chain(elsewhere)
    }
}

/// A run that was made. Its groups are in the spool, if there is one.
pub(super) struct Made {
    pub(super) run: Run,
    pub(super) spool: Option<Spool>,
}

impl Made {
    /// The run in its file.
    ///
    /// # Errors
    /// Those of the file.
    pub(super) fn into_file(self, path: &Path) -> Result<RunFile, Error> {
        let Some(spool) = self.spool else {
            self.run.save(path)?;
            return Ok(RunFile::open(path)?);
        };
        Ok(spool.finish(self.run)?)
    }
}
