//! Averages over the rows of a table: contrasts and slopes by g-computation.

use crate::effects::grid::{self, Level, Variable, wrong};
use crate::family::Response;
use crate::outcome;
use crate::regression::Regression;
use crate::summary::{HEADER, NAMES, Summary, summaries};
use crate::text;
use bayes::Error;
use bayes::data::Table;
use bayes::prelude::*;
use bayes::run::Draws;
use serde_json::{Value, json};
use std::fmt;

/// Half a step of a derivative, as a share of the range of the column.
const HALF_STEP: f64 = 1e-5;

/// Contrasts or slopes averaged over rows, by [`Regression::contrasts`] or [`Regression::slopes`].
#[derive(Clone, Debug)]
pub struct Averages {
    /// The column whose values have separate averages.
    pub by: Option<String>,
    /// For each contrast, for each value of the column `by`, for each grade of an ordered response, in this nesting.
    pub rows: Vec<Average>,
}

/// An average over rows.
#[derive(Clone, Debug)]
pub struct Average {
    /// The name of the contrast or slope: `smoke: 1 - 0`, `d/d age`.
    pub name: String,
    /// The value of the column `by` that these rows have.
    pub by: Option<Level>,
    /// The grade whose probability this is, or the number of the label, from 1; `None` for other families.
    pub grade: Option<usize>,
    /// The label that `grade` is the number of, for a categorical response.
    pub label: Option<String>,
    /// The average.
    pub summary: Summary,
}

/// Options of averages: `Averaging::new().by("sex")`.
#[derive(Clone, Debug, Default)]
pub struct Averaging {
    by: Option<String>,
    is_ratio: bool,
}

impl Averaging {
    /// Averages over all rows; contrasts are differences.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Averages separately for each value of this column.
    #[must_use]
    pub fn by(self, column: &str) -> Self {
        Self {
            by: Some(column.to_owned()),
            ..self
        }
    }

    /// Contrasts are ratios of averages instead of differences.
    #[must_use]
    pub fn ratio(self) -> Self {
        Self {
            is_ratio: true,
            ..self
        }
    }
}

/// Rows that are averaged together, and their common value of the column `by`.
type Part = (Option<Level>, Vec<usize>);

/// Two tables whose averages are compared, and the comparison.
struct Pair {
    name: String,
    tables: [usize; 2],
}

impl Regression {
    /// The average change of the expected response over the rows of the table if a column is changed in all rows. A column of labels
    /// changes from the reference label to each other label, a column of a monotonic effect from the lowest grade to each other grade, a
    /// column of 0 and 1 from 0 to 1, and any other column of numbers increases by 1. Everything else in a row stays as it is, including
    /// its groups.
    ///
    /// This is g-computation: if the terms include all confounders of the column and the response, the result is the average effect of the
    /// column. In binomial families rows count by their trials, and the response is a probability. `weights(w)` are ignored: every row
    /// counts once.
    ///
    /// # Errors
    /// [`Error::Formula`] for a name that is in no term, for a response with `trunc(..)`, and for angles; [`Error::Prediction`] if the run is not of
    /// this regression.
    pub fn contrasts(&self, run: &Run, of: &str, how: &Averaging) -> Result<Averages, Error> {
        self.check_line("contrasts")?;
        let variables = self.own_variables()?;
        let variable = grid::find(&variables, of, of)?;
        let mut tables = Vec::new();
        let mut pairs = Vec::new();
        let sign = if how.is_ratio { "/" } else { "-" };
        match variable {
            Variable::Numbers(x) if variable.few_numbers(2) != Some(vec![0.0, 1.0]) => {
                tables.push(self.table().clone());
                tables.push(self.with_numbers(of, x.iter().map(|x| x + 1.0))?);
                let name = format!("{of}: {of} + 1 {sign} {of}");
                pairs.push(Pair {
                    name,
                    tables: [1, 0],
                });
            }
            _ => {
                let levels: Vec<Level> = match (variable.levels(), variable.grades()) {
                    (Some(levels), _) => levels.iter().cloned().map(Level::Label).collect(),
                    (None, Some(grades)) => grades.into_iter().map(Level::Number).collect(),
                    (None, None) => [0.0, 1.0].map(Level::Number).to_vec(),
                };
                for (k, level) in levels.iter().enumerate() {
                    tables.push(self.with_level(of, level)?);
                    let name = format!("{of}: {level} {sign} {}", levels[0]);
                    pairs.extend((k > 0).then_some(Pair {
                        name,
                        tables: [k, 0],
                    }));
                }
            }
        }
        let compare = match how.is_ratio {
            true => |a, b| a / b,
            false => |a, b| a - b,
        };
        self.averages(run, (&tables, &pairs), how, &compare)
    }

