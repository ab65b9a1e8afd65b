//! The summary of a run: one row for each element of each quantity.

use super::table;
use crate::diagnose::{ColumnDiagnostics, Estimator};
use crate::run::Run;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Posterior summaries of all elements, in the order of the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// One row for each element.
    pub rows: Vec<SummaryRow>,
}

/// The summary of one element; NaN if a statistic cannot be estimated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SummaryRow {
    /// The element: `mu`, `beta[3]`, `w[2,0]`.
    pub name: String,
    /// Posterior mean.
    pub mean: f64,
    /// Monte Carlo standard error of the mean.
    pub mcse: f64,
    /// Posterior standard deviation.
    pub sd: f64,
    /// The 5% quantile.
    pub q5: f64,
    /// The median.
    pub q50: f64,
    /// The 95% quantile.
    pub q95: f64,
    /// Effective sample size of the bulk.
    pub ess_bulk: f64,
    /// Effective sample size of the tails.
    pub ess_tail: f64,
    /// Rank-normalised R-hat, over split chains or over islands.
    pub r_hat: f64,
}

impl Run {
    /// The summary of all elements; printing it shows every row.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let names = self.layout.element_names();
        let estimator = Estimator::of(self);
        let row = |(element, name)| SummaryRow::of(&estimator, name, &self.column(element));
        Summary {
            rows: names.into_par_iter().enumerate().map(row).collect(),
        }
    }
}

impl SummaryRow {
    fn of(estimator: &Estimator<'_>, name: String, column: &[Vec<f64>]) -> Self {
        let estimate = estimator.mean(column);
        let [q5, q50, q95] = estimator.quantiles(column, [0.05, 0.5, 0.95]);
        let diagnostics = ColumnDiagnostics::of(estimator, name, column);
        Self {
            name: diagnostics.name,
            mean: estimate.mean,
            mcse: estimate.se,
            sd: estimator.variance(column).sqrt(),
            q5,
            q50,
            q95,
            ess_bulk: diagnostics.ess_bulk,
            ess_tail: diagnostics.ess_tail,
            r_hat: diagnostics.r_hat,
        }
    }
}

impl Summary {
    /// The row of an element, by its full name (`beta[3]`).
    #[must_use]
    pub fn row(&self, name: &str) -> Option<&SummaryRow> {
        self.rows.iter().find(|row| row.name == name)
    }

    /// The diagnostics that the rules for warnings use.
    pub(super) fn diagnostics(&self) -> Vec<ColumnDiagnostics> {
        let of = |row: &SummaryRow| ColumnDiagnostics {
            name: row.name.clone(),
            ess_bulk: row.ess_bulk,
            ess_tail: row.ess_tail,
            r_hat: row.r_hat,
        };
        self.rows.iter().map(of).collect()
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows: Vec<_> = self.rows.iter().map(table::Line::Row).collect();
        table::write(f, &rows)
    }
}
