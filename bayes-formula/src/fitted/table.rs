//! Expected responses in numbers: as text, and as comma-separated values.

use super::Fitted;
use crate::text;
use bayes::Error;
use bayes::diagnose::Estimate;
use serde::Serialize;
use std::fmt;

/// Probabilities of the quantiles.
const QUANTILES: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];

/// Expected responses, a line for each row, and for each grade of an ordered response.
#[derive(Clone, Debug, Serialize)]
pub struct FittedTable {
    /// In the order of the table.
    pub rows: Vec<FittedRow>,
}

/// The expected response of one row of a table.
#[derive(Clone, Debug, Serialize)]
pub struct FittedRow {
    /// The number of the row, from 0.
    pub row: usize,
    /// The grade whose probability this is, from 1; `None` for other families, and for the linear predictor.
    pub grade: Option<usize>,
    /// The mean of the draws, with its Monte Carlo standard error.
    pub mean: Estimate,
    /// The standard deviation of the draws.
    pub sd: f64,
    /// The quantiles 5%, 25%, 50%, 75% and 95%.
    pub quantiles: [f64; 5],
}

impl Fitted<'_> {
    /// Mean, standard deviation and quantiles of each row.
    ///
    /// # Errors
    /// As [`draws`](Self::draws).
    pub fn table(&self) -> Result<FittedTable, Error> {
        let draws = self.draws()?;
        let moments = self.run.moments_of(&draws)?;
        let quantiles = QUANTILES.map(|probability| draws.quantile(probability));
        let [q5, q25, q50, q75, q95] = quantiles;
        let quantiles = [q5?, q25?, q50?, q75?, q95?];
        let outcomes = self.outcomes();
        let row = |(k, (mean, sd))| FittedRow {
            row: k / outcomes,
            grade: (outcomes > 1).then_some(k % outcomes + 1),
            mean,
            sd,
            quantiles: quantiles.each_ref().map(|all| all[k]),
        };
        Ok(FittedTable {
            rows: moments.into_iter().enumerate().map(row).collect(),
        })
    }
}

impl FittedTable {
    /// As comma-separated values with a header: `row,mean,mcse,sd,q5,q25,q50,q75,q95`, with a column `grade` for an ordered response.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let has_grades = self.rows.iter().any(|row| row.grade.is_some());
        let grade = if has_grades { ",grade" } else { "" };
        let mut text = format!("row{grade},mean,mcse,sd,q5,q25,q50,q75,q95\n");
        for row in &self.rows {
            text += &row.row.to_string();
            if let Some(grade) = row.grade {
                text += &format!(",{grade}");
            }
            for number in row.numbers() {
                text += &format!(",{number}");
            }
            text.push('\n');
        }
        text
    }
}

impl FittedRow {
    /// Mean, its error, standard deviation and quantiles.
    fn numbers(&self) -> impl Iterator<Item = f64> {
        [self.mean.mean, self.mean.se, self.sd]
            .into_iter()
            .chain(self.quantiles)
    }
}

/// As a table in text, without the middle of a long one.
impl fmt::Display for FittedTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_grades = self.rows.iter().any(|row| row.grade.is_some());
        let mut header = vec!["row"];
        header.extend(has_grades.then_some("grade"));
        header.extend(["mean", "mcse", "sd", "5%", "25%", "50%", "75%", "95%"]);
        let row = |row: &FittedRow| {
            let mut cells = vec![row.row.to_string()];
            cells.extend(row.grade.map(|grade| grade.to_string()));
            cells.extend(row.numbers().map(|number| text::number(number, row.sd)));
            cells
        };
        let rows: Vec<Vec<String>> = self.rows.iter().map(row).collect();
        text::write(f, &header, &rows, 0)
    }
}
