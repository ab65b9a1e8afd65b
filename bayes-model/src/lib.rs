//! The language of `bayes`: models and their densities.
//!
//! Data flows one way. [`dist`] and [`transform`] come from the crate `bayes-dist`, [`rng`] and the errors from
//! `bayes-base`, and are exported here too. Then, module by
//! module: [`model`] (what `#[model]` implements) and [`density`] (blocks of particles in, log prior, log likelihood and gradient out).
//! Samplers are in `bayes-core`, which sees a model as a [`LogDensity`](density::LogDensity) only.

#![forbid(unsafe_code)]

pub mod density;
pub mod model;
#[cfg(feature = "networks")]
pub mod nn;

pub use bayes_base::{CombineError, Error, FormulaError, numeric, rng};
#[doc(hidden)]
pub use bayes_base::{
    autocorrelation, codec, edit_distance, error, file, number, order, parallel, text,
};
pub use bayes_dist::{basis, dist, transform};
