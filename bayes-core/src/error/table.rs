//! Errors of tables of data.

use super::FileError;
use super::run::{closest, hint, list};
use thiserror::Error;

/// What the number of a row counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowUnit {
    /// Lines of a text from 1, the header among them, or rows of a Parquet file.
    Line,
    /// Elements of a list in JSON, from 0.
    Element,
}

/// How many lines a message names.
const NAMED: usize = 5;

/// A table of data that cannot be read, or a column that is not what was asked for. Rows are numbered as [`RowUnit`] says.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum TableError {
    /// A file that the system does not read.
    #[error(transparent)]
    File(#[from] FileError),
    /// Text that is not a table.
    #[error("`{table}` is not a table: {reason}")]
    Format {
        /// The file.
        table: String,
        /// What was found, with its line.
        reason: String,
    },
    /// Two columns of one name, or one without a name.
    #[error(
        "`{table}` has no clear header: column {number} is called `{name}`; columns need names of their own"
    )]
    Header {
        /// The file.
        table: String,
        /// The column, from 1.
        number: usize,
        /// Its name.
        name: String,
    },
    /// A name that no column has.
    #[error("`{table}` has no column `{name}`{}; it has {}", hint(closest(name, columns).as_deref()), list(columns))]
    Column {
        /// The file.
        table: String,
        /// The name received.
        name: String,
        /// The columns.
        columns: Vec<String>,
    },
    /// A name that no array beside the columns has.
    #[error("`{table}` has no array `{name}`{}; it has {}", hint(closest(name, arrays).as_deref()), listed(arrays))]
    Array {
        /// The file of the columns.
        table: String,
        /// The name received.
        name: String,
        /// The arrays.
        arrays: Vec<String>,
    },
    /// A value that is not of the kind asked for.
    #[error("`{table}`, {}, column `{column}`: `{found}` is not {wanted}", places(*unit, &[*line]))]
    Value {
        /// The file.
        table: String,
        /// What the number of the row counts.
        unit: RowUnit,
        /// The number of the row.
        line: u64,
        /// The column.
        column: String,
        /// The text.
        found: String,
        /// What was asked for, in words.
        wanted: &'static str,
    },
    /// An element of an array that is not of the kind asked for.
    #[error("`{table}`, element {index:?}: `{found}` is not {wanted}")]
    Element {
        /// The file.
        table: String,
        /// The indices of the element, from 0.
        index: Vec<usize>,
        /// Its value.
        found: String,
        /// What was asked for, in words.
        wanted: &'static str,
    },
    /// Missing values in a column where every row must have one.
    #[error(
        "`{table}`, column `{column}`: no value in {}: fill it in or leave the row out (in Rust, `complete([\"{column}\"])` leaves such rows out and `optional_reals` keeps them)",
        places(*unit, lines)
    )]
    Missing {
        /// The file.
        table: String,
        /// The column.
        column: String,
        /// What the numbers of rows count.
        unit: RowUnit,
        /// The numbers of the rows.
        lines: Vec<u64>,
    },
}

/// The first of some rows, in words.
fn places(unit: RowUnit, lines: &[u64]) -> String {
    let named: Vec<String> = lines.iter().take(NAMED).map(u64::to_string).collect();
    let (word, from) = match unit {
        RowUnit::Line => ("line", ""),
        RowUnit::Element => ("element", " (from 0)"),
    };
    let plural = if lines.len() == 1 { "" } else { "s" };
    let more = match lines.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{word}{plural} {}{more}{from}", named.join(", "))
}

fn listed(arrays: &[String]) -> String {
    match arrays {
        [] => "none".to_owned(),
        _ => list(arrays),
    }
}
