//! Formats of what is saved: a file of another format is refused by its version.

use super::{FIT_FORMAT, FORMAT, Fit, Run, RunError};
use serde::Deserialize;

/// What is saved with the number of its format.
pub(crate) trait Saved: Sized {
    /// The format that this version reads.
    const FORMAT: u32;
    fn format(&self) -> u32;
    /// # Errors
    /// A number or a length that no engine can have written.
    fn check(&self) -> Result<(), RunError>;
}

impl Saved for Run {
    const FORMAT: u32 = FORMAT;
    fn format(&self) -> u32 {
        self.format
    }
    fn check(&self) -> Result<(), RunError> {
        self.validate()
    }
}

impl Saved for Fit {
    const FORMAT: u32 = FIT_FORMAT;
    fn format(&self) -> u32 {
        self.format
    }
    fn check(&self) -> Result<(), RunError> {
        self.validate()
    }
}

/// The version and the format of what is saved; read alone where the rest cannot be read, because its fields may have changed.
#[derive(Deserialize)]
pub(crate) struct Stamp {
    model: String,
    /// Missing in format 1 of runs.
    format: Option<u32>,
    version: Option<String>,
}

impl Stamp {
    /// # Errors
    /// [`RunError::Format`] if it is not the format of `T`.
    pub(crate) fn check<T: Saved>(self) -> Result<(), RunError> {
        let found = self.format.unwrap_or(1);
        if found == T::FORMAT {
            return Ok(());
        }
        let version = self.version.unwrap_or_else(|| "0.1.0 or older".to_owned());
        Err(RunError::Format {
            model: self.model,
            found,
            version,
            reads: T::FORMAT,
        })
    }
}

/// What `read` reads from a file of this format, checked. A file of another format may have other fields, or the same with another meaning:
/// then `stamp` tells its version. The content is read once where the format is this one.
///
/// # Errors
/// The errors of `stamp`, then the errors of `read`; [`RunError::Format`]; the errors of [`Saved::check`].
pub(crate) fn of_format<T: Saved, E: Into<RunError>>(
    read: impl FnOnce() -> Result<T, E>,
    stamp: impl FnOnce() -> Result<Stamp, E>,
) -> Result<T, RunError> {
    match read() {
        Ok(saved) if saved.format() == T::FORMAT => {
            saved.check()?;
            Ok(saved)
        }
        other => {
            stamp().map_err(E::into)?.check::<T>()?;
            // a file of this format that does not say so does not exist
            other.map_err(E::into)
        }
    }
}
