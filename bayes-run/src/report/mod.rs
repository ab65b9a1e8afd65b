//! Output of a run: the printed table and files.

mod display;
mod draws;
mod estimate;
mod fit;
mod histogram;
mod io;
mod printed;
mod record;
mod summary;
mod wrapped;

// every format: a new format is a file of `io` and its lines there
pub use io::*;
pub use printed::Printed;
pub use summary::{Summary, SummaryRow};
#[doc(hidden)]
pub use wrapped::in_words;
