//! The core of `bayes`: models, distributions, kernels, engines and results.
//!
//! Data flows one way, module by module: [`model`] (what `#[model]` implements, made of [`dist`] and
//! [`transform`]), [`density`] (blocks of particles in, log prior, log likelihood and gradient out),
//! [`kernel`] (how a block moves), [`engine`] (SMC, pSMC, chains), [`run`] (draws, evidence, history),
//! [`diagnose`] and [`report`]. [`inspect`] evaluates and checks a model without a run, [`sbc`] calibrates an
//! engine on simulated data.

#![forbid(unsafe_code)]

mod codec;
pub mod comparison;
pub mod density;
pub mod diagnose;
pub mod dist;
pub mod engine;
mod error;
mod file;
pub mod inspect;
pub mod kernel;
pub mod metrics;
pub mod model;
#[cfg(test)]
mod module_order;
#[cfg(feature = "networks")]
pub mod nn;
mod number;
pub mod numeric;
pub mod observe;
pub mod optimise;
mod parallel;
pub mod predict;
pub mod report;
pub mod rng;
pub mod run;
pub mod sbc;
pub mod sensitivity;
mod text;
pub mod transform;
pub mod until;

#[doc(hidden)]
pub use error::edit_distance;
pub use error::{CombineError, Error, FormulaError};

/// What other crates of this workspace use, and users do not: not kept stable.
#[doc(hidden)]
pub mod internal {
    pub use crate::model::fingerprint::Fingerprint;
    pub use crate::run::{PARTS, add_gains};

    pub mod parallel {
        pub use crate::parallel::{map, try_map};
    }
}
