//! Errors of files that hold runs.

use std::io::ErrorKind;
use std::path::Path;
use thiserror::Error;

/// A file that cannot be written, or that does not hold what was expected.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum FileError {
    /// The system refused an operation.
    #[error("`{path}` cannot be {action}: {message}")]
    System {
        /// The file or folder.
        path: String,
        /// `read`, `written` or `locked`.
        action: &'static str,
        /// The system's error message.
        message: String,
        /// The kind of the system's error, which shows whether a retry would fail again.
        kind: ErrorKind,
    },
    /// A folder of checkpoints, or the file of a run, that another process writes to.
    #[error("another process writes to `{path}`; give each run its own")]
    InUse {
        /// The folder or file.
        path: String,
    },
    /// A file of another kind.
    #[error("`{path}` is not {wanted}")]
    Foreign {
        /// The file.
        path: String,
        /// What was expected.
        wanted: &'static str,
    },
    /// A path where another file exists.
    #[error("`{path}` is there already and is not {wanted}; remove it, or choose another name")]
    Occupied {
        /// The file.
        path: String,
        /// What would be replaced.
        wanted: &'static str,
    },
    /// A run could not be written to its file, so its islands or chains stay in another file.
    #[error(
        "{message}; the islands or chains are in `{kept}`, of which `RunFile::open(..)?.save(..)`, or the command `merge`, makes the file of the run; then remove it"
    )]
    Unsaved {
        /// Path of that other file.
        kept: String,
        /// Why the run could not be written.
        message: String,
    },
    /// The islands or chains of an unfinished run.
    #[error(
        "`{path}` is incomplete: it has what was finished of a run whose program goes on, or was ended before it. Run it again; a run with `.checkpoint(..)` goes on where it was ended"
    )]
    Unfinished {
        /// The file.
        path: String,
    },
    /// A truncated file, or one whose bytes changed.
    #[error("`{path}` is damaged: {reason}")]
    Damaged {
        /// The file.
        path: String,
        /// The sign of the damage.
        reason: String,
    },
}

impl FileError {
    /// The system's error at a file; `action` is `read` or `written`.
    #[must_use]
    pub fn system(path: &Path, action: &'static str, error: &std::io::Error) -> Self {
        Self::System {
            path: path.display().to_string(),
            action,
            message: error.to_string(),
            kind: error.kind(),
        }
    }
}
