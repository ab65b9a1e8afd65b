//! Columns of numbers, flags and dates as the arguments of models.

use crate::blocks;
use crate::cells::Cell;
use crate::date::{Date, Format};
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
        let value = |(cell, line): (Cell<'_>, &u64)| self.optional(cell, *line, column, real);
        self.cells(column)?.iter().zip(lines).map(value).collect()
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
    pub(crate) fn parsed<T: Send + Sync>(
        &self,
        column: &str,
        parse: impl Fn(&str) -> Result<T, &'static str> + Sync,
    ) -> Result<Vec<T>, Error> {
        let cells = self.cells(column)?;
        let at = |row: usize| (cells.at(row), self.lines[row]);
        let content = blocks::read(cells, |cell| cell.is_missing(&self.missing), parse);
        if !content.missing.is_empty() {
            let missing: Vec<(Cell<'_>, u64)> = content.missing.into_iter().map(at).collect();
            return Err(self.lacks(column, &missing).into());
        }
        match content.wrong {
            None => Ok(content.values),
            Some((row, wanted)) => Err(self.unread(at(row), column, wanted).into()),
        }
    }

    /// The texts of a column in which every row has a value, `[rows]`.
    pub(crate) fn filled(&self, column: &str) -> Result<Vec<&str>, Error> {
        self.parsed(column, |_| Ok(()))?;
        self.texts(column)
    }

    /// The error for these values that are missing, each with its line.
    pub(crate) fn lacks(&self, column: &str, missing: &[(Cell<'_>, u64)]) -> TableError {
        let words = missing.iter().map(|(cell, _)| cell.text);
        let mut words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        words.sort_unstable();
        words.dedup();
        let words = words.into_iter().map(str::to_owned).collect();
        TableError::Missing {
            table: self.name.clone(),
            column: column.to_owned(),
            unit: self.unit,
            lines: missing.iter().map(|(_, line)| *line).collect(),
            words,
        }
    }

    /// A value that may be missing; `None` if it is.
    pub(crate) fn optional<T>(
        &self,
        cell: Cell<'_>,
        line: u64,
        column: &str,
        parse: impl Fn(&str) -> Result<T, &'static str>,
    ) -> Result<Option<T>, Error> {
        if cell.is_missing(&self.missing) {
            return Ok(None);
        }
        let value = parse(cell.text);
        let value = value.map_err(|wanted| self.unread((cell, line), column, wanted))?;
        Ok(Some(value))
    }

    /// The error for a text that is not the wanted one.
    fn unread(
        &self,
        (cell, line): (Cell<'_>, u64),
        column: &str,
        wanted: &'static str,
    ) -> TableError {
        let unquoted = Cell {
            is_quoted: false,
            ..cell
        };
        let found = match cell.is_quoted && unquoted.is_missing(&self.missing) {
            // its quotes are the reason why it is not missing
            true => format!("\"{}\"", cell.text),
            false => cell.text.to_owned(),
        };
        TableError::Value {
            table: self.name.clone(),
            unit: self.unit,
            line,
            column: column.to_owned(),
            found,
            wanted,
        }
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
