//! The folder that saves a run while it goes on.

use crate::density::LogDensity;
use crate::engine::common::Common;
use crate::engine::save::origin::{Provenance, differing, origin};
use crate::engine::save::shard::Shard;
use crate::error::{Error, FileError};
use crate::file::{self, Content, Kind, UNFINISHED};
use crate::observe::Observer;
use crate::run::Group;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// The extension of the folder's files.
const EXTENSION: &str = "bayes";
/// The lock file that keeps other processes out of the folder.
const LOCK: &str = "lock";
/// The prefix of its subfolders, if a run adds islands in rounds.
pub(crate) const ROUND: &str = "from-";

/// The state of a unit for writing and reading.
///
/// Its functions are not generic over a kernel, so they are compiled once, in this crate. In a program that names a kernel they would
/// take half of its compile time.
pub(in crate::engine) trait Savable: Sized + Send {
    /// Writes a file of the folder.
    fn write(path: &Path, content: &Saving<'_, Self>) -> Result<(), FileError>;

    /// Reads a file of the folder.
    fn read(content: &Content) -> Result<Saved<Self>, FileError>;
}

/// Whether a file has the form of a name that this module gives.
fn is_named_so(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == EXTENSION)
}

/// The paths and the names of the entries of a folder; none if it cannot be read.
fn entries(folder: &Path) -> impl Iterator<Item = (PathBuf, String)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        (entry.path(), name)
    })
}

/// Whether a folder has files in the form of a saved run, or a subfolder of a round; the files are not read.
pub(in crate::engine) fn has_files(folder: &Path) -> bool {
    entries(folder)
        .any(|(path, name)| is_named_so(&path) || name.starts_with(ROUND) && has_files(&path))
}

/// The largest number of parts for which one part has files in its subfolder here.
pub(in crate::engine) fn parts(folder: &Path) -> Option<usize> {
    let begun = entries(folder).filter(|(path, _)| has_files(path));
    begun
        .filter_map(|(_, name)| Some(Shard::of_folder(&name)?.of))
        .max()
}

/// Implements [`Savable`] for a type that is `Serialize` and `Deserialize`.
macro_rules! savable {
    ($state:ty) => {
        impl $crate::engine::save::checkpoint::Savable for $state {
            #[inline(never)]
            fn write(
                path: &::std::path::Path,
                content: &$crate::engine::save::checkpoint::Saving<'_, Self>,
            ) -> Result<(), $crate::error::FileError> {
                $crate::file::write(path, $crate::file::Kind::Checkpoint, content)
            }

            #[inline(never)]
            fn read(
                content: &$crate::file::Content,
            ) -> Result<$crate::engine::save::checkpoint::Saved<Self>, $crate::error::FileError>
            {
                content.decode()
            }
        }
    };
}
pub(in crate::engine) use savable;

/// A file of the folder, for reading.
#[derive(Deserialize)]
pub(in crate::engine) struct Saved<S> {
    #[serde(deserialize_with = "Group::read_units")]
    pub(super) finished: Vec<(u64, Vec<Group>)>,
    /// A unit that is not finished.
    pub(super) state: Option<(u64, S)>,
}

