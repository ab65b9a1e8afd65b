//! Columns as the arguments of models.

use crate::table::{Table, is_missing};
use crate::whole::whole;
use bayes_core::Error;
use bayes_core::run::TableError;
use nalgebra::DMatrix;

/// A column of names as numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Categories {
    /// The number of each row's name, `[rows]`, from 0.
    pub indices: Vec<usize>,
    /// The names in the order of their numbers, which is that of the alphabet; whole numbers in that of their size.
    pub names: Vec<String>,
}

impl Table {
    /// A column of finite numbers, `[rows]`.
    ///
    /// # Errors
    /// [`TableError::Column`], [`TableError::Missing`] with the lines without a value, [`TableError::Value`] with the first text that is no
    /// such number.
    pub fn reals(&self, column: &str) -> Result<Vec<f64>, Error> {
        self.parsed(column, real)
    }

    /// A column of finite numbers, `[rows]`; `None` where a value is missing, for models that treat it as unknown.
    ///
    /// # Errors
    /// As [`reals`](Self::reals), but for missing values.
    pub fn optional_reals(&self, column: &str) -> Result<Vec<Option<f64>>, Error> {
        let parse = |text: &str| match is_missing(text) {
            true => Ok(None),
            false => real(text).map(Some),
        };
        self.parsed_all(column, parse)
    }

    /// A column of whole numbers from 0 on, `[rows]`; `2.0` and `2e0` are such numbers too, as programs write them where values are missing.
    ///
    /// # Errors
    /// As [`reals`](Self::reals).
    pub fn counts(&self, column: &str) -> Result<Vec<u64>, Error> {
        self.parsed(column, whole::<u64>)
    }

    /// A column of whole numbers from 0 on, `[rows]`, as [`counts`](Self::counts) reads them, that number things: groups or classes. See also [`categories`](Self::categories).
    ///
    /// # Errors
    /// As [`reals`](Self::reals).
    pub fn indices(&self, column: &str) -> Result<Vec<usize>, Error> {
        self.parsed(column, whole::<usize>)
    }

    /// A column of `0` and `1`, `true` and `false`, or `yes` and `no`, `[rows]`, in any case; `0.0` and `1.0` too.
    ///
    /// # Errors
    /// As [`reals`](Self::reals).
    pub fn flags(&self, column: &str) -> Result<Vec<bool>, Error> {
        let parse = |text: &str| match text.to_ascii_lowercase().as_str() {
            "1" | "1.0" | "true" | "yes" => Ok(true),
            "0" | "0.0" | "false" | "no" => Ok(false),
            _ => Err("0 or 1, true or false, yes or no"),
        };
        self.parsed(column, parse)
    }

    /// A column of names, each numbered; the names go with [`Run::with_dims`](bayes_core::run::Run::with_dims).
    ///
    /// # Errors
    /// [`TableError::Column`]; [`TableError::Missing`].
    pub fn categories(&self, column: &str) -> Result<Categories, Error> {
        let texts = self.parsed(column, |text| Ok(text.to_owned()))?;
        let mut names = texts.clone();
        names.sort_by(|a, b| match (a.parse::<i64>(), b.parse::<i64>()) {
            (Ok(a), Ok(b)) => a.cmp(&b),
            // numbers before words
            (Ok(_), Err(_)) => std::cmp::Ordering::Less,
            (Err(_), Ok(_)) => std::cmp::Ordering::Greater,
            (Err(_), Err(_)) => a.cmp(b),
        });
        names.dedup();
        let number = |text: &String| names.iter().position(|name| name == text);
        Ok(Categories {
            indices: texts.iter().filter_map(number).collect(),
            names,
        })
    }

    /// Columns of finite numbers side by side, `[rows, columns]`: the predictors of a regression.
    ///
    /// # Errors
    /// As [`reals`](Self::reals).
    pub fn matrix<S: AsRef<str>>(
        &self,
        columns: impl IntoIterator<Item = S>,
    ) -> Result<DMatrix<f64>, Error> {
        let columns = columns.into_iter().map(|name| self.reals(name.as_ref()));
        let columns: Vec<Vec<f64>> = columns.collect::<Result<_, _>>()?;
        let (rows, width) = (self.rows(), columns.len());
        Ok(DMatrix::from_vec(rows, width, columns.concat()))
    }

    /// A column in which every row has a value. `parse` says what is wanted of a text that is none.
    fn parsed<T>(
        &self,
        column: &str,
        parse: impl Fn(&str) -> Result<T, &'static str>,
    ) -> Result<Vec<T>, Error> {
        let texts = self.texts(column)?.into_iter().zip(&self.lines);
        let missing = texts.filter(|(text, _)| is_missing(text));
        let lines: Vec<u64> = missing.map(|(_, line)| *line).collect();
        if !lines.is_empty() {
            let error = TableError::Missing {
                table: self.name.clone(),
                column: column.to_owned(),
                unit: self.unit,
                lines,
            };
            return Err(error.into());
        }
        self.parsed_all(column, parse)
    }

    fn parsed_all<T>(
        &self,
        column: &str,
        parse: impl Fn(&str) -> Result<T, &'static str>,
    ) -> Result<Vec<T>, Error> {
        let texts = self.texts(column)?.into_iter().zip(&self.lines);
        let value = |(text, line): (&str, &u64)| {
            parse(text).map_err(|wanted| {
                Error::from(TableError::Value {
                    table: self.name.clone(),
                    unit: self.unit,
                    line: *line,
                    column: column.to_owned(),
                    found: text.to_owned(),
                    wanted,
                })
            })
        };
        texts.map(value).collect()
    }
}

fn real(text: &str) -> Result<f64, &'static str> {
    let value = text.parse().ok().filter(|value: &f64| value.is_finite());
    value.ok_or("a finite number")
}
