//! Bayesian models as annotated Rust functions.
//!
//! Write a model as a function with [`#[model]`](model), call it with data, and run an engine on it:
//!
//! ```
//! use bayes::prelude::*;
//!
//! #[model]
//! fn eight_schools(y: &[f64], sigma: &[f64]) {
//!     let mu = sample(Normal::new(0.0, 5.0));
//!     let tau = sample(HalfCauchy::new(5.0));
//!     let z = sample(Normal::new(0.0, 1.0).iid(y.len()));
//!     for j in 0..y.len() {
//!         let theta = mu + tau * z[j];
//!         observe(y[j], Normal::new(theta, sigma[j]));
//!     }
//! }
//!
//! let y = [28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0];
//! let sigma = [15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0];
//! let run = Inference::psmc().islands(2).particles(64).seed(1).run(&eight_schools(&y, &sigma))?;
//! assert_eq!(run.model, "eight_schools");
//! # Ok::<(), bayes::Error>(())
//! ```

// `#[model]` writes paths from `::bayes`, also inside this package.
extern crate self as bayes;

#[doc = include_str!("model.md")]
pub use bayes_macros::model;

/// The trait that `#[model]` implements, and the interpreters that run a model's program.
pub use bayes_core::model;
pub use bayes_core::run::{DrawView, Run};
pub use bayes_core::{
    Error, density, diagnose, dist, engine, inspect, kernel, nn, numeric, observe, report, rng,
    run, sbc, transform,
};
pub use {bayes_autodiff as autodiff, nalgebra};

/// Everything that a model and its inference need.
pub mod prelude {
    pub use crate::model;
    pub use bayes_autodiff::simd::InstructionSet;
    pub use bayes_autodiff::{Matrix, Mode, Real, Vector, dot, log_sum_exp};
    pub use bayes_core::density::GradientMode;
    pub use bayes_core::dist::families::*;
    pub use bayes_core::dist::{
        Censored, Cumulative, Distribution, IntervalCensored, LogDensity, Matern12, Matern32,
        Matern52, SquaredExponential, Truncated,
    };
    pub use bayes_core::engine::{Inference, Mutations, Resampling, Schedule};
    pub use bayes_core::inspect::{Check, Inspect};
    pub use bayes_core::kernel::Mass;
    pub use bayes_core::kernel::all::*;
    pub use bayes_core::model::{Differentiable, GaussianReference, Model};
    pub use bayes_core::run::{DrawView, Run, Weighting};
    pub use bayes_core::sbc::{SimulatedData, sbc};
    pub use nalgebra::{DMatrix, DVector};
}

/// The examples of the guide to model comparison, which compile and run as tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/model_comparison.md")]
mod model_comparison {}

/// What `#[model]` writes refers to; not for users, and not kept stable.
#[doc(hidden)]
pub mod __private {
    pub use bayes_autodiff::{Matrix, Mode, Real, Vector};
    pub use bayes_core::model::{
        Checked, DataArgument, Differentiable, GaussianReference, Interpreter, Known, Model,
        Statement, StatementKind, Unchecked, Unknown, describe, site,
    };
}
