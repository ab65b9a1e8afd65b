//! Saves a finished run when the disk has no room.

use crate::output::complain;
use bayes_core::Error;
use bayes_core::observe::Observer;
use bayes_core::run::{FileError, Run, RunError};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

/// The first pause before the next attempt; every pause is twice as long as the one before.
const FIRST: Duration = Duration::from_millis(500);
/// The longest pause.
const LONGEST: Duration = Duration::from_secs(60);
/// Interval at which a pause checks for a signal.
const LOOK: Duration = Duration::from_millis(100);

/// Whether part of a run could not be written to its folder of checkpoints.
#[derive(Debug, Default)]
pub(crate) struct Unwritten(AtomicBool);

impl Unwritten {
    pub(crate) fn any(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Observer for Unwritten {
    fn trouble(&self, error: &Error) {
        if matches!(error, Error::File(FileError::System { .. })) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// Saves a run, if necessary in the folder for temporary files. If there is no room either, waits for room, because the run would be
/// lost with this process. The wait ends when a signal sets `stop`; if `stop` is set already, the next signal ends the process.
///
/// # Errors
/// The errors of [`Run::save_or_keep`].
pub(crate) fn saved(run: &Run, place: &Path, stop: Option<&AtomicBool>) -> Result<(), RunError> {
    let is_asked = || stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
    let was_asked = is_asked();
    let mut pause = FIRST;
    loop {
        let refused = match run.save_or_keep(place) {
            Ok(()) => return Ok(()),
            Err(kept @ RunError::File(FileError::Unsaved { .. })) => return Err(kept),
            Err(refused) => refused,
        };
        if pause == FIRST {
            let folder = std::env::temp_dir();
            complain(&format!(
                "warning: {refused}, nor can it be written in {}; the run is in memory, and waits until it can be written in one of them",
                folder.display()
            ));
        }
        for _ in 0..pause.as_millis() / LOOK.as_millis() {
            if is_asked() && !was_asked {
                return Err(refused);
            }
            sleep(LOOK);
        }
        pause = LONGEST.min(2 * pause);
    }
}
