//! Bayesian R², and R² of left-out rows.

mod left_out;

pub use left_out::LeftOutR2;

use crate::effects::grid::wrong;
use crate::family::Family;
use crate::moments::At;
use crate::regression::Regression;
use crate::summary::{HEADER, Summary, summaries};
use crate::text;
use bayes::Error;
use bayes::prelude::*;
use bayes::run::Draws;
use serde_json::{Value, json};
use std::fmt;

/// The share of the variance of a response that a regression explains, from [`Regression::r2`].
#[derive(Clone, Debug)]
pub struct R2 {
    /// The posterior of R².
    pub summary: Summary,
    /// The number of draws.
    pub draws: usize,
    /// The number of draws at which the response has an infinite variance, such as Student's t with `nu` of at most 2: R² is 0 there.
    pub infinite: usize,
}

impl Regression {
    /// Bayesian R² (Gelman, Goodrich, Gabry & Vehtari 2019): at each draw `v / (v + r)`, where `v` is the variance of the expected
    /// responses over the rows of the table, and `r` the mean variance of a response given its row. Effects of groups count as explained.
    /// Responses of binomial families are shares of their trials, and rows without trials are left out.
    ///
    /// R² is defined for all families but those of grades, labels and angles, which are no numbers on a line. For censored responses it is the share of the
    /// variance of the uncensored response. For weighted rows and truncated responses it is refused.
    ///
    /// # Errors
    /// [`Error::Formula`] for grades, labels and angles, `weights(..)`, `trunc(..)` and a table of fewer than two rows; [`Error::Prediction`] if the run
    /// is not of this regression.
    pub fn r2(&self, run: &Run) -> Result<R2, Error> {
        let family = self.family();
        self.counted()?;
        let mut values = Vec::new();
        let mut infinite = 0;
        self.fitted(run).for_each(|_, told| {
            let rows = told.rows().filter(|at| at.trials > 0.0);
            let (means, variances): (Vec<f64>, Vec<f64>) =
                rows.map(|at| share(family, &at)).unzip();
            let residual = variances.iter().sum::<f64>() / variances.len() as f64;
            infinite += usize::from(residual == f64::INFINITY);
            let explained = variance(&means);
            values.push(explained / (explained + residual));
        })?;
        let draws = values.len();
        let found = Draws {
            weights: run.draw_weights(),
            values,
            elements: 1,
            groups: run.group_sizes(),
        };
        Ok(R2 {
            summary: summaries(run, &found)?[0],
            draws,
            infinite,
        })
    }

    /// The rows that have trials.
    fn counted(&self) -> Result<Vec<usize>, Error> {
        let margin = self.only("R²")?;
        let refused = |message: &str| Err(wrong(self.formula(), 0..0, message));
        let family = self.family();
        let values = match family {
            Family::Categorical => Some("labels"),
            Family::Multinomial | Family::Dirichlet => Some("columns"),
            Family::Cox => Some("times, known up to an end,"),
            Family::VonMises => Some("angles"),
            _ => family.has_cutpoints().then_some("grades"),
        };
        if let Some(values) = values {
            return refused(&format!(
                "R² is defined for numbers on a line, and the {values} of the family {family} are none"
            ));
        }
        if !margin.adjustments.weights.is_empty() {
            return refused("R² is not defined for rows with `weights`; fit without them");
        }
        let trials = &margin.trials;
        let has_trials = |row: &usize| trials.get(*row) != Some(&0);
        let counted: Vec<usize> = (0..self.rows()).filter(has_trials).collect();
        match counted.len() {
            0 | 1 => refused("R² needs at least two rows"),
            _ => Ok(counted),
        }
    }
}

/// The mean and the variance of a response, as a share of its trials.
fn share(family: Family, at: &At<'_>) -> (f64, f64) {
    let (mean, variance) = (family.mean(at), family.variance(at));
    let n = at.trials;
    (
        mean.unwrap_or(f64::NAN) / n,
        variance.unwrap_or(f64::NAN) / (n * n),
    )
}

/// The variance, with denominator n - 1.
fn variance(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    squares / (n - 1.0)
}

impl R2 {
    /// As a JSON object of the numbers and `draws_of_infinite_variance`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut object = self.summary.json();
        let infinite = json!(self.infinite);
        object.insert("draws_of_infinite_variance".to_owned(), infinite);
        Value::Object(object)
    }
}

/// Writes lines below a header.
fn write(f: &mut fmt::Formatter<'_>, lines: &[Vec<String>]) -> fmt::Result {
    let header: Vec<&str> = std::iter::once("").chain(HEADER).collect();
    text::write(f, &header, lines, 1)
}

/// A text table of one line.
impl fmt::Display for R2 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cells = std::iter::once("R2".to_owned()).chain(self.summary.cells());
        write(f, &[cells.collect()])?;
        if self.infinite > 0 {
            let Self {
                draws, infinite, ..
            } = self;
            writeln!(
                f,
                "The response has an infinite variance at {infinite} of {draws} draws, where R2 is 0."
            )?;
        }
        Ok(())
    }
}
