//! Rules that move positions, for the engines of `bayes`.
//!
//! A kernel ([`kernel`]) moves a block of particles or chains and leaves the posterior invariant. An optimiser ([`optimise`]) moves a position
//! towards a lower loss. Both see a model as a [`LogDensity`](bayes_model::density::LogDensity) only, and neither knows a run. The engines
//! that call them are in `bayes-core`.

#![forbid(unsafe_code)]

pub mod kernel;
pub mod optimise;

use bayes_model::{autocorrelation, density, error, model, number, numeric, order, rng};
