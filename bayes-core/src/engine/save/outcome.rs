//! The result of a run: its islands or chains, in memory or in a file.

use crate::engine::common::Common;
use crate::engine::drawn::Drawn;
use crate::error::{Error, FileError};
use crate::run::{Group, Run, RunError, RunFile, Spool, keep};
use std::ops::Range;
use std::path::Path;

/// The groups of the finished units of a run.
pub(in crate::engine) struct Outcome {
    /// Empty if the groups are in the spool.
    pub(in crate::engine) groups: Vec<Group>,
    pub(in crate::engine) spool: Option<Spool>,
    /// Whether all units are finished.
    pub(in crate::engine) is_complete: bool,
    /// Whether the folder of checkpoints has the groups.
    pub(in crate::engine) is_saved: bool,
}

impl Outcome {
    /// The run that this function makes from the groups, which are all groups of the `whole` or a part of them.
    pub(in crate::engine) fn made(
        self,
        common: &Common,
        whole: Range<u64>,
        run: impl FnOnce(Vec<Group>) -> Run,
    ) -> Made {
        let run = Run {
            part_of: common.part_of(whole, self.is_complete),
            is_stopped: !self.is_complete,
            ..run(self.groups)
        };
        Made {
            run,
            spool: self.spool,
            is_saved: self.is_saved,
        }
    }

    /// Changes the group with this number, if it exists.
    ///
    /// # Errors
    /// The errors of the spool.
    pub(in crate::engine) fn amend(
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

    /// Cuts the chains with these numbers, of `draws` each, to the draws of the shortest, so that all have equally many: statistics of
    /// chains, such as R-hat, assume this, and a mean would favour the quick ones. Returns the number of draws of each chain.
    ///
    /// # Errors
    /// The errors of the spool.
    pub(in crate::engine) fn cut(
        &mut self,
        chains: Range<u64>,
        draws: usize,
        drawn: &Drawn,
    ) -> Result<usize, Error> {
        let fewest = drawn.fewest();
        if fewest >= draws {
            return Ok(draws);
        }
        for chain in chains {
            self.amend(chain, |group| group.truncate(fewest))?;
        }
        Ok(fewest)
    }

    /// Whether the log evidences of all groups are minus infinity.
    pub(in crate::engine) fn is_impossible(&self) -> bool {
        match &self.spool {
            Some(spool) => spool.is_impossible(),
            None => {
                let mut groups = self.groups.iter();
                groups.all(|group| group.log_evidence() == Some(f64::NEG_INFINITY))
            }
        }
    }
}

/// A finished run. Its groups are in the spool, if there is one.
pub struct Made {
    pub(crate) run: Run,
    pub(crate) spool: Option<Spool>,
    /// Whether the folder of checkpoints has the whole run.
    pub(crate) is_saved: bool,
}

impl Made {
    /// A run in memory.
    pub(crate) fn of(run: Run) -> Self {
        Self {
            run,
            spool: None,
            is_saved: false,
        }
    }

    /// The run in its file. If the file cannot be written, nothing is lost.
    ///
    /// # Errors
    /// The errors of the file; [`Error::NotSaved`] with the run.
    pub(crate) fn into_file(self, path: &Path, common: &Common) -> Result<RunFile, Error> {
        match self.spool {
            Some(spool) if self.is_saved => Ok(spool.finish(self.run)?),
            Some(spool) => spool.finish_or_keep(self.run, &std::env::temp_dir()),
            None => saved(self.run, path, common),
        }
    }
}

/// The file of a run that is in memory.
///
/// # Errors
/// [`Error::Stopped`] if the run continues from a folder of checkpoints; errors of the file; [`Error::NotSaved`] with the run.
pub(in crate::engine) fn saved(run: Run, path: &Path, common: &Common) -> Result<RunFile, Error> {
    if run.is_stopped && common.checkpoint.is_some() {
        let finished = run.groups.len();
        let whole = run.part_of.as_ref();
        let units = whole.map_or(finished, |whole| (whole.end - whole.start) as usize);
        return Err(Error::Stopped { finished, units });
    }
    let place = run.file_for(path);
    match run.save_or_keep(&place) {
        Ok(()) => Ok(RunFile::open(place)?),
        Err(refused @ RunError::File(FileError::Unsaved { .. })) => Err(refused.into()),
        Err(refused) => Err(Error::NotSaved {
            run: keep(run),
            message: refused.to_string(),
        }),
    }
}
