//! Expected responses in numbers: as text, and as comma-separated values.

use super::Fitted;
use crate::angles::around_mean;
use crate::family::Family;
use crate::outcome;
use crate::summary::{HEADER, NAMES, Summary, summaries};
use crate::text;
use bayes::Error;
use serde_json::{Value, json};
use std::fmt;

/// Expected responses, a line for each row, and for each grade or label of a response.
#[derive(Clone, Debug)]
pub struct FittedTable {
    /// The rows in the order of the table.
    pub rows: Vec<FittedRow>,
}

/// The expected response of one row of a table.
#[derive(Clone, Debug)]
pub struct FittedRow {
    /// The number of the row, from 0.
    pub row: usize,
    /// The grade whose probability this is, or the number of the label, from 1; `None` for other families, and for the linear predictor of
    /// grades.
    pub grade: Option<usize>,
    /// The label that `grade` is the number of, for a categorical response.
    pub label: Option<String>,
    /// The expected response.
    pub summary: Summary,
}

impl Fitted<'_> {
    /// Mean, standard deviation and quantiles of each row. Directions of `von-mises` are counted from their mean direction, which lies from -π
    /// to π, so that quantiles may lie beyond ±π.
    ///
    /// # Errors
    /// As [`draws`](Self::draws).
    pub fn table(&self) -> Result<FittedTable, Error> {
        let outcomes = self.outcomes();
        let labels = self.labels();
        let row = |(k, summary)| FittedRow {
            row: k / outcomes,
            grade: outcome::number(labels, k, outcomes),
            label: outcome::label(labels, k),
            summary,
        };
        let draws = self.draws()?;
        let is_direction = !self.is_linear && self.regression.family() == Family::VonMises;
        let draws = match is_direction {
            true => around_mean(draws),
            false => draws,
        };
        let summaries = summaries(self.run, &draws)?.into_iter();
        Ok(FittedTable {
            rows: summaries.enumerate().map(row).collect(),
        })
    }
}

impl FittedTable {
    /// As comma-separated values with a header: `row,mean,mcse,sd,q5,q25,q50,q75,q95`, with a column `grade` for an ordered response
    /// and `label` for a categorical one.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut header = vec!["row"];
        header.extend(self.outcome());
        let mut all = format!("{},{}\n", header.join(","), NAMES.join(","));
        for row in &self.rows {
            let mut cells = vec![row.row.to_string()];
            cells.extend(row.outcome().map(|cell| text::field(&cell)));
            all += &format!("{}{}\n", cells.join(","), row.summary.csv());
        }
        all
    }

    /// As a JSON array of objects: `row`, `grade` for an ordered response, also `label` for a categorical one, and the numbers.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let row = |row: &FittedRow| {
            let mut object = row.summary.json();
            object.insert("row".to_owned(), json!(row.row));
            outcome::insert(&mut object, row.grade, row.label.as_ref());
            Value::Object(object)
        };
        self.rows.iter().map(row).collect()
    }

    /// The header of the column of grades or labels.
    fn outcome(&self) -> Option<&'static str> {
        let row = self.rows.first()?;
        outcome::header(row.grade, row.label.as_ref())
    }
}

impl FittedRow {
    fn outcome(&self) -> Option<String> {
        outcome::cell(self.grade, self.label.as_ref())
    }
}

/// As a text table, without the middle of a long one.
impl fmt::Display for FittedTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut header = vec!["row"];
        header.extend(self.outcome());
        header.extend(HEADER);
        let row = |row: &FittedRow| {
            let mut cells = vec![row.row.to_string()];
            cells.extend(row.outcome());
            cells.extend(row.summary.cells());
            cells
        };
        let rows: Vec<Vec<String>> = self.rows.iter().map(row).collect();
        text::write(f, &header, &rows, 0)
    }
}
