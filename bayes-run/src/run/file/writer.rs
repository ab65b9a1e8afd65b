//! A run that is written to a file while the engine makes it.

use super::{RunFile, Spool};
use crate::error::Error;
use crate::run::{Group, Run, RunError};
use std::path::Path;

/// Writes a run to a file group by group, so that finished groups leave memory: for engines of your own
/// (`Engine::run_to_file_on`). The file has the bytes of [`Run::save`].
///
/// ```text
/// let mut file = RunWriter::new(path)?;
/// for number in 0..islands {
///     file.add(&island(number))?;             // in any order
/// }
/// file.finish(Run { groups: Vec::new(), ..run })
/// ```
///
/// Until the end, the groups are in a file beside the result whose name ends in `.unsaved`. Dropping the writer before the end removes
/// that file.
#[derive(Debug)]
pub struct RunWriter(Spool);

impl RunWriter {
    /// Begins a file.
    ///
    /// # Errors
    /// The errors of [`Run::may_save`]. [`RunError::File`] with [`FileError::InUse`](crate::error::FileError::InUse) if another process
    /// writes to the file, and with [`FileError::Unsaved`](crate::error::FileError::Unsaved) if it holds the groups of a run that could
    /// not be written.
    pub fn new(path: impl AsRef<Path>) -> Result<Self, RunError> {
        Run::may_save(&path)?;
        Ok(Self(Spool::beside(path.as_ref())?))
    }

    /// Adds a finished group. After an error the call can be repeated.
    ///
    /// # Errors
    /// [`RunError::File`] with [`FileError::System`](crate::error::FileError::System), as on a full disk.
    pub fn add(&mut self, group: &Group) -> Result<(), RunError> {
        Ok(self.0.add_all(group.index, std::slice::from_ref(group))?)
    }

    /// Ends the file with the remaining fields of the run. Groups that `run` itself has are added too; they are checked when they are
    /// read.
    ///
    /// # Errors
    /// [`Error::Run`] with [`RunError::NoGroups`] without groups. If the file cannot be written, nothing is lost:
    /// [`FileError::Unsaved`](crate::error::FileError::Unsaved) names the path of the run, and [`Error::NotSaved`] holds it.
    pub fn finish(mut self, mut run: Run) -> Result<RunFile, Error> {
        for group in std::mem::take(&mut run.groups) {
            let groups = std::slice::from_ref(&group);
            if self.0.add_all(group.index, groups).is_err() {
                self.0.hold(group.index, groups)?;
            }
        }
        if self.0.count() == 0 {
            return Err(RunError::NoGroups.into());
        }
        self.0.finish_or_keep(run, &std::env::temp_dir())
    }
}
