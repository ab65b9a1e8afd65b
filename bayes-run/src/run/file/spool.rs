//! The finished groups of an unfinished run, in a file, so that they need no memory.

#[cfg(test)]
mod tests;

use super::outline::Place;
use super::{CHANGED, RunFile, damaged, elsewhere, part, unsaved, write};
use crate::codec;
use crate::error::{Error, FileError};
use crate::file;
use crate::run::{Group, Run, RunError, keep};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Groups in the order in which they were finished, in a file beside the result. The file is removed at the end, unless the result cannot
/// be written. A process that is killed leaves the file, and the next process with the same result starts it anew.
#[derive(Debug)]
pub struct Spool {
    /// Path of the result.
    path: PathBuf,
    /// Path of this file; `None` if it is to stay.
    own: Option<PathBuf>,
    /// Locked as long as the process lives.
    file: File,
    end: u64,
    groups: Vec<Spooled>,
    /// Number of groups, from the first, that belong to finished rounds.
    settled: usize,
    /// Whether folders of checkpoints hold all settled groups.
    is_saved: bool,
    /// The bytes of groups for which the disk has no room.
    held: Vec<Vec<u8>>,
}

/// A group in the file. There may be a million of these records, so they are small.
#[derive(Clone, Copy, Debug)]
struct Spooled {
    /// The island, or the chains that are tuned together, to which the group belongs.
    unit: u64,
    index: u64,
    /// Offset of the group in the file, or its number among the held groups.
    start: u64,
    length: u64,
    /// Checksum of the bytes of the group.
    checksum: u32,
    is_held: bool,
    /// Whether its log evidence is minus infinity.
    is_impossible: bool,
}

impl Spooled {
    fn place(&self) -> Place {
        Place {
            index: self.index,
            bytes: self.start..self.start + self.length,
            checksum: self.checksum,
        }
    }
}