    /// The slope of the expected response over a column of numbers: its derivative at each row, averaged over the rows of the table.
    ///
    /// # Errors
    /// As [`contrasts`](Self::contrasts); [`Error::Formula`] for a column of labels.
    pub fn slopes(&self, run: &Run, of: &str, how: &Averaging) -> Result<Averages, Error> {
        self.check_line("slopes")?;
        let variables = self.own_variables()?;
        let variable = grid::find(&variables, of, of)?;
        let Variable::Numbers(x) = variable else {
            let what = if variable.grades().is_some() {
                "grades"
            } else {
                "labels"
            };
            let message =
                format!("`{of}` holds {what}, which have no slope; ask for its contrasts");
            return Err(wrong(of, 0..of.len(), message));
        };
        if how.is_ratio {
            return Err(wrong(of, 0..of.len(), "a slope is no ratio"));
        }
        let low = x.iter().copied().fold(f64::INFINITY, f64::min);
        let high = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let step = HALF_STEP * if high > low { high - low } else { 1.0 };
        let tables = [
            self.with_numbers(of, x.iter().map(|x| x - step))?,
            self.with_numbers(of, x.iter().map(|x| x + step))?,
        ];
        let pairs = [Pair {
            name: format!("d/d {of}"),
            tables: [1, 0],
        }];
        self.averages(run, (&tables, &pairs), how, &|a, b| (a - b) / (2.0 * step))
    }

    /// Refuses averages and differences of angles, which are no numbers on a line.
    fn check_line(&self, what: &str) -> Result<(), Error> {
        let family = self.only(what)?.family;
        match family.response() {
            Response::Angle => {
                let message = format!(
                    "{what} are averages of numbers on a line, and the angles of the family {family} are none; compare directions row by row with `fitted`, or by `effects`"
                );
                Err(wrong(self.formula(), 0..0, message))
            }
            _ => Ok(()),
        }
    }

    fn with_numbers(&self, of: &str, values: impl Iterator<Item = f64>) -> Result<Table, Error> {
        self.table().with_column(of, values)
    }

    fn with_level(&self, of: &str, level: &Level) -> Result<Table, Error> {
        let rows = self.table().rows();
        match level {
            Level::Number(value) => self.table().with_column(of, vec![*value; rows]),
            Level::Label(label) => self.table().with_column(of, vec![label.clone(); rows]),
        }
    }

    fn averages(
        &self,
        run: &Run,
        (tables, pairs): (&[Table], &[Pair]),
        how: &Averaging,
        compare: &dyn Fn(f64, f64) -> f64,
    ) -> Result<Averages, Error> {
        let parts = self.parts(how.by.as_deref())?;
        let means = tables
            .iter()
            .map(|table| self.changed(table)?.means(run, &parts));
        let means: Vec<Draws> = means.collect::<Result<_, _>>()?;
        let labels = &self.margin().labels;
        let grades = means
            .first()
            .map_or(1, |draws| draws.elements / parts.len());
        let mut rows = Vec::new();
        for Pair {
            name,
            tables: [a, b],
        } in pairs
        {
            let pair = means[*a].values.iter().zip(&means[*b].values);
            let draws = Draws {
                values: pair.map(|(a, b)| compare(*a, *b)).collect(),
                ..means[*a].clone()
            };
            for (k, summary) in summaries(run, &draws)?.into_iter().enumerate() {
                rows.push(Average {
                    name: name.clone(),
                    by: parts[k / grades].0.clone(),
                    grade: outcome::number(labels, k, grades),
                    label: outcome::label(labels, k),
                    summary,
                });
            }
        }
        let by = how.by.clone();
        Ok(Averages { by, rows })
    }

