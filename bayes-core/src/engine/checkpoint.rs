//! Saves a run while it goes on, so that the same command continues it after its process ended.
//!
//! A run consists of units that never communicate: islands, or groups of chains that are tuned together. All that a unit will do
//! is determined by its state at a boundary, a temperature or an iteration. So a unit that goes on from a saved state gives the
//! bits of one that never stopped, and a state that is lost costs time and nothing else.

use super::builder::Common;
use super::origin::{Origin, differing, origin};
use crate::density::LogDensity;
use crate::error::{Error, FileError};
use crate::file::{self, Content, Kind, UNFINISHED};
use crate::observe::Observer;
use crate::run::Group;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The default of [`Common::checkpoint_interval`].
pub(super) const INTERVAL: Duration = Duration::from_secs(10);
/// A write is followed by a pause of at least so many times its own duration, so that all writes together take less than 1%.
const PAUSE: u32 = 200;
/// The end of the names of the folder's files.
const EXTENSION: &str = "bayes";
/// The file by which a process keeps the folder to itself.
const LOCK: &str = "lock";

/// The finished units of a run by their numbers.
type Finished = BTreeMap<u64, Vec<Group>>;

/// The state of a unit, as it is written and read.
///
/// Its functions are not generic over a kernel, and so compiled once in this crate: in a program that names a kernel they would take half
/// of the time in which it compiles.
pub(super) trait Savable: Sized + Send {
    /// Writes a file of the folder.
    fn write(path: &Path, content: &Saving<'_, Self>) -> Result<(), FileError>;

    /// Reads one.
    fn read(content: &Content) -> Result<Saved<Self>, FileError>;
}

/// Implements [`Savable`] for a type that is `Serialize` and `Deserialize`.
macro_rules! savable {
    ($state:ty) => {
        impl $crate::engine::checkpoint::Savable for $state {
            #[inline(never)]
            fn write(
                path: &::std::path::Path,
                content: &$crate::engine::checkpoint::Saving<'_, Self>,
            ) -> Result<(), $crate::error::FileError> {
                $crate::file::write(path, $crate::file::Kind::Checkpoint, content)
            }

            #[inline(never)]
            fn read(
                content: &$crate::file::Content,
            ) -> Result<$crate::engine::checkpoint::Saved<Self>, $crate::error::FileError> {
                content.decode()
            }
        }
    };
}
pub(super) use savable;

/// A file of the folder, as it is read.
#[derive(Deserialize)]
pub(super) struct Saved<S> {
    finished: Vec<(u64, Vec<Group>)>,
    /// A unit that is not finished.
    state: Option<(u64, S)>,
}

/// A file of the folder, as it is written.
#[derive(Serialize)]
pub(super) struct Saving<'a, S> {
    origin: &'a Origin,
    finished: Vec<(u64, &'a [Group])>,
    state: Option<(u64, &'a S)>,
}

/// What is read of a file first.
#[derive(Deserialize)]
struct Stamp {
    origin: Origin,
}

/// The units of a run: those that are finished, and the saved states of others, in memory and in a folder.
pub(super) struct Journal<'a, S> {
    folder: Option<Folder>,
    interval: Duration,
    stop: Option<Arc<AtomicBool>>,
    observer: &'a dyn Observer,
    states: Mutex<BTreeMap<u64, S>>,
    achieved: Mutex<Achieved>,
}

/// The folder of a run, which no other process writes to.
struct Folder {
    path: PathBuf,
    origin: Origin,
    /// Released when the process ends, however it ends.
    lock: File,
}

impl Drop for Folder {
    fn drop(&mut self) {
        // not by closing it, because a child process that has just begun may have it open, too
        let _ = self.lock.unlock();
    }
}

/// The finished units.
struct Achieved {
    all: Finished,
    /// Those that are in no file yet.
    unwritten: Vec<u64>,
    /// When they are written.
    due: Instant,
}

impl<'a, S: Savable> Journal<'a, S> {
    /// Without a folder, and never stopped.
    pub(super) fn idle(observer: &'a dyn Observer) -> Self {
        Self {
            folder: None,
            interval: INTERVAL,
            stop: None,
            observer,
            states: Mutex::default(),
            achieved: Mutex::new(Achieved {
                all: Finished::new(),
                unwritten: Vec::new(),
                due: Instant::now() + INTERVAL,
            }),
        }
    }

