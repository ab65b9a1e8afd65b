//! File formats, one source file each.

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
    /// An error of the writer.
    fn write(&self, run: &Run, writer: &mut dyn Write) -> io::Result<()>;
}