/// A file of the folder, for writing.
#[derive(Serialize)]
pub(in crate::engine) struct Saving<'a, S> {
    origin: &'a Provenance,
    finished: Vec<(u64, &'a [Group])>,
    state: Option<(u64, &'a S)>,
}

/// The part of a file that is read first.
#[derive(Deserialize)]
struct Stamp {
    origin: Provenance,
}

/// The folder of a run, locked against other processes.
pub(super) struct Folder {
    path: PathBuf,
    origin: Provenance,
    /// Released when the process ends for any reason.
    lock: File,
}

impl Drop for Folder {
    fn drop(&mut self) {
        // not by closing it, because a new child process may have it open, too
        let _ = self.lock.unlock();
    }
}

impl Folder {
    /// The folder of `common` for a run on these densities, at least one, with these settings, if the run has one.
    ///
    /// # Errors
    /// [`Error::Checkpoint`] if the densities cannot be identified; [`Error::File`] if the folder cannot be written, or if another
    /// process writes to it.
    pub(super) fn open(
        common: &Common,
        densities: &[&dyn LogDensity],
        settings: &BTreeMap<String, String>,
    ) -> Result<Option<Self>, Error> {
        let Some(path) = common.checkpoint_folder() else {
            return Ok(None);
        };
        let origin = origin(common, densities, settings);
        let unknown = |density: &&dyn LogDensity| density.quantities().fingerprint() == 0;
        if densities.iter().any(unknown) {
            let reason =
                "nothing tells whether it holds this density; implement `Quantities::fingerprint`";
            return Err(refused(&path, reason.to_owned()));
        }
        let lock = lock(&path)?;
        Ok(Some(Self { path, origin, lock }))
    }

    /// Writes finished units, at least one, to a new file.
    pub(super) fn write_finished<S: Savable>(
        &self,
        finished: Vec<(u64, &[Group])>,
    ) -> Result<(), FileError> {
        let first = finished.first().map_or(0, |(unit, _)| *unit);
        let saving: Saving<'_, S> = Saving {
            origin: &self.origin,
            finished,
            state: None,
        };
        S::write(&self.file(&format!("finished-{first}")), &saving)
    }

    /// Writes the state of a unit.
    pub(super) fn write_state<S: Savable>(&self, unit: u64, state: &S) -> Result<(), FileError> {
        let saving = Saving {
            origin: &self.origin,
            finished: Vec::new(),
            state: Some((unit, state)),
        };
        S::write(&self.state_file(unit), &saving)
    }

    /// Removes the state of a finished unit. If that fails, the state is ignored.
    pub(super) fn forget(&self, unit: u64) {
        let _ = fs::remove_file(self.state_file(unit));
    }

    fn state_file(&self, unit: u64) -> PathBuf {
        self.file(&format!("state-{unit}"))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}.{EXTENSION}"))
    }

    /// Reads all files, one after another; their contents do not depend on their names. Damaged files are renamed and reported to the
    /// observer.
    ///
    /// # Errors
    /// [`Error::Checkpoint`] if a file belongs to another run; errors of the system, and of `take`.
    pub(super) fn read<S: Savable>(
        &self,
        observer: &dyn Observer,
        mut take: impl FnMut(Saved<S>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let unreadable = |error: &std::io::Error| FileError::system(&self.path, "read", error);
        let entries = fs::read_dir(&self.path).map_err(|error| unreadable(&error))?;
        for entry in entries {
            let path = entry.map_err(|error| unreadable(&error))?.path();
            if path.to_string_lossy().ends_with(UNFINISHED) {
                // left by a process that was killed while it wrote
                let _ = fs::remove_file(&path);
            }
            if !is_named_so(&path) {
                continue;
            }
            match self.read_file::<S>(&path) {
                Ok(saved) => take(saved)?,
                // such as a finished run
                Err(Error::File(FileError::Foreign { .. })) => {}
                Err(error @ Error::File(FileError::Damaged { .. })) => {
                    let _ = fs::rename(&path, path.with_added_extension("damaged"));
                    observer.trouble(&error);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn read_file<S: Savable>(&self, path: &Path) -> Result<Saved<S>, Error> {
        Ok(S::read(&self.own_content(path)?)?)
    }

    /// The content of a file of this run.
    fn own_content(&self, path: &Path) -> Result<Content, Error> {
        let content = file::read(path, Kind::Checkpoint)?;
        let Stamp { origin } = content.decode()?;
        match differing(&origin, &self.origin) {
            Some(what) => Err(refused(
                &self.path,
                format!(
                    "it holds another run, which differs in {what}; give each run a folder of its own"
                ),
            )),
            None => Ok(content),
        }
    }
}

fn refused(folder: &Path, reason: String) -> Error {
    Error::Checkpoint {
        folder: folder.display().to_string(),
        reason,
    }
}

/// Creates the folder if it is missing, and keeps other processes out of it.
fn lock(folder: &Path) -> Result<File, FileError> {
    fs::create_dir_all(folder).map_err(|error| FileError::system(folder, "written", &error))?;
    let path = folder.join(LOCK);
    let lock = File::create(&path).map_err(|error| FileError::system(&path, "written", &error))?;
    file::lock(&lock, &path, folder)?;
    Ok(lock)
}
