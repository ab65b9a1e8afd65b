//! The distributions of `bayes`.
//!
//! Data flows one way, module by module: [`rng`] (random streams), [`transform`] (constrained to unconstrained values and back), then
//! [`dist`]. The errors of all crates are here, because everything fails. Models, which are made of these, are in `bayes-model`.

#![forbid(unsafe_code)]

pub mod basis;
#[doc(hidden)]
pub mod codec;
pub mod dist;
#[doc(hidden)]
pub mod error;
#[doc(hidden)]
pub mod file;
#[doc(hidden)]
pub mod number;
pub mod numeric;
#[doc(hidden)]
pub mod parallel;
pub mod rng;
#[doc(hidden)]
pub mod text;
pub mod transform;

#[doc(hidden)]
pub use error::edit_distance;
pub use error::{CombineError, Error, FormulaError};
