//! What a run has made: its islands or chains, in memory or in a file.

use super::builder::Common;
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
    /// The run in its file, of which nothing is lost if that cannot be written.
    ///
    /// # Errors
    /// Those of the file.
    pub(super) fn into_file(self, path: &Path, common: &Common) -> Result<RunFile, Error> {
        match self.spool {
            // the folder has all of it
            Some(spool) if common.checkpoint.is_some() => Ok(spool.finish(self.run)?),
            Some(spool) => Ok(spool.finish_or_keep(self.run)?),
            None => saved(&self.run, path, common),
        }
    }
}

/// The file of a run that is in memory.
///
/// # Errors
/// [`Error::Stopped`] if it goes on from a folder of checkpoints; those of the file.
pub(super) fn saved(run: &Run, path: &Path, common: &Common) -> Result<RunFile, Error> {
    if run.is_stopped && common.checkpoint.is_some() {
        let finished = run.groups.len();
        let whole = run.part_of.as_ref();
        let units = whole.map_or(finished, |whole| (whole.end - whole.start) as usize);
        return Err(Error::Stopped { finished, units });
    }
    let place = run.file_for(path);
    run.save(&place)?;
    Ok(RunFile::open(place)?)
}
