//! What is asked of a model before its answers are trusted.
//!
//! [`inspect`] evaluates and checks a model without a run, [`sbc`] calibrates an engine on simulated data. Users depend on the package `bayes`,
//! which re-exports these modules.

#![forbid(unsafe_code)]

pub mod inspect;
pub mod sbc;

use bayes_core::{density, engine, model, observe, predict, rng, run};
use bayes_model::{error, parallel, text};
use bayes_run::graph;
