//! The finished groups of a run that goes on, in a file, so that they need no memory.

use super::outline::Place;
use super::{CHANGED, RunFile, damaged, part, unsaved, write};
use crate::error::FileError;
use crate::file;
use crate::run::{Group, Run, RunError};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Groups in the order in which they were finished, in a file beside the result. It is removed at the end, unless the result cannot be written.
/// A process that is killed leaves it, and the next one with the same result begins it anew.
#[derive(Debug)]
pub(crate) struct Spool {
    /// Of the result.
    path: PathBuf,
    /// Of this file; `None` if it is to stay.
    own: Option<PathBuf>,
    /// Locked as long as the process lives.
    file: File,
    end: u64,
    groups: Vec<Spooled>,
}

#[derive(Debug)]
struct Spooled {
    /// The island, or the chains that are tuned together, to which the group belongs.
    unit: u64,
    place: Place,
    log_evidence: Option<f64>,
}

impl Spool {
    /// Makes the file for a result at `path`.
    ///
    /// # Errors
    /// [`FileError::System`] if it cannot be written, [`FileError::InUse`] if another process writes to it, [`FileError::Unsaved`] if it holds
    /// what a run of before could not write.
    pub(crate) fn beside(path: &Path) -> Result<Self, FileError> {
        let own = path.with_added_extension(unsaved::EXTENSION);
        let refused = |error: io::Error| FileError::system(&own, "written", &error);
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let file = options.open(&own).map_err(refused)?;
        file::lock(&file, &own, path)?;
        if unsaved::is_whole(&own) {
            let message = format!("`{}` could not be written before", path.display());
            return Err(unsaved::told(&own, message));
        }
        file.set_len(0).map_err(refused)?;
        Ok(Self {
            path: path.to_owned(),
            own: Some(own),
            file,
            end: 0,
            groups: Vec::new(),
        })
    }

    /// Adds the groups of a unit, all or none: after an error they can be tried again.
    ///
    /// # Errors
    /// [`FileError::System`].
    pub(crate) fn add_all(&mut self, unit: u64, groups: &[Group]) -> Result<(), FileError> {
        let (known, end) = (self.groups.len(), self.end);
        let added = groups.iter().try_for_each(|group| self.add(unit, group));
        if added.is_err() {
            self.groups.truncate(known);
            self.end = end;
        }
        added
    }

    fn add(&mut self, unit: u64, group: &Group) -> Result<(), FileError> {
        let place = self.append(group);
        let place = place.map_err(|error| FileError::system(&self.path, "written", &error))?;
        self.groups.push(Spooled {
            unit,
            place,
            log_evidence: group.log_evidence,
        });
        Ok(())
    }

    fn append(&mut self, group: &Group) -> io::Result<Place> {
        let bytes = rmp_serde::to_vec_named(group).map_err(io::Error::other)?;
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(&bytes)?;
        let start = self.end;
        self.end += bytes.len() as u64;
        Ok(Place {
            index: group.index,
            bytes: start..self.end,
            checksum: crc32fast::hash(&bytes),
        })
    }

    /// Leaves out all groups but those of these units.
    pub(crate) fn keep(&mut self, units: &Range<u64>) {
        self.groups.retain(|group| units.contains(&group.unit));
    }

    /// The log evidences of the groups, in the order in which they were added.
    pub(crate) fn log_evidences(&self) -> impl Iterator<Item = Option<f64>> {
        self.groups.iter().map(|group| group.log_evidence)
    }

    /// Changes the group with this number, if it is there.
    ///
    /// # Errors
    /// Those of the file.
    pub(crate) fn amend(
        &mut self,
        number: u64,
        change: impl FnOnce(&mut Group),
    ) -> Result<(), RunError> {
        let found = self.groups.iter().position(|g| g.place.index == number);
        let Some(found) = found else {
            return Ok(());
        };
        let bytes = self.bytes(found)?;
        let group = rmp_serde::from_slice(&bytes);
        let mut group: Group =
            group.map_err(|error| damaged(&self.path, format!("while it is written: {error}")))?;
        change(&mut group);
        let Spooled { unit, .. } = self.groups.remove(found);
        Ok(self.add(unit, &group)?)
    }

    fn bytes(&mut self, place: usize) -> Result<Vec<u8>, FileError> {
        let Place {
            bytes, checksum, ..
        } = self.groups[place].place.clone();
        let bytes = part(&mut self.file, bytes);
        let bytes = bytes.map_err(|error| FileError::system(&self.path, "read", &error))?;
        match crc32fast::hash(&bytes) == checksum {
            true => Ok(bytes),
            false => Err(damaged(&self.path, CHANGED.to_owned())),
        }
    }

    /// Writes the result: the bytes that [`Run::save`] would write of `run`, which has no groups, with these; at the [place](Run::file_for) of
    /// that run.
    ///
    /// # Errors
    /// Those of the file.
    pub(crate) fn finish(mut self, run: Run) -> Result<RunFile, RunError> {
        self.write(run)
    }

    /// As [`finish`](Self::finish); if the result cannot be written, this file stays, and [`RunFile::open`] reads it.
    ///
    /// # Errors
    /// [`FileError::Unsaved`]; those of the file, if nothing can be kept either.
    pub(crate) fn finish_or_keep(mut self, run: Run) -> Result<RunFile, RunError> {
        let refused = match self.write(run.clone()) {
            Err(RunError::File(refused)) => refused,
            written => return written,
        };
        let places = self.groups.iter().map(|group| group.place.clone());
        let kept = unsaved::end(&mut self.file, self.end, run, places.collect());
        match (kept, self.own.take()) {
            (Ok(()), Some(own)) => Err(unsaved::told(&own, refused.to_string()).into()),
            (_, own) => {
                self.own = own;
                Err(refused.into())
            }
        }
    }

    fn write(&mut self, run: Run) -> Result<RunFile, RunError> {
        self.groups.sort_by_key(|group| group.place.index);
        let indices = self.groups.iter().map(|group| group.place.index);
        let indices: Vec<u64> = indices.collect();
        let path = run.file_for(&self.path);
        // hours may have passed
        Run::may_save(&path)?;
        write(run, &indices, &path, |i| Ok(self.bytes(i)?))
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        // not by closing it, because a child process that has just begun may have it open, too
        let _ = self.file.unlock();
        if let Some(own) = &self.own {
            let _ = fs::remove_file(own);
        }
    }
}
