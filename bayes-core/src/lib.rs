//! The core of `bayes`: engines.
//!
//! Data flows one way. [`model`], [`dist`] and [`density`] come from the crate `bayes-model`; [`kernel`] (how a block moves) and [`optimise`]
//! from `bayes-kernel`; [`run`] (draws, evidence, history), [`diagnose`] and [`report`] from `bayes-run`. All are exported here too. Then
//! [`engine`] (SMC, pSMC, chains) makes a run.

#![forbid(unsafe_code)]

pub mod engine;
#[cfg(test)]
mod module_order;
pub mod observe;
pub mod until;

pub use bayes_kernel::{kernel, optimise};
#[cfg(feature = "mpi")]
use bayes_model::codec;
#[doc(hidden)]
pub use bayes_model::edit_distance;
#[cfg(feature = "networks")]
pub use bayes_model::nn;
pub use bayes_model::{
    CombineError, Error, FormulaError, basis, density, dist, model, numeric, rng, transform,
};
use bayes_model::{error, file, number, order, parallel, text};
#[cfg(test)]
use bayes_run::run::example;
pub use bayes_run::{diagnose, metrics, predict, report, run, sensitivity};

/// Comparison of models, as in `bayes-run`, and one log evidence from two samplers.
pub mod comparison {
    pub use crate::engine::EvidenceByTwo;
    pub use bayes_run::comparison::*;
}

/// What other crates of this workspace use, and users do not: not kept stable.
#[doc(hidden)]
pub mod internal {
    pub use crate::model::fingerprint::Fingerprint;
    pub use crate::run::{PARTS, add_gains};

    pub mod parallel {
        pub use crate::parallel::{map, try_map};
    }
}