impl Spool {
    /// Makes the file for a result at `path`.
    ///
    /// # Errors
    /// [`FileError::System`] if the file cannot be written, [`FileError::InUse`] if another process writes to it, [`FileError::Unsaved`]
    /// if it holds an earlier run that could not be saved.
    pub fn beside(path: &Path) -> Result<Self, FileError> {
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
            settled: 0,
            is_saved: true,
            held: Vec::new(),
        })
    }

    /// Adds the groups of a unit, all or none. After an error the call can be repeated.
    ///
    /// # Errors
    /// [`FileError::System`].
    pub fn add_all(&mut self, unit: u64, groups: &[Group]) -> Result<(), FileError> {
        let (known, end) = (self.groups.len(), self.end);
        let added = groups.iter().try_for_each(|group| self.add(unit, group));
        if added.is_err() {
            self.groups.truncate(known);
            self.end = end;
        }
        added
    }

    fn add(&mut self, unit: u64, group: &Group) -> Result<(), FileError> {
        let start = encoded(group).and_then(|bytes| Ok((self.append(&bytes)?, bytes)));
        let unwritten = |error| FileError::system(&self.path, "written", &error);
        let (start, bytes) = start.map_err(unwritten)?;
        self.groups.push(spooled(unit, group, start, &bytes));
        Ok(())
    }

    /// Appends bytes to the file, and returns their offset.
    fn append(&mut self, bytes: &[u8]) -> io::Result<u64> {
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(bytes)?;
        let start = self.end;
        self.end += bytes.len() as u64;
        Ok(start)
    }

    /// Adds the groups of a unit for which the disk has no room. They stay in memory until the end.
    ///
    /// # Errors
    /// [`FileError::System`] if they cannot be encoded.
    pub fn hold(&mut self, unit: u64, groups: &[Group]) -> Result<(), FileError> {
        for group in groups {
            let bytes = encoded(group);
            let bytes = bytes.map_err(|e| FileError::system(&self.path, "written", &e))?;
            self.groups.push(Spooled {
                is_held: true,
                ..spooled(unit, group, self.held.len() as u64, &bytes)
            });
            self.held.push(bytes);
        }
        Ok(())
    }

    /// Number of groups.
    #[must_use]
    pub fn count(&self) -> usize {
        self.groups.len()
    }

    /// Whether the spool has groups of a finished round.
    #[must_use]
    pub fn has_settled(&self) -> bool {
        self.settled > 0
    }

    /// Whether folders of checkpoints hold the groups of all finished rounds.
    #[must_use]
    pub fn is_saved(&self) -> bool {
        self.is_saved
    }

    /// Ends a round: drops its groups except for those in `units`. `is_saved`: whether a folder of checkpoints holds them.
    pub fn settle(&mut self, units: &Range<u64>, is_saved: bool) {
        self.is_saved &= is_saved;
        let mut place = 0;
        let settled = self.settled;
        self.groups.retain(|group| {
            place += 1;
            place <= settled || units.contains(&group.unit)
        });
        self.settled = self.groups.len();
    }

    /// Whether the log evidences of all groups are minus infinity.
    #[must_use]
    pub fn is_impossible(&self) -> bool {
        self.groups.iter().all(|group| group.is_impossible)
    }

    /// The groups from place `first` on, in the order of their numbers, each read when the iterator reaches it.
    ///
    /// # Errors
    /// An item is an error of the file.
    pub fn after(&mut self, first: usize) -> impl Iterator<Item = Result<Group, FileError>> + '_ {
        let mut places: Vec<usize> = (first..self.groups.len()).collect();
        places.sort_by_key(|place| self.groups[*place].index);
        places.into_iter().map(|place| self.group(place))
    }

    /// Changes the group with this number, if it exists.
    ///
    /// # Errors
    /// The errors of the file.
    pub fn amend(&mut self, number: u64, change: impl FnOnce(&mut Group)) -> Result<(), FileError> {
        let found = self.groups.iter().position(|g| g.index == number);
        let Some(found) = found else {
            return Ok(());
        };
        let mut group = self.group(found)?;
        change(&mut group);
        let Spooled { unit, .. } = self.groups[found];
        if self.add(unit, &group).is_err() {
            self.hold(unit, &[group])?;
        }
        // the last group takes the place of the changed one
        self.groups.swap_remove(found);
        Ok(())
    }

    fn group(&mut self, place: usize) -> Result<Group, FileError> {
        let bytes = self.bytes(place)?;
        let told = |error: io::Error| damaged(&self.path, format!("while it is written: {error}"));
        codec::decode(&bytes).map_err(told)
    }

    fn bytes(&mut self, place: usize) -> Result<Vec<u8>, FileError> {
        let group = self.groups[place];
        if group.is_held {
            return Ok(self.held[group.start as usize].clone());
        }
        let bytes = part(&mut self.file, group.place().bytes);
        let bytes = bytes.map_err(|error| FileError::system(&self.path, "read", &error))?;
        match crc32fast::hash(&bytes) == group.checksum {
            true => Ok(bytes),
            false => Err(damaged(&self.path, CHANGED.to_owned())),
        }
    }

    /// Writes the result at the [path](Run::file_for) of `run`, which has no groups: the bytes that [`Run::save`] would write of `run`
    /// with the groups of this spool.
    ///
    /// # Errors
    /// The errors of the file.
    pub fn finish(mut self, run: Run) -> Result<RunFile, RunError> {
        let path = run.file_for(&self.path);
        // hours may have passed
        Run::may_save(&path)?;
        self.write(run, &path)
    }

    /// Finishes like [`finish`](Self::finish). If the result cannot be written, this file stays, and [`RunFile::open`] reads it. If this
    /// file lacks groups or is gone, the result goes to the `fallback` folder. If there is no room either, the error holds the run.
    ///
    /// # Errors
    /// [`FileError::Unsaved`], [`Error::NotSaved`]; [`FileError::System`] if not even this file can be read.
    pub fn finish_or_keep(mut self, run: Run, fallback: &Path) -> Result<RunFile, Error> {
        let path = run.file_for(&self.path);
        let written = Run::may_save(&path).and_then(|()| self.write(run.clone(), &path));
        let refused = match written {
            Err(RunError::File(refused)) => refused,
            written => return Ok(written?),
        };
        if self.keep(&run) {
            let own = self.own.take().unwrap_or_default();
            return Err(unsaved::told(&own, refused.to_string()).into());
        }
        let other = elsewhere::free(fallback, &path);
        if self.write(run.clone(), &other).is_ok() {
            return Err(unsaved::told(&other, refused.to_string()).into());
        }
        let groups = (0..self.groups.len()).map(|place| self.group(place));
        let groups = groups.collect::<Result<Vec<Group>, FileError>>()?;
        Err(Error::NotSaved {
            run: keep(Run { groups, ..run }),
            message: refused.to_string(),
        })
    }

    /// Turns this file into one that stays; returns whether it exists and has all groups.
    fn keep(&mut self, run: &Run) -> bool {
        for place in 0..self.groups.len() {
            if self.groups[place].is_held && self.put_down(place).is_err() {
                return false;
            }
        }
        let places = self.groups.iter().map(Spooled::place).collect();
        let kept = unsaved::end(&mut self.file, self.end, run.clone(), places);
        kept.is_ok() && self.own.as_deref().is_some_and(unsaved::is_whole)
    }

    /// Tries once more to write a held group.
    fn put_down(&mut self, place: usize) -> io::Result<()> {
        let bytes = self.held[self.groups[place].start as usize].clone();
        let start = self.append(&bytes)?;
        let group = &mut self.groups[place];
        (group.start, group.is_held) = (start, false);
        Ok(())
    }

    fn write(&mut self, run: Run, path: &Path) -> Result<RunFile, RunError> {
        self.groups.sort_by_key(|group| group.index);
        let indices: Vec<u64> = self.groups.iter().map(|group| group.index).collect();
        write(run, &indices, path, |i| Ok(self.bytes(i)?))
    }
}

fn encoded(group: &Group) -> io::Result<Vec<u8>> {
    codec::encode(group)
}

/// The record of a group whose bytes begin at `start`.
fn spooled(unit: u64, group: &Group, start: u64, bytes: &[u8]) -> Spooled {
    Spooled {
        unit,
        index: group.index,
        start,
        length: bytes.len() as u64,
        checksum: crc32fast::hash(bytes),
        is_held: false,
        is_impossible: group.log_evidence() == Some(f64::NEG_INFINITY),
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        // closing the file would not do: a child process that has just begun may have it open, too
        let _ = self.file.unlock();
        if let Some(own) = &self.own {
            let _ = fs::remove_file(own);
        }
    }
}
