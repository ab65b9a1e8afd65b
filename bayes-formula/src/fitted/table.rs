//! Expected responses in numbers: as text, and as comma-separated values.

use super::Fitted;
use crate::summary::{HEADER, NAMES, Summary, summaries};
use crate::text;
use bayes::Error;
use serde_json::{Value, json};
use std::fmt;

/// Expected responses, a line for each row, and for each grade of an ordered response.
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
    /// The grade whose probability this is, from 1; `None` for other families, and for the linear predictor.
    pub grade: Option<usize>,
    /// The expected response.
    pub summary: Summary,
}

impl Fitted<'_> {
    /// Mean, standard deviation and quantiles of each row.
    ///
    /// # Errors
    /// As [`draws`](Self::draws).
    pub fn table(&self) -> Result<FittedTable, Error> {
        let outcomes = self.outcomes();
        let row = |(k, summary)| FittedRow {
            row: k / outcomes,
            grade: (outcomes > 1).then_some(k % outcomes + 1),
            summary,
        };
        let summaries = summaries(self.run, &self.draws()?)?.into_iter();
        Ok(FittedTable {
            rows: summaries.enumerate().map(row).collect(),
        })
    }
}

impl FittedTable {
    /// As comma-separated values with a header: `row,mean,mcse,sd,q5,q25,q50,q75,q95`, with a column `grade` for an ordered response.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let grade = if self.has_grades() { ",grade" } else { "" };
        let mut text = format!("row{grade},{}\n", NAMES.join(","));
        for FittedRow {
            row,
            grade,
            summary,
        } in &self.rows
        {
            let grade = grade.map_or_else(String::new, |grade| format!(",{grade}"));
            text += &format!("{row}{grade}{}\n", summary.csv());
        }
        text
    }

    /// As a JSON array of objects: `row`, `grade` for an ordered response, and the numbers.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let row = |row: &FittedRow| {
            let mut object = row.summary.json();
            object.insert("row".to_owned(), json!(row.row));
            object.extend(row.grade.map(|grade| ("grade".to_owned(), json!(grade))));
            Value::Object(object)
        };
        self.rows.iter().map(row).collect()
    }

    fn has_grades(&self) -> bool {
        self.rows.iter().any(|row| row.grade.is_some())
    }
}

/// As a text table, without the middle of a long one.
impl fmt::Display for FittedTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut header = vec!["row"];
        header.extend(self.has_grades().then_some("grade"));
        header.extend(HEADER);
        let row = |row: &FittedRow| {
            let mut cells = vec![row.row.to_string()];
            cells.extend(row.grade.map(|grade| grade.to_string()));
            cells.extend(row.summary.cells());
            cells
        };
        let rows: Vec<Vec<String>> = self.rows.iter().map(row).collect();
        text::write(f, &header, &rows, 0)
    }
}
