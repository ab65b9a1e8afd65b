//! Output of a run: the printed table, files, progress bars.

mod display;
mod estimate;
mod io;
mod progress;
mod record;
mod summary;
mod table;

// every format: a new one is a file of `io` and its lines there
pub use io::*;
pub use progress::{Bar, Progress};
pub use summary::{Summary, SummaryRow};
