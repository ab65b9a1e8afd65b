//! Evaluates the factors of a formula on a table.

use super::disguised::is_number;
use super::labels::alike;
use super::{Column, Contrasts, Learnt, Memory, labels, polynomial};
use crate::signatures::usage;
use crate::suggest::{FUNCTIONS as ELSEWHERE, suggestion};
use crate::syntax::{Argument, Kind, Node};
use bayes::data::Table;
use bayes::run::TableError;
use bayes::{Error, FormulaError, edit_distance};

/// The largest degree of `poly`.
const LARGEST_DEGREE: f64 = 20.0;

/// A function applied to each number.
type Function = fn(f64) -> f64;

const FUNCTIONS: [(&str, Function); 11] = [
    ("log", f64::ln),
    ("log2", f64::log2),
    ("log10", f64::log10),
    ("log1p", f64::ln_1p),
    ("exp", f64::exp),
    ("sqrt", f64::sqrt),
    ("abs", f64::abs),
    ("sin", f64::sin),
    ("cos", f64::cos),
    ("tanh", f64::tanh),
    ("floor", f64::floor),
];

/// The columns of one table. The first table fills the memory; later tables are read with it.
pub(crate) struct Evaluator<'a> {
    pub(crate) table: &'a Table,
    pub(crate) formula: &'a str,
    pub(crate) memory: &'a mut Memory,
    pub(crate) learns: bool,
    /// Whether the response is predicted and so may be missing.
    pub(crate) predicts: bool,
    /// Whether values of responses do not matter.
    pub(crate) skips_responses: bool,
}

/// Names of columns, in quotation marks where one has blanks at an end.
fn listed(columns: &[String]) -> String {
    let quoted = |name: &String| match name.trim() == name {
        true => name.clone(),
        false => format!("\"{name}\""),
    };
    columns.iter().map(quoted).collect::<Vec<_>>().join(", ")
}

