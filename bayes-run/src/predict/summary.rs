//! The summary of a prediction: one row for each element of each observed or generated quantity.

use super::{Prediction, Source, notes};
use crate::diagnose::{Estimate, Estimator, weighted_quantiles};
use crate::error::Error;
use crate::model::Wanted;
use crate::parallel;
use crate::run::{Run, RunError};
use crate::text::table::{self, Line};
use crate::text::{Style, quantity};
use serde::Serialize;
use std::fmt;

const HEADER: [&str; 8] = ["", "data", "mean", "mcse", "sd", "5%", "50%", "95%"];
/// The column of the data in a row.
const DATA: usize = 1;

/// The predictions of all elements, in the order of the model's statements, with `generate` last. Printing leaves out the middle of
/// quantities with many elements; `{summary:#}` shows every row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PredictiveSummary {
    /// One row for each element.
    pub rows: Vec<PredictiveRow>,
    /// The notes of [`Prediction::notes`], and notes on quantities with NaN draws.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The predictions of one element.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PredictiveRow {
    /// The element: `y[3]`, `y[Choate]`, `ninth`.
    pub name: String,
    /// The model's datum for the element; `None` for a quantity of `generate`, and for missing data.
    pub data: Option<f64>,
    /// The mean of the draws, with its Monte Carlo standard error.
    pub mean: Estimate,
    /// Standard deviation of the draws.
    pub sd: f64,
    /// The 5% quantile.
    pub q5: f64,
    /// The median.
    pub q50: f64,
    /// The 95% quantile.
    pub q95: f64,
}

impl Prediction<'_> {
    /// Mean, spread and quantiles of the predictions of every element, beside the model's data, if there are any. At most 1 GiB of draws are
    /// in memory at once, and no more than [`Run::memory_limit`] leaves; if there are more, the model is evaluated at all draws once for each
    /// part of the elements.
    ///
    /// ```text
    ///         data   mean   mcse      sd      5%    50%    95%
    /// y[A]  28.000  10.53   0.31   17.21  -16.58   9.60  40.12
    /// ninth          7.61   0.23    9.18   -5.20   7.08  21.62
    /// ```
    ///
    /// # Errors
    /// [`Error::Memory`] if the limit of the run leaves no memory for one element.
    pub fn summary(&self) -> Result<PredictiveSummary, Error> {
        let elements = self.elements();
        let spread = Spread::of(self.source);
        let draws = spread.weights.len();
        let each = (draws * size_of::<f64>()).max(1);
        let room = self.room_for(
            draws,
            elements.len(),
            each as u64,
            "the new data of an element",
        )?;
        let room = (room / each).max(1);
        let (mut rows, mut undrawn) = (Vec::with_capacity(elements.len()), Vec::new());
        for first in (0..elements.len()).step_by(room) {
            let some = &elements[first..elements.len().min(first + room)];
            let columns = self.columns(first, some.len(), draws);
            for ((name, _), column) in some.iter().zip(&columns) {
                let count = column.iter().filter(|value| value.is_nan()).count();
                undrawn.push((name.clone(), count));
            }
            let pairs = some.iter().zip(&columns);
            let row = |((name, data), column): (&(String, Option<f64>), &Vec<f64>)| {
                spread.row(name.clone(), *data, column)
            };
            rows.extend(parallel::map(pairs, row));
        }
        let mut notes = self.notes();
        notes.extend(notes::undrawn(&undrawn, draws));
        Ok(PredictiveSummary { rows, notes })
    }

    /// The draws of `count` elements from element `first` on, `[count][draws]`.
    fn columns(&self, first: usize, count: usize, draws: usize) -> Vec<Vec<f64>> {
        let wanted = Wanted {
            draws: true,
            ..Wanted::default()
        };
        let mut columns = vec![Vec::with_capacity(draws); count];
        self.visit(wanted, |_, found| {
            let values = found.iter().flat_map(|quantity| &quantity.draws);
            let pairs = columns.iter_mut().zip(values.skip(first));
            pairs.for_each(|(column, value)| column.push(*value));
        });
        columns
    }

    /// The name of every element, with the model's datum for it.
    fn elements(&self) -> Vec<(String, Option<f64>)> {
        let observed = self.observed.iter().flat_map(|observed| {
            let names = observed.element_names();
            let data = observed.data.iter().copied();
            names
                .into_iter()
                .zip(data.map(|y| Some(y).filter(|y| !y.is_nan())))
        });
        let generated = self.generated.iter().flat_map(|generated| {
            let names = generated.element_names();
            names.into_iter().map(|name| (name, None))
        });
        observed.chain(generated).collect()
    }
}

