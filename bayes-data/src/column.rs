//! Columns of numbers, flags and dates as the arguments of models.

use crate::date::{Date, Format};
use crate::field::Field;
use crate::table::Table;
use crate::whole::{KEPT, is_kept, whole};
use bayes_core::Error;
use bayes_core::run::TableError;
use nalgebra::DMatrix;

impl Table {
    /// A column of finite numbers, `[rows]`. Texts of numbers with a decimal point or an exponent are rounded to the nearest number of 64
    /// bits; texts of whole numbers must be such numbers, as all up to 2^53 are.
    ///
    /// # Errors
    /// [`TableError::Column`], [`TableError::Missing`] with the lines without a value, [`TableError::Value`] with the first text that is
    /// not a finite number, or is a whole number that would be rounded.
    pub fn reals(&self, column: &str) -> Result<Vec<f64>, Error> {
        self.parsed(column, real)
    }

    /// A column of finite numbers, `[rows]`; `None` for a missing value, for models that treat it as unknown.
    ///
    /// # Errors
    /// The errors of [`reals`](Self::reals), except for missing values.
    pub fn optional_reals(&self, column: &str) -> Result<Vec<Option<f64>>, Error> {
        let lines = self.lines.iter();
        let value = |(cell, line): (&Field, &u64)| self.optional(cell, *line, column, real);
        self.cells(column)?.zip(lines).map(value).collect()
    }

    /// A column of whole numbers from 0 on, `[rows]`. `2.0` and `2e0` are whole numbers too: programs write such texts in columns with
    /// missing values.
    ///
    /// # Errors
    /// The errors of [`reals`](Self::reals).
    pub fn counts(&self, column: &str) -> Result<Vec<u64>, Error> {
        self.parsed(column, whole::<u64>)
    }

    /// A column of numbers of groups or classes, `[rows]`: whole numbers from 0 on, as [`counts`](Self::counts) reads them. See also
    /// [`categories`](Self::categories).
    ///
    /// # Errors
    /// The errors of [`reals`](Self::reals).
    pub fn indices(&self, column: &str) -> Result<Vec<usize>, Error> {
        self.parsed(column, whole::<usize>)
    }

    /// A column of `0` and `1`, `true` and `false`, or `yes` and `no`, `[rows]`, in any case; `0.0` and `1.0` too.
    ///
    /// # Errors
    /// The errors of [`reals`](Self::reals).
    pub fn flags(&self, column: &str) -> Result<Vec<bool>, Error> {
        self.parsed(column, flag)
    }

    /// A column of ISO 8601 dates, `[rows]`: `2024-03-01`, or with a time of day `2024-03-01T14:30:05`. A model takes numbers:
    /// [`Date::days_since`] or [`Date::decimal_year`].
    ///
    /// ```
    /// let text = "day,sold\n2024-02-28,3\n2024-03-01,5\n";
    /// let table = bayes_data::Table::from_csv(text.as_bytes())?;
    /// let dates = table.dates("day")?;
    /// let days: Vec<f64> = dates.iter().map(|date| date.days_since(dates[0])).collect();
    /// assert_eq!(days, [0.0, 2.0]);
    /// # Ok::<(), bayes_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`reals`](Self::reals).
    pub fn dates(&self, column: &str) -> Result<Vec<Date>, Error> {
        self.parsed(column, Date::iso)
    }

    /// A column of dates in a format of `strftime`, `[rows]`: `%Y` the year, `%y` its last two digits (1969 to 2068), `%m` the month, `%d`
    /// the day, `%b` or `%B` the English name of the month, short or long, `%j` the day of the year, `%H`, `%M` and `%S` the time of day.
    /// Numbers may have leading zeros or none.
    ///
    /// ```
    /// let table = bayes_data::Table::from_csv(&b"day\n1.3.2024\n"[..])?;
    /// assert_eq!(table.dates_as("day", "%d.%m.%Y")?[0].to_string(), "2024-03-01");
    /// # Ok::<(), bayes_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`TableError::DateFormat`] for a format with another directive or without a year and a day; otherwise the errors of
    /// [`reals`](Self::reals).
    pub fn dates_as(&self, column: &str, format: &str) -> Result<Vec<Date>, Error> {
        let format = Format::new(format)?;
        self.parsed(column, |text| format.parse(text))
    }

