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
            ess_bulk: estimator.effective_size(&normal_scores(values)),
            ess_tail: ess::lesser(
                estimator.effective_size(&low),
                estimator.effective_size(&high),
            ),
            r_hat,
        }
    }
}