/// What the statistics of an element need from the source of the draws.
struct Spread<'a> {
    weights: Vec<f64>,
    groups: Vec<usize>,
    estimator: Option<Estimator<'a>>,
}

impl<'a> Spread<'a> {
    fn of(source: Source<'a>) -> Self {
        let run: Option<&'a Run> = match source {
            Source::Run(run) => Some(run),
            Source::Prior(_) => None,
        };
        Self {
            weights: source.weights(),
            groups: source.groups(),
            estimator: run.map(Estimator::of),
        }
    }

    fn row(&self, name: String, data: Option<f64>, column: &[f64]) -> PredictiveRow {
        let (mean, sd) = self.moments(column);
        let [q5, q50, q95] = weighted_quantiles(column, &self.weights, [0.05, 0.5, 0.95]);
        PredictiveRow {
            name,
            data,
            mean,
            sd,
            q5,
            q50,
            q95,
        }
    }

    /// The mean with its Monte Carlo error, and the standard deviation.
    fn moments(&self, column: &[f64]) -> (Estimate, f64) {
        if let Some(estimator) = &self.estimator {
            let mut rest = column;
            let mut group = |length: &usize| {
                let (group, others) = rest.split_at(*length);
                rest = others;
                group.to_vec()
            };
            let columns: Vec<Vec<f64>> = self.groups.iter().map(&mut group).collect();
            return (estimator.mean(&columns), estimator.spread(&columns));
        }
        // independent draws of the prior, with equal weights
        let n = column.len() as f64;
        let mean = column.iter().sum::<f64>() / n;
        let squares: f64 = column.iter().map(|value| (value - mean).powi(2)).sum();
        let sd = (squares / (n - 1.0)).sqrt();
        let mean = Estimate {
            mean,
            se: sd / n.sqrt(),
            degrees_of_freedom: n - 1.0,
        };
        (mean, sd)
    }
}

/// Prints the [`summary`](Prediction::summary), which is drawn at this moment, or why there is none.
impl fmt::Display for Prediction<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.summary() {
            // passes `#` on, if the format has it
            Ok(summary) => summary.fmt(f),
            Err(error) => write!(f, "no summary: {error}"),
        }
    }
}

impl PredictiveSummary {
    /// The row of an element, by its full name (`y[3]`).
    #[must_use]
    pub fn row(&self, name: &str) -> Option<&PredictiveRow> {
        self.rows.iter().find(|row| row.name == name)
    }

    /// The rows of these quantities (`y`) and elements (`y[3]`, `y[Choate]`), in the order of `names`.
    ///
    /// # Errors
    /// [`RunError::UnknownName`] for a name that is neither a quantity nor an element, with the names that exist.
    pub fn only<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<Self, RunError> {
        let mut rows = Vec::new();
        for name in names {
            let known = rows.len();
            let is_meant = |row: &&PredictiveRow| row.name == name || row.quantity() == name;
            rows.extend(self.rows.iter().filter(is_meant).cloned());
            if rows.len() == known {
                let quantities = self.rows.iter().map(|row| row.quantity().to_owned());
                let mut quantities: Vec<String> = quantities.collect();
                quantities.dedup();
                return Err(RunError::unknown_name(name, quantities));
            }
        }
        let notes = self.notes.clone();
        Ok(Self { rows, notes })
    }
}

