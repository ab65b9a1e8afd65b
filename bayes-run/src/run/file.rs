//! Runs in files whose draws need not fit into memory.

mod elsewhere;
mod list;
mod outline;
mod selection;
mod spool;
#[cfg(test)]
mod tests;
pub(super) mod unsaved;
mod writer;

pub use selection::Selection;
pub use spool::Spool;
pub use writer::RunWriter;

use super::merge::{Part, mismatch};
use super::saved::Stamp;
use super::validate::values_of;
use super::{FileError, Group, Run, RunError};
use crate::codec;
use crate::file::{CHANGED, CHECKSUM, HEAD};
use list::write;
use outline::{Outline, Place};
use serde::Deserialize;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use unsaved::Rest;

/// An empty list in MessagePack.
const EMPTY: u8 = 0x90;

/// A run that [`Run::save`] wrote, whose islands or chains are read one at a time.
///
/// ```text
/// let file = RunFile::open("all.run")?;
/// println!("{}", file.select(["mu", "tau"])?);     // a run with these quantities alone
/// for island in file.groups()? {                   // all that is stored of an island, and no other island
///     let island = island?;
/// }
/// RunFile::merge(["part-0.run", "part-1.run"], "all.run")?;
/// ```
#[derive(Clone, Debug)]
pub struct RunFile {
    path: PathBuf,
    /// All but the groups.
    run: Run,
    groups: Vec<Place>,
}

