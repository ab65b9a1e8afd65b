//! The summary of a run: one row for each element of each quantity.

use super::histogram::Histogram;
use crate::diagnose::{ColumnDiagnostics, Estimate, Estimator, Warning, rhat};
use crate::parallel;
use crate::run::{Run, RunError};
use crate::text::table::{self, Line};
use crate::text::{Style, quantity, whole};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// Posterior summaries of all elements, in the order of the model; `{summary:#}` prints a small histogram beside each name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// One row for each element.
    pub rows: Vec<SummaryRow>,
}

/// The inputs of the statistics of an element.
struct Element<'a> {
    estimator: &'a Estimator<'a>,
    /// The draws, group by group.
    values: &'a [Vec<f64>],
    mean: Estimate,
    /// The quantiles of 5%, 50% and 95%, and of 1% and 99%, which share a sort.
    quantiles: [f64; 5],
    histogram: Histogram,
    diagnostics: &'a ColumnDiagnostics,
}

/// The number of digits of a printed statistic.
#[derive(Clone, Copy)]
enum Digits {
    /// The digits that the standard error of the mean justifies.
    OfError,
    /// Three decimals; a value so large that its size says nothing is written as `> 1000`.
    RHat,
    /// No digits after the decimal point.
    Whole,
}

/// `field "header" digits = |element| value;`: the columns of the summary, from left to right.
macro_rules! columns {
    ($(#[doc = $doc:literal] $field:ident $header:literal $digits:expr, |$element:ident| $value:expr;)*) => {
        /// The summary of one element; NaN if a statistic cannot be estimated.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        pub struct SummaryRow {
            /// The element: `mu`, `beta[3]`, `w[2,0]`.
            pub name: String,
            $(#[doc = $doc] pub $field: f64,)*
            /// Shown by `{:#}`.
            #[serde(skip)]
            histogram: Histogram,
        }

        const HEADER: &[&str] = &["", $($header),*];

        impl SummaryRow {
            fn of(element: &Element<'_>) -> Self {
                Self {
                    name: element.diagnostics.name.clone(),
                    $($field: { let $element = element; $value },)*
                    histogram: element.histogram,
                }
            }

            /// The statistics in the order of the header.
            fn statistics(&self) -> impl Iterator<Item = (Digits, f64)> {
                [$(($digits, self.$field)),*].into_iter()
            }
        }
    };
}

// A further statistic is a line here; if it takes more than a line to compute, its function is a file of `diagnose`.
columns! {
    /// Posterior mean.
    mean "mean" Digits::OfError, |element| element.mean.mean;
    /// Monte Carlo standard error of the mean.
    mcse "mcse" Digits::OfError, |element| element.mean.se;
    /// Posterior standard deviation.
    sd "sd" Digits::OfError, |element| element.estimator.spread(element.values);
    /// The 5% quantile.
    q5 "5%" Digits::OfError, |element| element.quantiles[0];
    /// The median.
    q50 "50%" Digits::OfError, |element| element.quantiles[1];
    /// The 95% quantile.
    q95 "95%" Digits::OfError, |element| element.quantiles[2];
    /// Effective sample size of the bulk.
    ess_bulk "ess_bulk" Digits::Whole, |element| element.diagnostics.ess_bulk;
    /// Effective sample size of the tails.
    ess_tail "ess_tail" Digits::Whole, |element| element.diagnostics.ess_tail;
    /// Rank-normalised R-hat, over split chains or over islands; nested if chains started together.
    r_hat "r_hat" Digits::RHat, |element| element.diagnostics.r_hat;
}

impl Run {
    /// The summary of all elements; printing it shows every row.
    #[must_use]
    pub fn summary(&self) -> Summary {
        Summary::of(self, &ColumnDiagnostics::of_run(self))
    }

    /// [`Run::summary`] and [`Run::warnings`] in the time of one of them: both need the diagnostics of every element, which take nearly
    /// all the time.
    #[must_use]
    pub fn summary_and_warnings(&self) -> (Summary, Vec<Warning>) {
        let diagnostics = ColumnDiagnostics::of_run(self);
        let warnings = Warning::all_of(self, &diagnostics);
        (Summary::of(self, &diagnostics), warnings)
    }
}

impl Summary {
    /// The summary of a run whose elements have been diagnosed.
    pub(super) fn of(run: &Run, diagnostics: &[ColumnDiagnostics]) -> Self {
        let estimator = Estimator::of(run);
        let weights = run.draw_weights();
        let row = |(element, diagnostics): (usize, &ColumnDiagnostics)| {
            let values = run.column(element);
            let quantiles = estimator.quantiles(&values, [0.05, 0.5, 0.95, 0.01, 0.99]);
            let bounds = [quantiles[3], quantiles[4]];
            SummaryRow::of(&Element {
                estimator: &estimator,
                mean: estimator.mean(&values),
                histogram: Histogram::of(values.iter().flatten(), &weights, bounds),
                quantiles,
                values: &values,
                diagnostics,
            })
        };
        Self {
            rows: parallel::map(diagnostics.iter().enumerate(), row),
        }
    }

    /// The row of an element, by its full name (`beta[3]`).
    #[must_use]
    pub fn row(&self, name: &str) -> Option<&SummaryRow> {
        self.rows.iter().find(|row| row.name == name)
    }

    /// The rows of these quantities (`beta`) and elements (`beta[3]`, `theta[Choate]`), in the order of `names`.
    ///
    /// # Errors
    /// [`RunError::UnknownName`] for a name that is neither a quantity nor an element, with the names that exist.
    pub fn only<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<Self, RunError> {
        let mut rows = Vec::new();
        for name in names {
            rows.extend(self.named(name)?.into_iter().cloned());
        }
        Ok(Self { rows })
    }

    /// All rows except for these quantities (`beta`) and elements (`beta[3]`, `theta[Choate]`), such as the standardised effects of a
    /// hierarchy.
    ///
    /// # Errors
    /// The errors of [`only`](Self::only).
    pub fn except<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<Self, RunError> {
        let mut hidden = BTreeSet::new();
        for name in names {
            hidden.extend(self.named(name)?.into_iter().map(|row| row.name.as_str()));
        }
        let shown = |row: &&SummaryRow| !hidden.contains(row.name.as_str());
        Ok(Self {
            rows: self.rows.iter().filter(shown).cloned().collect(),
        })
    }

    /// The rows of a quantity or an element.
    fn named(&self, name: &str) -> Result<Vec<&SummaryRow>, RunError> {
        let found: Vec<_> = self.rows.iter().filter(|row| row.is_of(name)).collect();
        if found.is_empty() {
            let quantities = self.rows.iter().map(|row| row.quantity().to_owned());
            let mut quantities: Vec<String> = quantities.collect();
            quantities.dedup();
            return Err(RunError::unknown_name(name, quantities));
        }
        Ok(found)
    }

    /// Writes the header and `lines` as a table.
    pub(super) fn write(f: &mut fmt::Formatter<'_>, lines: &[Line]) -> fmt::Result {
        let mut header = HEADER.to_vec();
        if f.alternate() {
            header.insert(1, "");
        }
        table::write(f, &header, lines)
    }
}

impl SummaryRow {
    /// The quantity to which the element belongs.
    fn quantity(&self) -> &str {
        quantity(&self.name)
    }

    pub(super) fn is_of(&self, name: &str) -> bool {
        self.name == name || self.quantity() == name
    }

    /// The names of the statistics, in the order of [`SummaryRow::values`].
    #[must_use]
    pub fn header() -> &'static [&'static str] {
        &HEADER[1..]
    }

    /// The statistics, in the order of [`SummaryRow::header`].
    #[must_use]
    pub fn values(&self) -> Vec<f64> {
        self.statistics().map(|(_, value)| value).collect()
    }

    /// The name and the statistics as printed, with the digits that the Monte Carlo error justifies.
    #[must_use]
    pub fn cells(&self) -> Vec<String> {
        let of_error = self.statistics().filter_map(|(digits, value)| {
            (matches!(digits, Digits::OfError) && value.is_finite()).then_some(value.abs())
        });
        let largest = of_error.fold(0.0, f64::max);
        // Digits beyond a thousandth of the sd are not printed, however small the error.
        let style = Style::for_error(self.mcse.max(1e-3 * self.sd), largest);
        let cell = |(digits, value)| match digits {
            Digits::OfError => style.write(value),
            Digits::RHat if value > rhat::LARGEST => format!("> {}", rhat::LARGEST),
            Digits::RHat => Style::Fixed(3).write(value),
            Digits::Whole => whole(value),
        };
        let cells = std::iter::once(self.name.clone()).chain(self.statistics().map(cell));
        cells.collect()
    }

    /// The row as a line of the table, with a histogram on request.
    pub(super) fn line(&self, with_histogram: bool) -> Line {
        let mut cells = self.cells();
        if with_histogram {
            cells.insert(1, self.histogram.to_string());
        }
        Line::Cells(cells)
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |row: &SummaryRow| row.line(f.alternate());
        let lines: Vec<Line> = self.rows.iter().map(line).collect();
        Self::write(f, &lines)
    }
}

