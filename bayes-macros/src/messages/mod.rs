//! All messages: what is wrong in modelling terms, then the corrected statement.

mod distribution;
mod random;
mod signature;
mod statement;

pub use distribution::*;
pub use random::*;
pub use signature::*;
pub use statement::*;

use std::fmt::Display;

/// A message and, on a separate line, what to write instead.
fn message(wrong: impl Display, help: impl Display) -> String {
    format!("{wrong}\nhelp: {help}")
}
