//! Comparison of models by their predictions: leave-one-out cross-validation, WAIC, k-fold cross-validation, weights of models.
//!
//! All methods estimate the expected log predictive density of new data (elpd): the sum over observations of the log density that a
//! model gives to an observation that it has not seen. Higher is better. [`Run::loo`](crate::run::Run::loo) needs no refitting: it
//! uses Pareto smoothed importance sampling (PSIS), and k-hat shows where that fails. [`Elpd::refit`] and [`k_fold`] refit.
//! [`compare`] makes one table, with Bayes factors where the runs have an evidence. [`choose`] takes the setting that predicts
//! held-out data best. [`CheckedEvidence`] is one log evidence from two samplers.
//!
//! Values equal ArviZ 0.23 for chains. Weighted draws, as from SMC, keep their weights: the importance ratio of a draw is `wₛ / p(yᵢ
//! | θₛ)`, and this ratio is smoothed.

mod bridge;
mod choose;
mod compare;
mod elpd;
mod evidence;
mod k_fold;
mod loo;
mod pit;
mod record;
mod refit;
mod save;
mod support;
mod terms;
#[cfg(test)]
mod tests;
mod waic;
mod weights;

pub use crate::diagnose::{Psis, psis};
pub use crate::error::ComparisonError;
pub use choose::{Chosen, choose};
pub use compare::{Comparison, ComparisonRow, compare};
pub use elpd::{Elpd, Method};
pub use evidence::{CheckedEvidence, Verdict};
pub use k_fold::k_fold;
pub(crate) use loo::fingerprint;
pub use weights::{pseudo_bma, pseudo_bma_plus, stacking};