impl Evaluator<'_> {
    pub(crate) fn wrong(&self, node: &Node, message: impl Into<String>) -> Error {
        Error::from(FormulaError {
            formula: self.formula.to_owned(),
            at: node.at.clone(),
            message: message.into(),
        })
    }

    /// A part of the formula as it is written, for messages; names of columns have `;` in place of a comma.
    pub(crate) fn written(&self, node: &Node) -> &str {
        self.formula.get(node.at.clone()).unwrap_or_default()
    }

    /// A factor of a term.
    pub(crate) fn column(&mut self, node: &Node) -> Result<Column, Error> {
        match &node.kind {
            Kind::Name(name) => self.named(node, name),
            Kind::Call {
                function,
                arguments,
            } => match function.as_str() {
                "factor" | "C" => self.factor(node, arguments),
                "ordered" => self.ordered(node, arguments),
                "poly" => self.polynomials(node, arguments),
                _ => Ok(Column::Numbers(self.numbers(node)?)),
            },
            _ => Ok(Column::Numbers(self.numbers(node)?)),
        }
    }

    /// Refuses the name of a missing column.
    pub(crate) fn check_column(&self, node: &Node, name: &str) -> Result<(), Error> {
        let columns = self.table.columns();
        if columns.iter().any(|column| column == name) {
            return Ok(());
        }
        let hint = match self.close(name) {
            None => format!("; the table has {}", listed(columns)),
            Some(close) if close.trim() == name.trim() => format!(
                "; it has \"{close}\", whose name has blanks at an end: in backquotes, `{close}`, it is this column"
            ),
            Some(close) => format!("; did you mean `{close}`?"),
        };
        Err(self.wrong(node, format!("the table has no column `{name}`{hint}")))
    }

    /// The column that a name may mean, by a slip of the pen, by capitals, or by blanks at an end.
    pub(crate) fn close(&self, name: &str) -> Option<&String> {
        let mut same = self.table.columns().iter();
        let is_same = |column: &&String| {
            column.trim() == name.trim() || column.to_lowercase() == name.to_lowercase()
        };
        if let Some(same) = same.find(is_same) {
            return Some(same);
        }
        let columns = self.table.columns().iter();
        let close = columns.min_by_key(|column| edit_distance(column, name));
        close.filter(|column| {
            let letters = name.chars().count();
            edit_distance(column, name) < letters.min(letters / 3 + 2)
        })
    }

    /// Whether the response column of a table to predict is missing, or has labels in some rows only.
    pub(crate) fn may_lack(&self, node: &Node) -> bool {
        let mut columns = Vec::new();
        node.columns(&mut columns);
        let lacks = |name: &String| {
            let complete = self.table.complete([name]);
            let is_known = |complete: Table| match self.memory.get(name) {
                Some(Learnt::Levels(_)) => complete.rows() == self.table.rows(),
                _ => complete.rows() > 0,
            };
            !complete.is_ok_and(is_known)
        };
        self.predicts && columns.iter().any(lacks)
    }

    /// The rows of a table to predict that have the columns of a response, with what `read` makes of each; `None` if all rows or none have
    /// them.
    pub(crate) fn of_rows_with_values(
        &mut self,
        node: &Node,
        read: impl FnOnce(&mut Evaluator<'_>) -> Result<Vec<f64>, Error>,
    ) -> Result<Option<Vec<(usize, f64)>>, Error> {
        let Some((complete, rows)) = self.with_values(node)? else {
            return Ok(None);
        };
        let mut of_complete = Evaluator {
            table: &complete,
            memory: &mut *self.memory,
            ..*self
        };
        let values = read(&mut of_complete)?;
        Ok(Some(rows.into_iter().zip(values).collect()))
    }

    /// The values of some rows, NaN in all others.
    pub(crate) fn in_all_rows(&self, some: Vec<(usize, f64)>) -> Vec<f64> {
        let mut all = vec![f64::NAN; self.table.rows()];
        for (row, value) in some {
            all[row] = value;
        }
        all
    }

    /// Whether a table is to be predicted of which some rows, but not all, lack the columns of a response.
    pub(crate) fn lacks_some(&self, node: &Node) -> Result<bool, Error> {
        Ok(self.with_values(node)?.is_some())
    }

    /// The rows of a table to predict that have the columns of a response, and their numbers; `None` if all rows or none have them.
    fn with_values(&self, node: &Node) -> Result<Option<(Table, Vec<usize>)>, Error> {
        if !self.predicts {
            return Ok(None);
        }
        let mut columns = Vec::new();
        node.columns(&mut columns);
        let Ok(complete) = self.table.complete(&columns) else {
            return Ok(None);
        };
        let rows = self.table.rows();
        if complete.rows() == 0 || complete.rows() == rows {
            return Ok(None);
        }
        let name = "(row of the response)";
        let numbered = self
            .table
            .with_column(name, (0..rows).map(|row| row as f64))?;
        let numbers = numbered.complete(&columns)?.indices(name)?;
        Ok(Some((complete, numbers)))
    }

    /// The response: numbers, NaN for missing values of a table to predict.
    pub(crate) fn observed(&mut self, node: &Node) -> Result<Vec<f64>, Error> {
        if self.predicts && matches!(node.kind, Kind::Name(_)) {
            return self.optional(node);
        }
        let Some(some) = self.of_rows_with_values(node, |complete| complete.evaluated(node))?
        else {
            return self.numbers(node);
        };
        for (row, value) in &some {
            self.check_finite(node, *row, *value)?;
        }
        Ok(self.in_all_rows(some))
    }

    /// The texts of a column.
    pub(crate) fn texts(&self, node: &Node, name: &str) -> Result<Vec<String>, Error> {
        let texts = self.table.texts(name);
        let texts = texts.map_err(|error| self.unread(node, name, error))?;
        Ok(texts.into_iter().map(str::to_owned).collect())
    }

    /// A column of numbers that some rows may lack, as NaN.
    pub(crate) fn optional(&mut self, node: &Node) -> Result<Vec<f64>, Error> {
        match &node.kind {
            Kind::Name(name) => {
                self.check_column(node, name)?;
                let values = self.table.optional_reals(name)?.into_iter();
                Ok(values.map(|value| value.unwrap_or(f64::NAN)).collect())
            }
            _ => self.evaluated(node),
        }
    }

    /// The error of a column that cannot be read; missing values are reported in terms of the formula.
    pub(super) fn unread(&self, node: &Node, name: &str, error: Error) -> Error {
        let Error::Table(TableError::Missing { .. }) = error else {
            return error;
        };
        let complete = self.table.complete([name]);
        let (all, complete) = (self.table.rows(), complete.map_or(0, |rest| rest.rows()));
        let without = all - complete;
        // all rows of a table to predict are predicted: no option leaves any out
        let remedy = match self.predicts {
            true => {
                "a row without a predictor cannot be predicted: fill them in, or take these rows out of the table"
            }
            false => "fill them in, or leave the rows out: `--drop-missing`, `.drop_missing(true)`",
        };
        let message = format!("`{name}` has no value in {without} of {all} rows; {remedy}");
        self.wrong(node, message)
    }

    /// The levels of a column of labels, and the level of each row.
    pub(super) fn levels(
        &self,
        node: &Node,
        name: &str,
    ) -> Result<(Vec<String>, Vec<usize>), Error> {
        let alike = match self.table.order(name) {
            None => alike(self.table, name),
            Some(_) => Ok(None),
        };
        if let Some([one, other]) = alike.map_err(|error| self.unread(node, name, error))? {
            let message = format!(
                "`{name}` has `{one}` and `{other}`, which are one number; write them alike if they are one label, and with a letter if not"
            );
            return Err(self.wrong(node, message));
        }
        labels(self.table, name).map_err(|error| self.unread(node, name, error))
    }

    /// A column by its name: numbers if any of its values is a number, otherwise labels.
    fn named(&mut self, node: &Node, name: &str) -> Result<Column, Error> {
        self.check_column(node, name)?;
        if self.learns && !self.memory.contains_key(name) {
            let texts = self.table.texts(name)?;
            // a word among numbers is an invalid number
            let is_ordered = self.table.order(name).is_some();
            let is_labels =
                is_ordered || !texts.iter().any(|text| is_number(text.trim())) && !texts.is_empty();
            if is_labels && !is_ordered {
                self.check_labels(node, name, &texts)?;
            }
            let learnt = match is_labels {
                true => Learnt::Levels(self.levels(node, name)?.0),
                false => Learnt::Numbers,
            };
            self.memory.insert(name.to_owned(), learnt);
        }
        match self.memory.get(name) {
            Some(Learnt::Levels(levels)) => self.coded(node, name, levels.clone()),
            _ => self
                .table
                .reals(name)
                .map(Column::Numbers)
                .map_err(|error| match error {
                    Error::Table(TableError::Missing { .. }) => self.unread(node, name, error),
                    error => {
                        let message = format!("{error}; for labels write `factor({name})`");
                        self.wrong(node, message)
                    }
                }),
        }
    }

    /// The numbers of the levels of a column.
    pub(super) fn coded(
        &self,
        node: &Node,
        name: &str,
        levels: Vec<String>,
    ) -> Result<Column, Error> {
        if levels.len() < 2 {
            let message = format!(
                "`{name}` is `{}` in all rows; leave it out",
                levels.join("")
            );
            return Err(self.wrong(node, message));
        }
        let (found, codes) = self.levels(node, name)?;
        let place = |level: &String| {
            let place = levels.iter().position(|known| known == level);
            place.ok_or_else(|| {
                let known = levels.join("`, `");
                let message = format!(
                    "`{name}` is `{level}` in this table, and was `{known}` where the model was fitted"
                );
                self.wrong(node, message)
            })
        };
        let places: Vec<usize> = found.iter().map(place).collect::<Result<_, _>>()?;
        let codes = codes.into_iter().map(|code| places[code]).collect();
        Ok(Column::Labels {
            levels,
            codes,
            contrasts: Contrasts::default(),
        })
    }

    /// `poly(x, degree)`.
    fn polynomials(&mut self, node: &Node, arguments: &[Argument]) -> Result<Column, Error> {
        let degree = match arguments {
            [first] if first.name.is_none() => 1.0,
            [first, degree] if first.name.is_none() && degree.name.is_none() => {
                match degree.value.kind {
                    Kind::Number(degree) => degree,
                    _ => f64::NAN,
                }
            }
            _ => f64::NAN,
        };
        if !(1.0..=LARGEST_DEGREE).contains(&degree) || degree.fract() != 0.0 {
            return Err(self.wrong(node, usage("poly")));
        }
        let x = self.numbers(&arguments[0].value)?;
        let key = node.to_string();
        if self.learns && !self.memory.contains_key(&key) {
            let Some(learnt) = polynomial::learn(&x, degree as usize) else {
                let message = format!(
                    "polynomials of degree {degree} need more than {degree} different values"
                );
                return Err(self.wrong(node, message));
            };
            self.memory.insert(key.clone(), learnt);
        }
        let Some(Learnt::Polynomial { centres, norms }) = self.memory.get(&key) else {
            return Err(self.wrong(node, "its polynomials are not known"));
        };
        let columns = polynomial::evaluate(&x, centres, norms).into_iter();
        let numbered = columns.enumerate().map(|(k, x)| ((k + 1).to_string(), x));
        Ok(Column::Basis(numbered.collect()))
    }

    /// A column of numbers, or a function of such columns.
    pub(crate) fn numbers(&mut self, node: &Node) -> Result<Vec<f64>, Error> {
        let values = self.evaluated(node)?;
        for (row, value) in values.iter().enumerate() {
            self.check_finite(node, row, *value)?;
        }
        Ok(values)
    }

    fn check_finite(&self, node: &Node, row: usize, value: f64) -> Result<(), Error> {
        if value.is_finite() {
            return Ok(());
        }
        let message = format!(
            "it is {value} in row {}; leave the row out, or use another function",
            row + 1
        );
        Err(self.wrong(node, message))
    }

    fn evaluated(&mut self, node: &Node) -> Result<Vec<f64>, Error> {
        match &node.kind {
            Kind::Number(number) => Ok(vec![*number; self.table.rows()]),
            Kind::Name(name) => match self.named(node, name)? {
                Column::Numbers(values) => Ok(values),
                _ => Err(self.wrong(
                    node,
                    format!("`{name}` holds texts, where numbers are needed"),
                )),
            },
            Kind::Text(_) => Err(self.wrong(node, "a text is no number")),
            Kind::Negative(inner) => Ok(self.evaluated(inner)?.into_iter().map(|x| -x).collect()),
            Kind::Binary {
                operator,
                left,
                right,
            } => {
                let combine = operator
                    .arithmetic()
                    .map_err(|message| self.wrong(node, message))?;
                let (left, right) = (self.evaluated(left)?, self.evaluated(right)?);
                Ok(left
                    .iter()
                    .zip(&right)
                    .map(|(a, b)| combine(*a, *b))
                    .collect())
            }
            Kind::Call {
                function,
                arguments,
            } => self.called(node, function, arguments),
        }
    }

    fn called(
        &mut self,
        node: &Node,
        function: &str,
        arguments: &[Argument],
    ) -> Result<Vec<f64>, Error> {
        let each = FUNCTIONS.iter().find(|(name, _)| *name == function);
        let is_known =
            each.is_some() || matches!(function, "I" | "days" | "scale" | "center" | "standardize");
        if !is_known {
            let known: Vec<&str> = FUNCTIONS.iter().map(|(name, _)| *name).collect();
            let message = format!(
                "there is no function `{function}`; known are {}, I, days, scale, center, poly, factor, ordered and offset{}",
                known.join(", "),
                suggestion(function, ELSEWHERE, &known)
            );
            return Err(self.wrong(node, message));
        }
        let [Argument { name: None, value }] = arguments else {
            return Err(self.wrong(node, usage(function)));
        };
        if function == "days" {
            return self.days(node, value);
        }
        let values = self.evaluated(value)?;
        if let Some((_, each)) = each {
            return Ok(values.into_iter().map(each).collect());
        }
        if function == "I" {
            return Ok(values);
        }
        let key = node.to_string();
        if self.learns && !self.memory.contains_key(&key) {
            let (centre, spread) = (mean(&values), deviation(&values));
            let is_scaled = function != "center";
            if is_scaled && (spread.is_nan() || spread <= 0.0) {
                return Err(self.wrong(node, "all its values are equal, so it has no scale"));
            }
            let scale = Learnt::Scale([centre, if is_scaled { spread } else { 1.0 }]);
            self.memory.insert(key.clone(), scale);
        }
        match self.memory.get(&key) {
            Some(Learnt::Scale([centre, spread])) => {
                Ok(values.into_iter().map(|x| (x - centre) / spread).collect())
            }
            _ => Err(self.wrong(node, "its scale is not known")),
        }
    }
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The standard deviation, with denominator n − 1.
pub(crate) fn deviation(values: &[f64]) -> f64 {
    let centre = mean(values);
    let squares: f64 = values.iter().map(|x| (x - centre).powi(2)).sum();
    (squares / (values.len() as f64 - 1.0)).sqrt()
}
