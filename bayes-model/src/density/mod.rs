//! Densities for kernels and engines: a log density on R^d, split into prior and likelihood.
//!
//! [`LogDensity`] is the only interface between models and samplers. [`Posterior`] implements it for a model; a hand-written
//! density implements it directly; a decorator wraps a density and changes some methods.

mod agreement;
mod anchored;
mod arithmetic;
mod at_params;
mod batches;
mod counts;
mod description;
mod difference;
#[doc(hidden)]
pub mod equations;
mod gradient_fault;
mod hessian;
#[doc(hidden)]
pub mod jumps;
mod log_density;
#[doc(hidden)]
pub mod no_trace;
#[doc(hidden)]
pub mod occurrence;
mod on_subset;
mod outputs;
mod own_calls;
mod panics;
mod particles;
mod posterior;
mod prior;
mod prior_check;
mod products;
mod reference;
mod rounded_prior;
mod slope;
mod subposterior;
mod subset_trace;
mod sum_terms;
mod target;
mod trace_size;
mod tracing;

pub use crate::model::equations::UNSOLVED;
pub use anchored::Anchored;
pub use arithmetic::{Arithmetic, ArithmeticSettings, GradientMode};
pub use at_params::AtParams;
#[doc(hidden)]
pub use at_params::part_of_layout;
pub use batches::Batches;
pub use counts::{Counts, NonFinite};
pub use description::{Description, Quantities, Unnamed};
#[doc(hidden)]
pub use difference::hessian_by;
pub use equations::{Equations, Solutions};
pub use gradient_fault::GradientFault;
pub use hessian::hessian;
pub use log_density::{BLOCK_SIZE, LogDensity};
pub use occurrence::Occurrence;
#[doc(hidden)]
pub use own_calls::own_calls;
pub use panics::Panics;
#[doc(hidden)]
pub use panics::caught;
pub use particles::{Block, Particles, weighted};
pub use posterior::Posterior;
pub use prior::Prior;
#[doc(hidden)]
pub use prior::is_lost;
pub use products::Product;
pub use reference::Reference;
#[doc(hidden)]
pub use reference::{BlockFactor, ReferenceBlock};
#[doc(hidden)]
pub use rounded_prior::NEGLIGIBLE_ROUNDING;
pub use rounded_prior::RoundedPrior;
#[doc(hidden)]
pub use slope::Line;
pub use subposterior::Subposterior;
pub use subset_trace::SubsetTrace;
#[doc(hidden)]
pub use sum_terms::SumTerms;
pub use target::Target;
pub use trace_size::TraceSize;
