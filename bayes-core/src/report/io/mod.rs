//! Files: one format, one file of code.

mod csv;
mod json;

pub use csv::Csv;
pub use json::Json;

use crate::run::Run;
use std::io::{self, Write};

/// A file format for runs.
pub trait Format {
    /// Writes the run.
    ///
    /// # Errors
    /// What the writer reports.
    fn write(&self, run: &Run, writer: &mut dyn Write) -> io::Result<()>;
}
