//! What the crates of `bayes` from the distributions up use: errors, because everything fails, random streams, because everything draws, and
//! files.
//!
//! Data flows one way, module by module: [`rng`] (random streams), [`numeric`], `autocorrelation`, `order`, `parallel`, `number`, `codec` (values as MessagePack and
//! JSON), `text` (numbers and tables in words), `error`, then `file`. Distributions, which are the first to need them, are in `bayes-dist`.

#![forbid(unsafe_code)]

#[doc(hidden)]
pub mod autocorrelation;
#[doc(hidden)]
pub mod codec;
#[doc(hidden)]
pub mod error;
#[doc(hidden)]
pub mod file;
#[doc(hidden)]
pub mod number;
pub mod numeric;
#[doc(hidden)]
pub mod order;
#[doc(hidden)]
pub mod parallel;
pub mod rng;
#[doc(hidden)]
pub mod text;

#[doc(hidden)]
pub use error::edit_distance;
pub use error::{CombineError, Error, FormulaError};
