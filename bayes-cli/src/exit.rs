//! How a program ends.

use bayes_core::Error;
use bayes_core::run::{FileError, RunError};

/// The work failed, or was stopped.
pub(crate) const FAILED: u8 = 1;
/// An option, a file or the data are wrong: the same command would fail again.
pub(crate) const WRONG: u8 = 2;

/// The exit code of an error.
pub(crate) fn code(error: &Error) -> u8 {
    match error {
        Error::Start { .. }
        | Error::NanPrior { .. }
        | Error::NoFiniteDraw { .. }
        | Error::Ladder { .. }
        | Error::Resolution { .. }
        | Error::Stopped { .. }
        | Error::Process { .. }
        | Error::Write { .. }
        | Error::NotSaved { .. }
        | Error::File(FileError::InUse { .. } | FileError::Unsaved { .. })
        | Error::Run(RunError::File(FileError::Unsaved { .. })) => FAILED,
        Error::File(FileError::System { action, .. })
        | Error::Run(RunError::File(FileError::System { action, .. }))
            if *action != "read" =>
        {
            FAILED
        }
        _ => WRONG,
    }
}
