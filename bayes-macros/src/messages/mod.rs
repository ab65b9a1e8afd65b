//! All messages: the mistake in modelling terms, then the corrected statement.

mod dims;
mod distribution;
mod function;
mod idioms;
mod impute;
mod random;
mod rows;
mod signature;
mod statement;
mod sum;

pub use dims::*;
pub use distribution::*;
pub use function::*;
pub use idioms::*;
pub use impute::*;
pub use random::*;
pub use rows::*;
pub use signature::*;
pub use statement::*;
pub use sum::*;

use std::fmt::Display;

/// A message and, on a separate line, the correction.
fn message(wrong: impl Display, help: impl Display) -> String {
    format!("{wrong}\nhelp: {help}")
}
