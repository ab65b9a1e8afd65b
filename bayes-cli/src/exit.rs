//! Exit codes of a program.

use bayes_core::Error;
use bayes_core::run::{FileError, RunError};
use std::io::ErrorKind;

/// The work failed, or was stopped.
pub(crate) const FAILED: u8 = 1;
/// An option, a file or the data are wrong: the same command would fail again.
pub(crate) const WRONG: u8 = 2;

/// The exit code of an error.
pub(crate) fn code(error: &Error) -> u8 {
    match error {
        Error::Start { .. }
        | Error::StartAt { .. }
        | Error::NanPrior { .. }
        | Error::NoFiniteDraw { .. }
        | Error::Ladder { .. }
        | Error::Resolution { .. }
        | Error::Stopped { .. }
        | Error::Cut
        | Error::TimeLimit { .. }
        | Error::Process { .. }
        | Error::Write { .. }
        | Error::NotSaved { .. }
        | Error::File(FileError::InUse { .. } | FileError::Unsaved { .. })
        | Error::Run(RunError::File(FileError::Unsaved { .. })) => FAILED,
        Error::File(FileError::System { action, kind, .. })
        | Error::Run(RunError::File(FileError::System { action, kind, .. }))
            if *action != "read" && !is_misnamed(*kind) =>
        {
            FAILED
        }
        _ => WRONG,
    }
}

/// Whether an option, a file or the data are wrong, so that the same work would fail again.
#[must_use]
pub fn is_of_input(error: &Error) -> bool {
    code(error) == WRONG
}

/// Whether a name is wrong, as opposed to a passing problem such as a full disk.
fn is_misnamed(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::NotFound
            | ErrorKind::IsADirectory
            | ErrorKind::NotADirectory
            | ErrorKind::AlreadyExists
            | ErrorKind::InvalidFilename
            | ErrorKind::InvalidInput
    )
}
