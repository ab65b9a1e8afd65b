//! Saves a run while it goes on, so that the same command continues it after its process ended.
//!
//! A run consists of units that never communicate: islands, or groups of chains that are tuned together. The state of a unit at a
//! boundary (a temperature or an iteration) determines everything that follows. So a unit that continues from a saved state gives the
//! bits of an uninterrupted one, and a lost state costs only time.

mod achieved;
mod folder;

use super::outcome::Outcome;
use crate::density::LogDensity;
use crate::engine::common::Common;
use crate::engine::timed::Clock;
use crate::error::Error;
use crate::observe::Observer;
use crate::parallel;
use crate::run::{Group, Spool};
use achieved::Achieved;
use folder::Folder;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

pub(crate) use folder::ROUND;
pub(in crate::engine) use folder::{Savable, Saved, Saving, has_files, parts, savable};

/// The default of [`Common::checkpoint_interval`].
pub(in crate::engine) const INTERVAL: Duration = Duration::from_secs(10);
/// The minimum pause after a write, as a multiple of the duration of the write, so that all writes together take less than 1%.
const PAUSE: u32 = 200;
/// The time that is left in a run with a limit, as a multiple of the time between two looks at the clock.
const PIECES: u32 = 8;
/// The maximum number of values in finished units that wait for a write before they leave memory.
pub(in crate::engine) const WAITING: usize = 1 << 23;

/// The units of a run: the finished ones, and the saved states of others, in memory and in a folder.
pub(in crate::engine) struct Journal<'a, S> {
    folder: Option<Folder>,
    interval: Duration,
    stop: Option<Arc<AtomicBool>>,
    /// The time at which the run stops by itself; `None` without a limit.
    clock: Option<&'a Clock>,
    observer: &'a dyn Observer,
    states: Mutex<States<S>>,
    achieved: Mutex<Achieved>,
}

/// States by the numbers of their units: few, and in a list, because a tree would be compiled for every kind of state.
struct States<S>(Vec<(u64, S)>);

impl<S> Default for States<S> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<S> States<S> {
    fn insert(&mut self, unit: u64, state: S) {
        self.take(unit);
        self.0.push((unit, state));
    }

    fn take(&mut self, unit: u64) -> Option<S> {
        let place = self.0.iter().position(|(number, _)| *number == unit)?;
        Some(self.0.swap_remove(place).1)
    }
}

impl<'a, S: Savable> Journal<'a, S> {
    /// A journal without a folder, which never stops the run.
    pub(in crate::engine) fn idle(observer: &'a dyn Observer) -> Self {
        Self {
            folder: None,
            interval: INTERVAL,
            stop: None,
            clock: None,
            observer,
            states: Mutex::default(),
            achieved: Mutex::new(Achieved::new(Instant::now() + INTERVAL, None)),
        }
    }

    /// The content of the folder of `common` for a run on these densities, at least one, with these settings. Finished units go to the
    /// spool, if there is one, as soon as they are in the folder.
    ///
    /// # Errors
    /// [`Error::Checkpoint`] if the folder belongs to another run, or if this cannot be decided; [`Error::File`] if the folder cannot be
    /// written or read, or if another process writes to it.
    pub(in crate::engine) fn open(
        common: &Common,
        densities: &[&dyn LogDensity],
        settings: &BTreeMap<String, String>,
        observer: &'a dyn Observer,
        spool: Option<Spool>,
    ) -> Result<Self, Error> {
        let mut journal = Self {
            interval: common.checkpoint_interval,
            stop: common.stop.clone(),
            folder: Folder::open(common, densities, settings)?,
            ..Self::idle(observer)
        };
        let achieved = journal.achieved.get_mut();
        let achieved = achieved.unwrap_or_else(PoisonError::into_inner);
        *achieved = Achieved::new(Instant::now() + common.checkpoint_interval, spool);
        let Some(folder) = &journal.folder else {
            return Ok(journal);
        };
        let states = journal.states.get_mut();
        let states = states.unwrap_or_else(PoisonError::into_inner);
        folder.read(observer, |saved| {
            if let Some((unit, state)) = saved.state {
                states.insert(unit, state);
            }
            for (number, groups) in saved.finished {
                if !achieved.has(number) {
                    achieved.add(number, groups);
                    // the folder has the unit, so it stays in memory if the spool has no room
                    let _ = achieved.release(number);
                }
            }
            Ok(())
        })?;
        achieved.waiting = 0;
        for unit in achieved.numbers() {
            states.take(unit);
            folder.forget(unit);
        }
        let (finished, begun) = (achieved.numbers().count(), states.0.len());
        if finished + begun > 0 {
            observer.resume(finished, begun);
        }
        Ok(journal)
    }