impl RunFile {
    /// Opens a file: reads it, checks that it is whole, and keeps no draws. If the file changes later, reading its groups is an error.
    /// Files that end in `.unsaved` are opened too: they hold a run that [could not be written](FileError::Unsaved).
    ///
    /// # Errors
    /// The errors of [`Run::load`], except for the contents of the groups, which are checked when they are read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, RunError> {
        Self::open_at(path.as_ref())
    }

    fn open_at(path: &Path) -> Result<Self, RunError> {
        if let Some(Rest { run, groups }) = unsaved::rest(path) {
            let path = path.to_owned();
            return Ok(Self { path, run, groups });
        }
        let system = |error: &io::Error| FileError::system(path, "read", error);
        let file = File::open(path).map_err(|error| system(&error))?;
        let length = file.metadata().map_err(|error| system(&error))?.len();
        let outline = Outline::of(path, file, length);
        let Outline { list, groups } = outline.map_err(|error| unsaved::explained(path, error))?;
        let mut file = File::open(path).map_err(|error| system(&error))?;
        let mut head = part(&mut file, HEAD as u64..list.start).map_err(|error| system(&error))?;
        head.push(EMPTY);
        let rest = list.end..length - CHECKSUM as u64;
        head.extend(part(&mut file, rest).map_err(|error| system(&error))?);
        decoded::<Stamp>(path, &head)?.check::<Run>()?;
        let run: Run = decoded(path, &head)?;
        values_of(&run.layout)?;
        if groups.is_empty() {
            return Err(RunError::NoGroups);
        }
        let path = path.to_owned();
        Ok(Self { path, run, groups })
    }

    /// All but the groups: model, settings, names of quantities.
    #[must_use]
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Number of islands or chains.
    #[must_use]
    pub fn len(&self) -> usize {
        self.groups.len()
    }

    /// Whether the file has no groups. No valid file is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The islands or chains, each read when the iterator reaches it.
    ///
    /// # Errors
    /// [`RunError::File`] if the file can no longer be read. An item is also one of the errors of [`Run::from_json`] if no engine can have
    /// written the numbers of the group.
    pub fn groups(&self) -> Result<impl Iterator<Item = Result<Group, RunError>> + '_, RunError> {
        let mut file = self.file()?;
        let places = self.groups.iter().enumerate();
        Ok(places.map(move |(i, place)| Ok(self.read(&mut file, i, place)?.0)))
    }

    /// The whole run.
    pub(super) fn load(&self) -> Result<Run, RunError> {
        let mut groups = self.groups()?.collect::<Result<Vec<Group>, RunError>>()?;
        groups.sort_by_key(|group| group.index);
        let run = Run {
            groups,
            ..self.run.clone()
        };
        run.validate()?;
        Ok(run)
    }

    /// The run restricted to some of its quantities, so that it takes their share of the memory.
    ///
    /// The selection keeps the evidence and the counts of the whole run. Its summary and its warnings cover the selected quantities only,
    /// so they do not show whether others have converged. Positions in the unconstrained coordinates are left out: predictions and merges
    /// refuse the selection, and no warning reports mass that was missed near a mode.
    ///
    /// # Errors
    /// [`RunError::UnknownName`], and the errors of [`groups`](Self::groups).
    pub fn select<N: AsRef<str>>(
        &self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Run, RunError> {
        let selection = Selection::of(&self.run, names)?;
        let groups = self.groups()?.map(|group| Ok(selection.of_group(group?)));
        let groups = groups.collect::<Result<Vec<Group>, RunError>>()?;
        let run = Run {
            layout: selection.layout(),
            groups,
            ..self.run.clone()
        };
        run.validate_modes()?;
        Ok(run)
    }

    /// Writes the bytes that [`Run::save`] would write of this run to another file, and returns that file. This turns an `.unsaved` file
    /// into the file of the run ([`FileError::Unsaved`]).
    ///
    /// # Errors
    /// The errors of [`groups`](Self::groups) and [`Run::save`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<Self, RunError> {
        self.save_at(path.as_ref())
    }

    fn save_at(&self, path: &Path) -> Result<Self, RunError> {
        Run::may_save(path)?;
        let mut places: Vec<usize> = (0..self.groups.len()).collect();
        places.sort_by_key(|place| self.groups[*place].index);
        let index = |place: &usize| self.groups[*place].index;
        let indices: Vec<u64> = places.iter().map(index).collect();
        let mut source = None;
        write(self.run.clone(), &indices, path, |i| {
            self.bytes_of(places[i], &mut source)
        })
    }

    /// Makes one file of the files of all parts, in any order. The result has the bytes that [`Run::save`] would write after
    /// [`Run::merge`], but only one island or chain is in memory at a time. Returns that file.
    ///
    /// # Errors
    /// The errors of [`open`](Self::open), [`groups`](Self::groups), [`Run::merge`] and [`Run::save`]; [`RunError::Merge`] if `out` is one
    /// of the parts.
    pub fn merge<P: AsRef<Path>>(
        parts: impl IntoIterator<Item = P>,
        out: impl AsRef<Path>,
    ) -> Result<Self, RunError> {
        Run::may_save(&out)?;
        let parts = parts.into_iter().map(Self::open);
        let parts = parts.collect::<Result<Vec<Self>, RunError>>()?;
        Self::merge_at(&parts, out.as_ref())
    }

    fn merge_at(parts: &[Self], out: &Path) -> Result<Self, RunError> {
        keep_from(parts, out)?;
        let mut all: Vec<(u64, usize, usize)> = Vec::new();
        for (part, file) in parts.iter().enumerate() {
            let places = file.groups.iter().enumerate();
            all.extend(places.map(|(i, place)| (place.index, part, i)));
        }
        all.sort();
        let held: Vec<(u64, usize)> = all.iter().map(|(index, part, _)| (*index, *part)).collect();
        let run = Run::joined(parts.iter().map(Self::head).collect(), &held)?;
        let indices: Vec<u64> = held.iter().map(|(index, _)| *index).collect();
        let mut source: Option<(&Path, File)> = None;
        write(run, &indices, out, |i| {
            let (_, part, place) = all[i];
            parts[part].bytes_of(place, &mut source)
        })
    }

    /// The fields that are compared with other parts.
    fn head(&self) -> Part {
        Part {
            name: format!("`{}`", self.path.display()),
            first: self.groups.iter().map(|place| place.index).min(),
            run: self.run.clone(),
        }
    }

    /// The bytes of a group, checked. `source` is the file that was read last.
    fn bytes_of<'a>(
        &'a self,
        i: usize,
        source: &mut Option<(&'a Path, File)>,
    ) -> Result<Vec<u8>, RunError> {
        let mut file = match source.take() {
            Some((path, file)) if path == self.path => file,
            _ => self.file()?,
        };
        let (_, bytes) = self.read(&mut file, i, &self.groups[i])?;
        *source = Some((&self.path, file));
        Ok(bytes)
    }

    fn file(&self) -> Result<File, RunError> {
        let opened = File::open(&self.path);
        Ok(opened.map_err(|error| FileError::system(&self.path, "read", &error))?)
    }

    /// A group, checked, and its bytes.
    fn read(&self, file: &mut File, i: usize, place: &Place) -> Result<(Group, Vec<u8>), RunError> {
        let bytes = part(file, place.bytes.clone());
        let bytes = bytes.map_err(|error| FileError::system(&self.path, "read", &error))?;
        if crc32fast::hash(&bytes) != place.checksum {
            return Err(damaged(&self.path, CHANGED.to_owned()).into());
        }
        let group: Group = decoded(&self.path, &bytes)?;
        self.run.validate_group(i, &group)?;
        Ok((group, bytes))
    }
}

/// Refuses to overwrite a part with the result.
///
/// # Errors
/// [`RunError::Merge`] if `out` is the file of a part.
fn keep_from(parts: &[RunFile], out: &Path) -> Result<(), RunError> {
    let Ok(out) = out.canonicalize() else {
        // `out` does not exist
        return Ok(());
    };
    let is_out = |part: &&RunFile| part.path.canonicalize().is_ok_and(|path| path == out);
    match parts.iter().find(is_out) {
        None => Ok(()),
        Some(part) => Err(mismatch(&format!(
            "`{}` is one of them, which the result would replace; give the result another name",
            part.path.display()
        ))),
    }
}

/// Some bytes of a file.
fn part(file: &mut File, bytes: Range<u64>) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(bytes.start))?;
    let mut found = vec![0; (bytes.end - bytes.start) as usize];
    file.read_exact(&mut found)?;
    Ok(found)
}

fn decoded<'a, T: Deserialize<'a>>(path: &Path, bytes: &'a [u8]) -> Result<T, FileError> {
    codec::decode(bytes).map_err(|error| damaged(path, error.to_string()))
}

fn damaged(path: &Path, reason: String) -> FileError {
    FileError::Damaged {
        path: path.display().to_string(),
        reason,
    }
}
