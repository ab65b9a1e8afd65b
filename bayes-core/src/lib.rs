//! The core of `bayes`: kernels, engines and results.
//!
//! Data flows one way. [`model`], [`dist`] and [`density`] come from the crate `bayes-model` and are exported here too. Then, module by
//! module: [`kernel`] (how a block moves), [`engine`] (SMC, pSMC, chains), [`run`] (draws, evidence, history), [`diagnose`] and
//! [`report`]. [`inspect`] evaluates and checks a model without a run, [`sbc`] calibrates an engine on simulated data.

#![forbid(unsafe_code)]

pub mod comparison;
pub mod diagnose;
pub mod engine;
#[doc(hidden)]
pub mod graph;
pub mod inspect;
pub mod kernel;
pub mod metrics;
#[cfg(test)]
mod module_order;
pub mod observe;
pub mod optimise;
pub mod predict;
pub mod report;
pub mod run;
pub mod sbc;
pub mod sensitivity;
pub mod until;

#[doc(hidden)]
pub use bayes_model::edit_distance;
#[cfg(feature = "networks")]
pub use bayes_model::nn;
pub use bayes_model::{
    CombineError, Error, FormulaError, density, dist, model, numeric, rng, transform,
};
use bayes_model::{codec, error, file, number, parallel, text};

/// What other crates of this workspace use, and users do not: not kept stable.
#[doc(hidden)]
pub mod internal {
    pub use crate::model::fingerprint::Fingerprint;
    pub use crate::run::{PARTS, add_gains};

    pub mod parallel {
        pub use crate::parallel::{map, try_map};
    }
}