    /// What the folder of `common` holds of a run on these densities, at least one, with these settings.
    ///
    /// # Errors
    /// [`Error::Checkpoint`] if it is of another run, or if nothing tells whether it is; [`Error::File`] if the folder cannot be
    /// written or read, or if another process writes to it.
    pub(super) fn open(
        common: &Common,
        densities: &[&dyn LogDensity],
        settings: &BTreeMap<String, String>,
        observer: &'a dyn Observer,
    ) -> Result<Self, Error> {
        let mut journal = Self {
            interval: common.checkpoint_interval,
            stop: common.stop.clone(),
            ..Self::idle(observer)
        };
        let Some(path) = common.checkpoint_folder() else {
            return Ok(journal);
        };
        let origin = origin(common, densities, settings);
        let unknown = |density: &&dyn LogDensity| density.quantities().fingerprint() == 0;
        if densities.iter().any(unknown) {
            let reason =
                "nothing tells whether it holds this density; implement `Quantities::fingerprint`";
            return Err(refused(&path, reason.to_owned()));
        }
        let folder = Folder {
            lock: lock(&path)?,
            path,
            origin,
        };
        let achieved = journal.achieved.get_mut();
        let achieved = achieved.unwrap_or_else(PoisonError::into_inner);
        achieved.due = Instant::now() + common.checkpoint_interval;
        let states = journal.states.get_mut();
        let states = states.unwrap_or_else(PoisonError::into_inner);
        folder.read(&mut achieved.all, states, observer)?;
        for unit in achieved.all.keys() {
            states.remove(unit);
            folder.forget(*unit);
        }
        journal.folder = Some(folder);
        Ok(journal)
    }

    /// Runs `work` on the units that are not finished, and returns the groups of all that are, in order.
    ///
    /// # Errors
    /// The error of the first unit that has one; [`Error::Stopped`] if the run was stopped before any unit was finished.
    pub(super) fn run(
        self,
        units: Range<u64>,
        work: impl Fn(Unit<'_, '_, S>) -> Result<Option<Vec<Group>>, Error> + Sync,
    ) -> Result<Outcome, Error> {
        let count = (units.end - units.start) as usize;
        let worked: Vec<Result<(), Error>> = (0..count)
            .into_par_iter()
            .map(|place| {
                let number = units.start + place as u64;
                if !self.is_finished(number) && !self.is_stopped() {
                    match work(self.unit(number, place))? {
                        Some(groups) => self.finish(number, groups),
                        None => return Ok(()),
                    }
                }
                if self.is_finished(number) {
                    self.observer.finish(place);
                }
                Ok(())
            })
            .collect();
        let mut achieved = self.achieved();
        self.write_finished(&mut achieved);
        // in order, so that the reported error does not depend on threads
        worked.into_iter().collect::<Result<(), Error>>()?;
        let own = |number: &u64| units.contains(number);
        let all = std::mem::take(&mut achieved.all).into_iter();
        let finished: Vec<Vec<Group>> = all
            .filter(|(number, _)| own(number))
            .map(|(_, groups)| groups)
            .collect();
        if finished.is_empty() {
            return Err(Error::Stopped { units: count });
        }
        Ok(Outcome {
            is_complete: finished.len() == count,
            // moved, since a copy of all draws would need their memory again
            groups: finished.into_iter().flatten().collect(),
        })
    }

    /// A unit that is about to begin or to go on.
    pub(super) fn unit(&self, number: u64, place: usize) -> Unit<'_, 'a, S> {
        Unit {
            journal: self,
            number,
            place,
            due: Instant::now() + self.interval,
        }
    }

    /// Keeps a state from which the unit with this number is to go on.
    pub(super) fn keep(&self, number: u64, state: S) {
        let mut states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        states.insert(number, state);
    }

    /// Whether the user wants the run to stop.
    pub(super) fn is_stopped(&self) -> bool {
        let stop = self.stop.as_ref();
        stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    fn achieved(&self) -> MutexGuard<'_, Achieved> {
        // a panic elsewhere leaves the lists whole
        self.achieved.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_finished(&self, number: u64) -> bool {
        self.achieved().all.contains_key(&number)
    }

    fn finish(&self, number: u64, groups: Vec<Group>) {
        let mut achieved = self.achieved();
        achieved.all.insert(number, groups);
        achieved.unwritten.push(number);
        self.write_if_due(&mut achieved);
    }

    fn write_if_due(&self, achieved: &mut Achieved) {
        if Instant::now() >= achieved.due {
            self.write_finished(achieved);
        }
    }

    /// Writes the finished units that are in no file yet into one of their own, after which their states are obsolete. An error is told
    /// to the observer; the units are in memory, and are tried again.
    fn write_finished(&self, achieved: &mut Achieved) {
        let (Some(folder), Some(first)) = (&self.folder, achieved.unwritten.first()) else {
            return;
        };
        let unwritten = achieved.unwritten.iter();
        let finished =
            unwritten.filter_map(|unit| Some((*unit, achieved.all.get(unit)?.as_slice())));
        let name = format!("finished-{first}");
        let saving: Saving<'_, S> = Saving {
            origin: &folder.origin,
            finished: finished.collect(),
            state: None,
        };
        let (pause, written) = self.timed(|| folder.write(&name, &saving));
        achieved.due = Instant::now() + pause;
        match written {
            Ok(()) => achieved
                .unwritten
                .drain(..)
                .for_each(|unit| folder.forget(unit)),
            Err(error) => self.observer.trouble(&error.into()),
        }
    }

