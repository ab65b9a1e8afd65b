//! The distributions of `bayes`.
//!
//! Data flows one way, module by module: [`transform`] (constrained to unconstrained values and back), [`dist`], then [`basis`]. Random
//! streams and errors come from the crate `bayes-base`. Models, which are made of distributions, are in `bayes-model`.

#![forbid(unsafe_code)]

pub mod basis;
pub mod dist;
pub mod transform;

use bayes_base::{error, numeric, order, rng};
