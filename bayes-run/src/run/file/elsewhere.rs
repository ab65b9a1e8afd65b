//! Fallback location for a run that could not be saved.

use super::unsaved;
#[cfg(doc)]
use crate::error::FileError;
use crate::run::{Run, RunError};
use std::path::{Path, PathBuf};

/// An unused path in `folder` for the run that was meant for `path`.
pub(super) fn free(folder: &Path, path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let of_number = |number: usize| match number {
        0 => folder.join(&*name),
        _ => folder.join(format!("{name}.{number}")),
    };
    let mut places = (0..).map(of_number).filter(|place| !place.exists());
    places.next().unwrap_or_default()
}

impl Run {
    /// Saves like [`save`](Self::save). If that fails, as on a full disk, the run goes to the folder for temporary files
    /// ([`std::env::temp_dir`]), and the error names its path.
    ///
    /// # Errors
    /// [`RunError::File`] with [`FileError::Unsaved`] if the run is in the fallback location; the error of [`save`](Self::save) if it
    /// is nowhere.
    pub fn save_or_keep(&self, path: impl AsRef<Path>) -> Result<(), RunError> {
        self.save_or_keep_in(path.as_ref(), &std::env::temp_dir())
    }

    /// Saves like [`save_or_keep`](Self::save_or_keep), with another folder in place of the one for temporary files.
    ///
    /// # Errors
    /// The errors of [`save_or_keep`](Self::save_or_keep).
    #[doc(hidden)]
    pub fn save_or_keep_in(&self, path: &Path, fallback: &Path) -> Result<(), RunError> {
        let refused = match self.save(path) {
            Err(RunError::File(refused)) => refused,
            saved => return saved,
        };
        let other = free(fallback, path);
        match self.save(&other) {
            Ok(()) => Err(unsaved::told(&other, refused.to_string()).into()),
            Err(_) => Err(refused.into()),
        }
    }
}