    /// Runs `work` on the unfinished units, and returns the groups of all finished units, in order.
    ///
    /// # Errors
    /// The error of the first unit that has one; [`Error::Stopped`] if the run was stopped before any unit was finished. With a spool
    /// also if it was stopped before all were finished, if the folder has the finished ones.
    pub(in crate::engine) fn run(
        self,
        units: Range<u64>,
        work: impl Fn(Unit<'_, '_, S>) -> Result<Option<Vec<Group>>, Error> + Sync,
    ) -> Result<Outcome, Error> {
        let count = (units.end - units.start) as usize;
        // the error of the first unit, so that it does not depend on threads
        let failed: Mutex<Option<(usize, Error)>> = Mutex::default();
        parallel::each(0..count, |place| {
            if let Err(error) = self.work_on(units.start + place as u64, place, &work) {
                let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                if failed.as_ref().is_none_or(|(other, _)| place < *other) {
                    *failed = Some((place, error));
                }
            }
        });
        let mut achieved = self.achieved();
        self.write_finished(&mut achieved);
        let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, error)) = failed {
            return Err(error);
        }
        let finished = achieved.count(&units);
        let is_saved = self.folder.is_some() && achieved.is_saved();
        // a file holds a whole run, and the folder has the finished units
        let goes_on = is_saved && achieved.spool.is_some() && finished < count;
        let is_nothing = finished == 0 && !achieved.has_settled();
        if is_nothing || goes_on {
            let units = count;
            return Err(Error::Stopped { finished, units });
        }
        let (groups, spool) = achieved.take(&units, is_saved)?;
        Ok(Outcome {
            groups,
            spool,
            is_complete: finished == count,
            is_saved,
        })
    }

    fn work_on(
        &self,
        number: u64,
        place: usize,
        work: impl Fn(Unit<'_, '_, S>) -> Result<Option<Vec<Group>>, Error>,
    ) -> Result<(), Error> {
        if !self.is_finished(number) && !self.is_stopped() {
            match work(self.unit(number, place)) {
                Ok(Some(groups)) => self.finish(number, groups),
                Ok(None) => return Ok(()),
                // after a start that was cut, the other units are as good as before
                Err(error) => {
                    return match self.judged(error) {
                        Error::Cut => Ok(()),
                        error => Err(error),
                    };
                }
            }
        }
        if self.is_finished(number) {
            self.observer.finish(place);
        }
        Ok(())
    }

    /// A unit before it begins or continues.
    pub(in crate::engine) fn unit(&self, number: u64, place: usize) -> Unit<'_, 'a, S> {
        Unit {
            journal: self,
            number,
            place,
            due: Instant::now() + self.interval,
        }
    }

    /// Keeps a state from which the unit with this number will continue.
    pub(in crate::engine) fn keep(&self, number: u64, state: S) {
        let mut states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        states.insert(number, state);
    }

    /// Whether the user wants the run to stop, or its time is over.
    pub(in crate::engine) fn is_stopped(&self) -> bool {
        let stop = self.stop.as_ref();
        self.is_late() || stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Lets the run stop when the time of this clock is over.
    pub(in crate::engine) fn stop_by(&mut self, clock: &'a Clock) {
        self.clock = Some(clock);
    }

    /// Whether the time of the run is over.
    pub(in crate::engine) fn is_late(&self) -> bool {
        self.clock.is_some_and(Clock::is_late)
    }

    /// Whether the density was cut because the time of the run is over, so that what was found since is wrong.
    pub(in crate::engine) fn has_cut(&self) -> bool {
        self.clock.is_some_and(Clock::has_cut)
    }

    /// What the error of a phase that has just ended is: the cut of the density, or an error before it.
    pub(in crate::engine) fn judged(&self, error: Error) -> Error {
        match self.clock {
            Some(clock) => clock.judged(error),
            None => error,
        }
    }

    /// Whether an error before the units of a round says only that the time is over, and the spool has the units of earlier rounds.
    pub(in crate::engine) fn ends_rounds(&self, error: &Error) -> bool {
        let is_late = matches!(error, Error::TimeLimit { .. })
            || self.clock.is_some_and(|clock| clock.ended(error));
        is_late && self.achieved().has_settled()
    }

    fn achieved(&self) -> MutexGuard<'_, Achieved> {
        // a panic elsewhere leaves the lists intact
        self.achieved.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_finished(&self, number: u64) -> bool {
        self.achieved().has(number)
    }

    fn finish(&self, number: u64, groups: Vec<Group>) {
        let mut achieved = self.achieved();
        achieved.add(number, groups);
        achieved.unwritten.push(number);
        if self.folder.is_none() {
            self.release_written(&mut achieved);
        }
        self.write_if_due(&mut achieved);
    }

    fn write_if_due(&self, achieved: &mut Achieved) {
        let is_full = achieved.spool.is_some() && achieved.waiting > WAITING;
        if is_full || Instant::now() >= achieved.due {
            self.write_finished(achieved);
        }
    }

    /// Writes the finished units that are not yet in a file into a new file, after which their states are obsolete. Reports an error to
    /// the observer; the units stay in memory for another attempt.
    fn write_finished(&self, achieved: &mut Achieved) {
        let Some(folder) = &self.folder else {
            return;
        };
        if achieved.unwritten.is_empty() {
            return;
        }
        achieved.waiting = 0;
        let (pause, written) = self.timed(|| folder.write_finished::<S>(achieved.unwritten()));
        achieved.due = Instant::now() + pause;
        match written {
            Ok(()) => {
                achieved
                    .unwritten
                    .iter()
                    .for_each(|unit| folder.forget(*unit));
                self.release_written(achieved);
            }
            Err(error) => self.observer.trouble(&error.into()),
        }
    }

    /// Moves units that need not be written to the folder any more to the spool, if there is one. Reports an error to the observer; the
    /// units stay in memory for another attempt at the end.
    fn release_written(&self, achieved: &mut Achieved) {
        for unit in std::mem::take(&mut achieved.unwritten) {
            if let Err(error) = achieved.release(unit) {
                self.observer.trouble(&error.into());
            }
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

/// A running unit.
pub(in crate::engine) struct Unit<'a, 'b, S> {
    journal: &'a Journal<'b, S>,
    /// The number of the unit in the whole run.
    pub(in crate::engine) number: u64,
    /// The place of the unit among the units of this process.
    pub(in crate::engine) place: usize,
    /// The time of its next write.
    due: Instant,
}

impl<S: Savable> Unit<'_, '_, S> {
    /// The minimum time between two writes; `None` if the unit can be neither saved nor stopped.
    pub(in crate::engine) fn interval(&self) -> Option<Duration> {
        let journal = self.journal;
        let left = journal.clock.and_then(Clock::left);
        let watched = journal.folder.is_some() || journal.stop.is_some() || left.is_some();
        let soon = left.map_or(journal.interval, |left| left / PIECES);
        watched.then_some(journal.interval.min(soon))
    }

    /// The saved state from which the unit continues, if there is one.
    pub(in crate::engine) fn saved(&self) -> Option<S> {
        let states = self.journal.states.lock();
        let mut states = states.unwrap_or_else(PoisonError::into_inner);
        states.take(self.number)
    }

    /// Whether the user wants the run to stop, or its time is over.
    pub(in crate::engine) fn is_stopped(&self) -> bool {
        self.journal.is_stopped()
    }

    /// Whether the time of the run is over.
    pub(in crate::engine) fn is_late(&self) -> bool {
        self.journal.is_late()
    }

    /// Whether the density was cut because the time of the run is over, so that the present state is wrong.
    pub(in crate::engine) fn has_cut(&self) -> bool {
        self.journal.has_cut()
    }

    /// Reports a saved state that does not fit; the unit then starts again.
    pub(in crate::engine) fn tell(&self, error: &Error) {
        self.journal.observer.trouble(error);
    }

    /// Saves a state from which the unit can continue, if it is time. Returns whether the run must stop.
    pub(in crate::engine) fn boundary(&mut self, state: &S) -> bool {
        let stopped = self.journal.is_stopped();
        let Some(folder) = &self.journal.folder else {
            return stopped;
        };
        if let Ok(mut achieved) = self.journal.achieved.try_lock() {
            self.journal.write_if_due(&mut achieved);
        }
        if stopped || Instant::now() >= self.due {
            let (pause, written) = self
                .journal
                .timed(|| folder.write_state(self.number, state));
            self.due = Instant::now() + pause;
            if let Err(error) = written {
                self.journal.observer.trouble(&error.into());
            }
        }
        stopped
    }
}
