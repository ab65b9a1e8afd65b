//! The language of `bayes`: distributions, models and their densities.
//!
//! Data flows one way, module by module: [`model`] (what `#[model]` implements, made of [`dist`] and [`transform`]), then
//! [`density`] (blocks of particles in, log prior, log likelihood and gradient out). Samplers are in `bayes-core`, which sees a model
//! as a [`LogDensity`](density::LogDensity) only.

#![forbid(unsafe_code)]

#[doc(hidden)]
pub mod codec;
pub mod density;
pub mod dist;
#[doc(hidden)]
pub mod error;
#[doc(hidden)]
pub mod file;
pub mod model;
#[cfg(feature = "networks")]
pub mod nn;
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
