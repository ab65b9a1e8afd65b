//! Output of a run: the printed table, files, progress bars.

mod display;
mod estimate;
mod io;
mod progress;
mod record;
mod summary;
mod table;

pub use io::{Csv, Format, Json};
pub use progress::{Bar, Progress};
pub use summary::{Summary, SummaryRow};
