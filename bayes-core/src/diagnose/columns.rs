//! The diagnostics of one column of draws: effective sample sizes and R-hat, for chains and for islands.

use super::estimator::Estimator;
use super::rank::normal_scores;
use super::{ess, rhat};
use crate::run::Run;
use rayon::prelude::*;

/// Effective sample sizes and R-hat of one element; NaN if they cannot be estimated.
#[derive(Clone, Debug)]
pub(crate) struct ColumnDiagnostics {
    pub(crate) name: String,
    pub(crate) ess_bulk: f64,
    pub(crate) ess_tail: f64,
    pub(crate) r_hat: f64,
}

impl ColumnDiagnostics {
    /// The diagnostics of all elements, in the order of a draw.
    pub(crate) fn of_run(run: &Run) -> Vec<Self> {
        let names = run.layout.element_names();
        let estimator = Estimator::of(run);
        let of = |(element, name)| Self::of(&estimator, name, &run.column(element));
        names.into_par_iter().enumerate().map(of).collect()
    }

    /// The diagnostics of `values`, one for each draw, group by group.
    fn of(estimator: &Estimator<'_>, name: String, values: &[Vec<f64>]) -> Self {
        let [low, high] = ess::tail_indicators(values);
        let r_hat = if estimator.is_weighted() {
            // draws of one group that weigh differently have no ranks among each other
            f64::NAN
        } else if estimator.run().is_chains() {
            rhat::chains(values)
        } else {
            rhat::islands(values)
        };
        Self {
            name,
            ess_bulk: effective_size(estimator, &normal_scores(values)),
            ess_tail: ess::lesser(
                effective_size(estimator, &low),
                effective_size(estimator, &high),
            ),
            r_hat,
        }
    }
}

/// The number of independent draws that would give the same standard error: `variance / se²`.
///
/// For chains this is the usual ESS, from which their standard error is computed. For islands it includes
/// the effect of resampling, moves and weights. At most S log₁₀ S, as in Stan.
fn effective_size(estimator: &Estimator<'_>, values: &[Vec<f64>]) -> f64 {
    let variance = estimator.variance(values);
    let se = estimator.mean(values).se;
    let draws = estimator.run().total_draws() as f64;
    let size = variance / (se * se);
    if variance > 0.0 && !size.is_nan() {
        size.min(draws * draws.log10())
    } else {
        f64::NAN
    }
}