    /// The result of a write, and the pause after it.
    fn timed<T>(&self, write: impl FnOnce() -> T) -> (Duration, T) {
        let start = Instant::now();
        let result = write();
        let pause = match self.interval {
            Duration::ZERO => Duration::ZERO,
            interval => interval.max(PAUSE * start.elapsed()),
        };
        (pause, result)
    }
}

/// The groups of the finished units of a run.
pub(super) struct Outcome {
    pub(super) groups: Vec<Group>,
    /// Whether all units are finished.
    pub(super) is_complete: bool,
}

/// A unit of a run that is at work.
pub(super) struct Unit<'a, 'b, S> {
    journal: &'a Journal<'b, S>,
    /// Its number in the whole run.
    pub(super) number: u64,
    /// Its place among the units of this process.
    pub(super) place: usize,
    /// When its state is written.
    due: Instant,
}

impl<S: Savable> Unit<'_, '_, S> {
    /// The least time between two writes; `None` if it can be neither saved nor stopped.
    pub(super) fn interval(&self) -> Option<Duration> {
        let journal = self.journal;
        let watched = journal.folder.is_some() || journal.stop.is_some();
        watched.then_some(journal.interval)
    }

    /// The state from which it goes on, if one was saved.
    pub(super) fn saved(&self) -> Option<S> {
        let states = self.journal.states.lock();
        let mut states = states.unwrap_or_else(PoisonError::into_inner);
        states.remove(&self.number)
    }

    /// Whether the user wants the run to stop.
    pub(super) fn is_stopped(&self) -> bool {
        self.journal.is_stopped()
    }

    /// Tells of a saved state that does not fit, after which the unit begins anew.
    pub(super) fn tell(&self, error: &Error) {
        self.journal.observer.trouble(error);
    }

    /// Saves a state at which the unit can go on, if it is time. Returns whether the run is to be stopped.
    pub(super) fn boundary(&mut self, state: &S) -> bool {
        let stopped = self.journal.is_stopped();
        let Some(folder) = &self.journal.folder else {
            return stopped;
        };
        if let Ok(mut achieved) = self.journal.achieved.try_lock() {
            self.journal.write_if_due(&mut achieved);
        }
        if stopped || Instant::now() >= self.due {
            let saving = Saving {
                origin: &folder.origin,
                finished: Vec::new(),
                state: Some((self.number, state)),
            };
            let name = state_name(self.number);
            let (pause, written) = self.journal.timed(|| folder.write(&name, &saving));
            self.due = Instant::now() + pause;
            if let Err(error) = written {
                self.journal.observer.trouble(&error.into());
            }
        }
        stopped
    }
}

fn state_name(unit: u64) -> String {
    format!("state-{unit}")
}

impl Folder {
    fn file(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}.{EXTENSION}"))
    }

    fn write<S: Savable>(&self, name: &str, content: &Saving<'_, S>) -> Result<(), FileError> {
        S::write(&self.file(name), content)
    }

    /// Removes the state of a unit that is finished. If that fails, the state is ignored.
    fn forget(&self, unit: u64) {
        let _ = fs::remove_file(self.file(&state_name(unit)));
    }

    /// Reads all files; what they hold does not depend on their names. Damaged files are renamed and told to the observer.
    fn read<S: Savable>(
        &self,
        finished: &mut Finished,
        states: &mut BTreeMap<u64, S>,
        observer: &dyn Observer,
    ) -> Result<(), Error> {
        let unreadable = |error: &std::io::Error| FileError::system(&self.path, "read", error);
        let entries = fs::read_dir(&self.path).map_err(|error| unreadable(&error))?;
        for entry in entries {
            let path = entry.map_err(|error| unreadable(&error))?.path();
            if path.to_string_lossy().ends_with(UNFINISHED) {
                // of a process that was killed while it wrote
                let _ = fs::remove_file(&path);
            }
            if path
                .extension()
                .is_none_or(|extension| extension != EXTENSION)
            {
                continue;
            }
            match self.read_file::<S>(&path) {
                Ok(saved) => {
                    finished.extend(saved.finished);
                    states.extend(saved.state);
                }
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

/// Makes the folder if it is not there, and keeps other processes out of it.
fn lock(folder: &Path) -> Result<File, FileError> {
    fs::create_dir_all(folder).map_err(|error| FileError::system(folder, "written", &error))?;
    let path = folder.join(LOCK);
    let lock = File::create(&path).map_err(|error| FileError::system(&path, "written", &error))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(FileError::InUse {
            path: folder.display().to_string(),
        }),
        // Some network file systems have no locks. Two processes of the same run would write the same bytes.
        Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => Ok(lock),
        Err(TryLockError::Error(error)) => Err(FileError::system(&path, "locked", &error)),
    }
}
