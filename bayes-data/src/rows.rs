//! Choosing rows, and adding columns.

use crate::cells::{Cell, Cells};
use crate::column::{flag, real};
use crate::date::Date;
use crate::field::Field;
use crate::table::{Table, check_header};
use crate::whole::whole;
use bayes_core::Error;
use bayes_core::run::TableError;
use std::sync::Arc;

/// A row of a table: its values by their columns.
#[derive(Clone, Copy, Debug)]
pub struct Row<'t> {
    table: &'t Table,
    row: usize,
    line: u64,
}

impl Table {
    /// The rows that satisfy a condition.
    ///
    /// ```
    /// let text = "site,age\nnorth,17\nsouth,40\nnorth,52\n";
    /// let table = bayes_data::Table::from_csv(text.as_bytes())?;
    /// let adults = table.filter(|row| Ok(row.real("age")? >= 18.0 && row.text("site")? != "south"))?;
    /// assert_eq!(adults.reals("age")?, [52.0]);
    /// # Ok::<(), bayes_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// The first error of the condition.
    pub fn filter(
        &self,
        mut is_kept: impl FnMut(Row<'_>) -> Result<bool, Error>,
    ) -> Result<Self, Error> {
        let rows = self.lines.iter().enumerate();
        let row = |(row, line): (usize, &u64)| Row {
            table: self,
            row,
            line: *line,
        };
        let keep = rows.map(|at| is_kept(row(at)));
        Ok(self.kept(&keep.collect::<Result<Vec<bool>, _>>()?))
    }

    /// The table with one more column, one value for each row, which replaces an earlier column with this name.
    ///
    /// ```
    /// let table = bayes_data::Table::from_csv(&b"dose\n1\n100\n"[..])?;
    /// let log_dose = table.reals("dose")?.into_iter().map(f64::ln);
    /// let table = table.with_column("log_dose", log_dose)?;
    /// assert_eq!(table.reals("log_dose")?, [0.0, 100f64.ln()]);
    /// # Ok::<(), bayes_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`TableError::Length`] unless there are as many values as rows; [`TableError::Header`] for an empty name.
    pub fn with_column<C: Into<Field>>(
        &self,
        name: &str,
        values: impl IntoIterator<Item = C>,
    ) -> Result<Self, Error> {
        let values: Vec<Field> = values.into_iter().map(Into::into).collect();
        if values.len() != self.rows() {
            return Err(Error::from(TableError::Length {
                table: self.name.clone(),
                column: name.to_owned(),
                found: values.len(),
                rows: self.rows(),
            }));
        }
        let mut columns = self.columns.clone();
        let place = self.place(name).unwrap_or(columns.len());
        if place == columns.len() {
            columns.push(name.to_owned());
        }
        check_header(&self.name, &columns)?;
        let new = Arc::new(Cells::from_iter(values));
        let mut cells = self.cells.clone();
        match cells.get_mut(place) {
            Some(old) => *old = new,
            None => cells.push(new),
        }
        let mut orders = self.orders.clone();
        orders.remove(name);
        Ok(Self {
            columns,
            cells,
            orders,
            ..self.clone()
        })
    }
}

impl<'t> Row<'t> {
    /// A finite number.
    ///
    /// # Errors
    /// The errors of [`Table::reals`].
    pub fn real(&self, column: &str) -> Result<f64, Error> {
        self.value(column, real)
    }

    /// A finite number, or `None` for a missing value.
    ///
    /// # Errors
    /// The errors of [`Table::optional_reals`].
    pub fn optional_real(&self, column: &str) -> Result<Option<f64>, Error> {
        let cell = self.cell(column)?;
        self.table.optional(cell, self.line, column, real)
    }

    /// A whole number from 0 on.
    ///
    /// # Errors
    /// The errors of [`Table::counts`].
    pub fn count(&self, column: &str) -> Result<u64, Error> {
        self.value(column, whole::<u64>)
    }

    /// `0` and `1`, `true` and `false`, or `yes` and `no`.
    ///
    /// # Errors
    /// The errors of [`Table::flags`].
    pub fn flag(&self, column: &str) -> Result<bool, Error> {
        self.value(column, flag)
    }

    /// An ISO 8601 date.
    ///
    /// # Errors
    /// The errors of [`Table::dates`].
    pub fn date(&self, column: &str) -> Result<Date, Error> {
        self.value(column, Date::iso)
    }

    /// A text; a missing value gives its text in the file.
    ///
    /// # Errors
    /// [`TableError::Column`] if there is no such column.
    pub fn text(&self, column: &str) -> Result<&'t str, Error> {
        Ok(self.cell(column)?.text)
    }

    fn cell(&self, column: &str) -> Result<Cell<'t>, Error> {
        Ok(self.table.cells(column)?.at(self.row))
    }

    fn value<T>(
        &self,
        column: &str,
        parse: impl Fn(&str) -> Result<T, &'static str>,
    ) -> Result<T, Error> {
        let cell = self.cell(column)?;
        let value = self.table.optional(cell, self.line, column, parse)?;
        Ok(value.ok_or_else(|| self.table.lacks(column, &[(cell, self.line)]))?)
    }
}