    /// Columns of finite numbers side by side, `[rows, columns]`: the predictors of a regression.
    ///
    /// # Errors
    /// The errors of [`reals`](Self::reals).
    pub fn matrix<S: AsRef<str>>(
        &self,
        columns: impl IntoIterator<Item = S>,
    ) -> Result<DMatrix<f64>, Error> {
        self.side_by_side(columns, |name| self.reals(name))
    }

    /// Columns of whole numbers from 0 on side by side, `[rows, columns]`, as [`counts`](Self::counts) reads them: how often each of several kinds was seen, for
    /// [`Multinomial`](bayes_core::dist::Multinomial) and its like.
    ///
    /// # Errors
    /// As [`reals`](Self::reals).
    pub fn count_matrix<S: AsRef<str>>(
        &self,
        columns: impl IntoIterator<Item = S>,
    ) -> Result<DMatrix<u64>, Error> {
        self.side_by_side(columns, |name| self.counts(name))
    }

    fn side_by_side<S: AsRef<str>, T: nalgebra::Scalar>(
        &self,
        columns: impl IntoIterator<Item = S>,
        read: impl Fn(&str) -> Result<Vec<T>, Error>,
    ) -> Result<DMatrix<T>, Error> {
        let columns = columns.into_iter().map(|name| read(name.as_ref()));
        let columns: Vec<Vec<T>> = columns.collect::<Result<_, _>>()?;
        let (rows, width) = (self.rows(), columns.len());
        Ok(DMatrix::from_vec(rows, width, columns.concat()))
    }

    /// A column in which every row has a value. For an invalid text, `parse` returns the description of a valid one.
    pub(crate) fn parsed<T>(
        &self,
        column: &str,
        parse: impl Fn(&str) -> Result<T, &'static str>,
    ) -> Result<Vec<T>, Error> {
        let cells: Vec<(&Field, u64)> = self
            .cells(column)?
            .zip(self.lines.iter().copied())
            .collect();
        let is_missing = |(cell, _): &&(&Field, u64)| cell.is_missing(&self.missing);
        let missing: Vec<(&Field, u64)> = cells.iter().filter(is_missing).copied().collect();
        if !missing.is_empty() {
            return Err(self.lacks(column, &missing).into());
        }
        let value = |(cell, line): (&Field, u64)| self.value(cell, line, column, &parse);
        cells.into_iter().map(value).collect()
    }

    /// The error for these fields with missing values.
    pub(crate) fn lacks(&self, column: &str, missing: &[(&Field, u64)]) -> TableError {
        let words = missing.iter().map(|(cell, _)| cell.text.clone());
        let mut words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
        words.sort();
        words.dedup();
        TableError::Missing {
            table: self.name.clone(),
            column: column.to_owned(),
            unit: self.unit,
            lines: missing.iter().map(|(_, line)| *line).collect(),
            words,
        }
    }

    /// The value of a field, `None` if missing.
    pub(crate) fn optional<T>(
        &self,
        cell: &Field,
        line: u64,
        column: &str,
        parse: impl Fn(&str) -> Result<T, &'static str>,
    ) -> Result<Option<T>, Error> {
        match cell.is_missing(&self.missing) {
            true => Ok(None),
            false => self.value(cell, line, column, &parse).map(Some),
        }
    }

    /// The value of a field that is not missing.
    fn value<T>(
        &self,
        cell: &Field,
        line: u64,
        column: &str,
        parse: &impl Fn(&str) -> Result<T, &'static str>,
    ) -> Result<T, Error> {
        parse(&cell.text).map_err(|wanted| {
            let is_word = cell.is_quoted && Field::plain(&cell.text).is_missing(&self.missing);
            let found = match is_word {
                // its quotes are the reason why it is not missing
                true => format!("\"{}\"", cell.text),
                false => cell.text.clone(),
            };
            let error = TableError::Value {
                table: self.name.clone(),
                unit: self.unit,
                line,
                column: column.to_owned(),
                found,
                wanted,
            };
            error.into()
        })
    }
}

pub(crate) fn real(text: &str) -> Result<f64, &'static str> {
    let value = text.parse().ok().filter(|value: &f64| value.is_finite());
    let value = value.ok_or("a finite number")?;
    match is_kept(text, value) {
        true => Ok(value),
        false => Err(KEPT),
    }
}

pub(crate) fn flag(text: &str) -> Result<bool, &'static str> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "1.0" | "true" | "yes" => Ok(true),
        "0" | "0.0" | "false" | "no" => Ok(false),
        _ => Err("0 or 1, true or false, yes or no"),
    }
}
