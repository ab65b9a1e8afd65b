//! Errors of tables of data.

use super::FileError;
use super::run::{closest, hint, list};
use thiserror::Error;

/// What the number of a row counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowUnit {
    /// Lines of a text from 1, including the header, or rows of a Parquet file.
    Line,
    /// Elements of a list in JSON, from 0.
    Element,
}

/// Number of lines that a message names.
const NAMED: usize = 5;

/// A table of data that cannot be read, or a column of another kind than requested. Rows are numbered as [`RowUnit`]
/// says.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum TableError {
    /// A file that the system cannot read.
    #[error(transparent)]
    File(#[from] FileError),
    /// Text that is not a table.
    #[error("`{table}` is not a table: {reason}")]
    Format {
        /// The file.
        table: String,
        /// The problem, with its line.
        reason: String,
    },
    /// Two columns with the same name, or one without a name.
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
    /// A value of another kind than requested.
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
        /// The requested kind, in words.
        wanted: &'static str,
    },
    /// An element of an array of another kind than requested.
    #[error("`{table}`, element {index:?}: `{found}` is not {wanted}")]
    Element {
        /// The file.
        table: String,
        /// The indices of the element, from 0.
        index: Vec<usize>,
        /// Its value.
        found: String,
        /// The requested kind, in words.
        wanted: &'static str,
    },
    /// Missing values in a column where every row must have one.
    #[error(
        "`{table}`, column `{column}`: no value in {}{}: fill it in or leave the row out (in Rust, `complete([\"{column}\"])` leaves such rows out and `optional_reals` keeps them){}",
        places(*unit, lines),
        quoted(words),
        values(words)
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
        /// The words for missing values in these rows, each once; empty for empty fields.
        words: Vec<String>,
    },
    /// A quote where RFC 4180 allows none.
    #[error("`{table}`, line {line}, {}: {fault}", field(*number, column.as_deref()))]
    Quote {
        /// The file.
        table: String,
        /// The line, from 1. If the quote never closes, the line in which its field begins.
        line: u64,
        /// The field of its row, from 1.
        number: usize,
        /// Its column; `None` in the header, and beyond the columns.
        column: Option<String>,
        /// The fault of the quote.
        fault: QuoteFault,
    },
    /// A name that is not among the categories of another table.
    #[error(
        "`{table}`, {}, column `{column}`: `{found}` is not among the names of the table from which the categories come{}; they are {}: take a table that has it, or leave the row out",
        places(*unit, &[*line]), hint(closest(found, names).as_deref()), list(names)
    )]
    UnknownCategory {
        /// The file.
        table: String,
        /// What the number of the row counts.
        unit: RowUnit,
        /// The number of the row.
        line: u64,
        /// The column.
        column: String,
        /// The name.
        found: String,
        /// The known names.
        names: Vec<String>,
    },
    /// A baseline that is not among the categories.
    #[error("column `{column}` has no category `{wanted}`{}; it has {}", hint(closest(wanted, names).as_deref()), list(names))]
    Baseline {
        /// The column.
        column: String,
        /// The name received.
        wanted: String,
        /// The categories.
        names: Vec<String>,
    },
    /// A new column that does not fit the table.
    #[error("the new column `{column}` has {found} values, `{table}` has {rows} rows")]
    Length {
        /// The file.
        table: String,
        /// The new column.
        column: String,
        /// Its length.
        found: usize,
        /// The rows of the table.
        rows: usize,
    },
    /// A text that is not a date.
    #[error("`{text}` is no date: it must be {wanted}")]
    Date {
        /// The text.
        text: String,
        /// What a date is, in words.
        wanted: &'static str,
    },
    /// A format of dates that cannot be read.
    #[error(
        "the format `{format}` of dates {reason}; it takes %Y or %y, and %m or %b or %B with %d, or %j, and perhaps %H, %M and %S, with %% for a percent sign"
    )]
    DateFormat {
        /// The format received.
        format: String,
        /// The problem of the format.
        reason: String,
    },
}

/// The fault of a quote.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum QuoteFault {
    /// The quote opens a field and never closes.
    #[error(
        "the quote with which the field begins never closes: close it, or, if it is a part of the text, write the field as `\"\"\"text\"`"
    )]
    Open,
    /// Text follows the closing quote of a field.
    #[error(
        "`{found}` follows the closing quote of the field that begins in line {opened}: a quote there did not close, or one within the field is to be written twice (`\"\"`)"
    )]
    Behind {
        /// The line in which the field begins.
        opened: u64,
        /// The text that follows.
        found: String,
    },
    /// The quote is within a field that does not begin with a quote.
    #[error(
        "there is a quote within a field that does not begin with one: enclose the field in quotes and write the quote twice, as `\"5\"\" pipe\"`"
    )]
    Within,
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

/// The number of a field, with its column.
fn field(number: usize, column: Option<&str>) -> String {
    match column {
        Some(column) => format!("field {number} (column `{column}`)"),
        None => format!("field {number}"),
    }
}

/// Words in brackets.
fn quoted(words: &[String]) -> String {
    match words {
        [] => String::new(),
        _ => format!(" ({})", list(words)),
    }
}

/// What to do if such a word is a value.
fn values(words: &[String]) -> String {
    match words.first() {
        None => String::new(),
        Some(word) => format!(
            "; where `{word}` is a value, write it in quotes or choose the words that are missing (`with_missing`)"
        ),
    }
}

fn listed(arrays: &[String]) -> String {
    match arrays {
        [] => "none".to_owned(),
        _ => list(arrays),
    }
}