impl PredictiveRow {
    /// The quantity to which the element belongs.
    fn quantity(&self) -> &str {
        quantity(&self.name)
    }

    fn cells(&self) -> Vec<String> {
        let statistics = [
            self.mean.mean,
            self.mean.se,
            self.sd,
            self.q5,
            self.q50,
            self.q95,
        ];
        let largest = statistics.into_iter().filter(|value| value.is_finite());
        let largest = largest.map(f64::abs).fold(0.0, f64::max);
        // Digits beyond a thousandth of the sd are not printed, however small the error.
        let style = Style::for_error(self.mean.se.max(1e-3 * self.sd), largest);
        let data = self.data.map_or(String::new(), |value| style.write(value));
        let cells = [self.name.clone(), data].into_iter();
        cells
            .chain(statistics.map(|value| style.write(value)))
            .collect()
    }
}

fn left_out(hidden: &[PredictiveRow]) -> String {
    let (first, last) = (&hidden[0].name, &hidden[hidden.len() - 1].name);
    let count = hidden.len();
    format!(
        "...  {first} to {last} ({count} rows) are left out; `{{summary:#}}` prints them all, `summary.rows` has them"
    )
}

impl fmt::Display for PredictiveSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_data = self.rows.iter().any(|row| row.data.is_some());
        let line = |row: &PredictiveRow| {
            let mut cells = row.cells();
            if !has_data {
                cells.remove(DATA);
            }
            Line::Cells(cells)
        };
        let mut header = HEADER.to_vec();
        if !has_data {
            header.remove(DATA);
        }
        let lines: Vec<Line> = match f.alternate() {
            true => self.rows.iter().map(line).collect(),
            false => {
                let quantities = self.rows.chunk_by(|a, b| a.quantity() == b.quantity());
                let lines = quantities.map(|rows| table::abbreviated(rows, line, left_out));
                lines.flatten().collect()
            }
        };
        table::write(f, &header, &lines)?;
        self.notes
            .iter()
            .try_for_each(|note| writeln!(f, "note: {note}."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary() -> PredictiveSummary {
        let estimate = Estimate {
            mean: 1.0,
            se: 0.1,
            degrees_of_freedom: 9.0,
        };
        let row = |name: String| PredictiveRow {
            name,
            data: None,
            mean: estimate,
            sd: 1.0,
            q5: -0.5,
            q50: 1.0,
            q95: 2.5,
        };
        let names = (0..40).map(|i| format!("y[{i}]"));
        PredictiveSummary {
            rows: names.chain(["ninth".to_owned()]).map(row).collect(),
            notes: vec!["a note".to_owned()],
        }
    }

    #[test]
    fn the_middle_of_a_long_quantity_is_left_out_unless_all_rows_are_wanted() {
        let summary = summary();
        let text = summary.to_string();
        let names: Vec<&str> = text
            .lines()
            .filter_map(|line| line.split_whitespace().next())
            .collect();
        let wanted = [
            "mean", "y[0]", "y[1]", "y[2]", "y[3]", "...", "y[36]", "y[37]", "y[38]", "y[39]",
            "ninth", "note:",
        ];
        assert_eq!(names, wanted, "{text}");
        assert!(
            text.contains("...  y[4] to y[35] (32 rows) are left out"),
            "{text}"
        );
        assert_eq!(format!("{summary:#}").lines().count(), 1 + 41 + 1);
    }

    #[test]
    fn rows_are_chosen_by_quantity_and_by_element() {
        let chosen = summary().only(["ninth", "y[12]"]).expect("known names");
        let names: Vec<&str> = chosen.rows.iter().map(|row| row.name.as_str()).collect();
        assert_eq!((names, chosen.notes.len()), (vec!["ninth", "y[12]"], 1));
        assert_eq!(summary().only(["y"]).expect("a known name").rows.len(), 40);
        let error = summary().only(["z"]).expect_err("no z").to_string();
        assert!(error.contains("no quantity is called `z`"), "{error}");
    }
}