#[cfg(test)]
mod tests {
    use crate::run::example::chains;

    #[test]
    fn rows_are_chosen_by_quantity_and_by_element() {
        let summary = chains(2, 50).summary();
        let names = |chosen: &[&str]| {
            let chosen = summary.only(chosen.iter().copied()).expect("known names");
            let names = chosen.rows.into_iter().map(|row| row.name);
            names.collect::<Vec<_>>()
        };
        assert_eq!(names(&["beta"]), ["beta[0]", "beta[1]"]);
        assert_eq!(names(&["beta[1]", "mu"]), ["beta[1]", "mu"]);
        let wanted =
            "no quantity is called `betta`, did you mean `beta`?; the model has `mu`, `beta`";
        let error = summary.only(["mu", "betta"]).expect_err("no betta");
        assert_eq!(error.to_string(), wanted);
        let error = summary.except(["mu", "betta"]).expect_err("no betta");
        assert_eq!(error.to_string(), wanted);
    }

    #[test]
    fn rows_are_left_out_by_quantity_and_by_element() {
        let summary = chains(2, 50).summary();
        let left = |names: &[&str]| {
            let left = summary.except(names.iter().copied()).expect("known names");
            left.rows
                .into_iter()
                .map(|row| row.name)
                .collect::<Vec<_>>()
        };
        assert_eq!(left(&["beta"]), ["mu"]);
        assert_eq!(left(&["beta[0]"]), ["mu", "beta[1]"]);
        assert_eq!(left(&[]), ["mu", "beta[0]", "beta[1]"]);
        assert!(left(&["beta", "mu"]).is_empty());
    }
}
