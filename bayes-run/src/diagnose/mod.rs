//! Diagnostics: standard errors, effective sample sizes, R-hat, and warnings.
//!
//! The statistics themselves ([`rhat`], [`ess`], ...) work on plain columns, one vector per chain or
//! island; methods on [`Run`](crate::run::Run) apply them by name.

mod check;
mod columns;
mod control;
mod divergent_places;
pub mod ess;
mod ess_profile;
mod estimate;
mod estimator;
mod evidence;
mod expectation;
mod failures;
mod gains;
mod genealogy;
mod importance;
mod islands;
mod joined_evidence;
mod likelihood_memory;
pub(crate) mod lineages;
pub(crate) mod local_evidence;
mod log_normal;
mod mean_evidence;
mod moments;
pub(crate) mod pareto;
mod probability;
mod psis;
mod rank;
#[cfg(test)]
mod references;
pub mod rhat;
pub mod student;
#[cfg(test)]
mod toy;
pub mod warning;
pub(crate) mod wrapped;

pub(crate) use columns::{ColumnDiagnostics, superchains};
pub use divergent_places::{DivergentPlace, DivergentPlaces};
pub use estimate::Estimate;
pub(crate) use estimator::Estimator;
pub use failures::{Failure, FailureKind, Failures};
pub use probability::{Probability, Unseen};
pub use psis::{Psis, psis};
pub(crate) use psis::{Smoothed, range, widening};
pub(crate) use rank::weighted_quantiles;
pub use warning::Warning;
pub(crate) use warning::is_harmless;
