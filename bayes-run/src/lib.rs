//! The record of a run of `bayes` and the questions to it.
//!
//! Data flows one way, module by module: [`run`] (draws, evidence, history), [`diagnose`] (errors of estimates, warnings), then
//! [`metrics`], [`predict`], [`comparison`], [`report`] and [`sensitivity`]. The engines that make a run are in `bayes-core`.

#![forbid(unsafe_code)]

pub mod comparison;
pub mod diagnose;
#[doc(hidden)]
pub mod graph;
pub mod metrics;
pub mod predict;
pub mod report;
pub mod run;
pub mod sensitivity;

pub use bayes_model::Error;
use bayes_model::{
    autocorrelation, codec, density, dist, error, file, model, number, numeric, order, parallel,
    rng, text,
};
