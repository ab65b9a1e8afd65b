//! The language of `bayes`: models and their densities.
//!
//! Data flows one way. [`dist`], [`transform`] and [`rng`] come from the crate `bayes-dist` and are exported here too. Then, module by
//! module: [`model`] (what `#[model]` implements) and [`density`] (blocks of particles in, log prior, log likelihood and gradient out).
//! Samplers are in `bayes-core`, which sees a model as a [`LogDensity`](density::LogDensity) only.

#![forbid(unsafe_code)]

pub mod density;
pub mod model;
#[cfg(feature = "networks")]
pub mod nn;

pub use bayes_dist::{CombineError, Error, FormulaError, basis, dist, numeric, rng, transform};
#[doc(hidden)]
pub use bayes_dist::{codec, edit_distance, error, file, number, parallel, text};