    /// The rows that are averaged together.
    fn parts(&self, by: Option<&str>) -> Result<Vec<Part>, Error> {
        let Some(by) = by else {
            return Ok(vec![(None, (0..self.rows()).collect())]);
        };
        let variables = self.variables()?;
        let variable = grid::find(&variables, by, by)?;
        let levels = match variable.levels() {
            Some(levels) => levels.iter().cloned().map(Level::Label).collect(),
            None => variable
                .few_numbers(20)
                .map(|x| x.into_iter().map(Level::Number).collect::<Vec<_>>())
                .ok_or_else(|| {
                    let message = format!(
                        "`{by}` has more than 20 different numbers; take a column of labels"
                    );
                    wrong(by, 0..by.len(), message)
                })?,
        };
        let of = |level: Level| {
            let rows = (0..self.rows()).filter(|row| variable.at(*row) == level);
            (Some(level.clone()), rows.collect::<Vec<usize>>())
        };
        let parts = levels.into_iter().map(of);
        Ok(parts.filter(|(_, rows)| !rows.is_empty()).collect())
    }

    /// The averages of each part at each draw, `[draws, parts, grades]`.
    fn means(&self, run: &Run, parts: &[Part]) -> Result<Draws, Error> {
        let fitted = self.fitted(run);
        let grades = fitted.outcomes();
        let trials = &self.margin().trials;
        let trials = |row: &usize| trials.get(*row).map_or(1.0, |trials| *trials as f64);
        let totals = parts.iter().map(|(_, rows)| rows.iter().map(trials).sum());
        let totals: Vec<f64> = totals.collect();
        let mut values = Vec::new();
        fitted.for_each_draw(|expected| {
            for ((_, rows), total) in parts.iter().zip(&totals) {
                for grade in 0..grades {
                    let sum: f64 = rows.iter().map(|row| expected[row * grades + grade]).sum();
                    values.push(sum / total);
                }
            }
        })?;
        Ok(Draws {
            weights: run.draw_weights(),
            values,
            elements: parts.len() * grades,
            groups: run.group_sizes(),
        })
    }
}

impl Averages {
    /// The names of the columns before the numbers.
    fn header(&self) -> Vec<String> {
        let row = self.rows.first();
        let grade = row.and_then(|row| outcome::header(row.grade, row.label.as_ref()));
        let grade = grade.map(str::to_owned);
        let first = std::iter::once("contrast".to_owned());
        first.chain(self.by.clone()).chain(grade).collect()
    }

    /// As comma-separated values with a header: `contrast`, the column `by`, `grade` for an ordered response or `label` for a categorical one, and the numbers.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let header: Vec<String> = self.header().iter().map(|name| text::field(name)).collect();
        let mut all = format!("{},{}\n", header.join(","), NAMES.join(","));
        for row in &self.rows {
            // as given, so that the rows can be joined to a table
            let by = row.by.iter().map(|level| match level {
                Level::Number(value) => value.to_string(),
                Level::Label(label) => label.clone(),
            });
            let cells = row.cells_with(by);
            let cells: Vec<String> = cells.iter().map(|cell| text::field(cell)).collect();
            all += &format!("{}{}\n", cells.join(","), row.summary.csv());
        }
        all
    }

    /// As a JSON array of objects: `contrast`, `by`, `grade`, and the numbers.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let row = |row: &Average| {
            let mut object = row.summary.json();
            object.insert("contrast".to_owned(), json!(row.name));
            object.extend(row.by.iter().map(|by| ("by".to_owned(), json!(by))));
            outcome::insert(&mut object, row.grade, row.label.as_ref());
            Value::Object(object)
        };
        self.rows.iter().map(row).collect()
    }
}

impl Average {
    fn cells(&self) -> Vec<String> {
        self.cells_with(self.by.iter().map(Level::to_string))
    }

    /// The cells before the numbers, with the value of the column `by` in this text.
    fn cells_with(&self, by: impl Iterator<Item = String>) -> Vec<String> {
        let grade = outcome::cell(self.grade, self.label.as_ref());
        std::iter::once(self.name.clone())
            .chain(by)
            .chain(grade)
            .collect()
    }
}

/// A text table.
impl fmt::Display for Averages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = self.header();
        let words = header.len();
        let mut names: Vec<&str> = header.iter().map(String::as_str).collect();
        names[0] = "";
        names.extend(HEADER);
        let row = |row: &Average| -> Vec<String> {
            row.cells().into_iter().chain(row.summary.cells()).collect()
        };
        let rows: Vec<Vec<String>> = self.rows.iter().map(row).collect();
        text::write(f, &names, &rows, words)
    }
}
