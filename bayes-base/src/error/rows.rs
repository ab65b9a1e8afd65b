//! Errors of rows.

use bayes_autodiff::fault::Fault;
use thiserror::Error;

/// The number of rows of one argument of a model, or of one field of an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowCount {
    /// The user's name for it: `x`, or `data.x` for a field.
    pub name: String,
    /// Number of rows.
    pub rows: usize,
}

/// Why there is no model of the requested rows.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum RowsError {
    /// Data marked `#[rows]` with different numbers of rows.
    #[error(
        "{}; data marked `#[rows]` have one row for each observation",
        list(counts)
    )]
    Lengths {
        /// The row counts of all arguments.
        counts: Vec<RowCount>,
    },
    /// A row that the data do not have.
    #[error("row {row} is out of range, the data have {rows} row{}, counted from 0", plural(*rows))]
    OutOfRange {
        /// The requested row.
        row: usize,
        /// Number of rows.
        rows: usize,
    },
    /// More parts than rows, or no parts.
    #[error("{rows} row{} cannot be divided into {parts} part{}", plural(*rows), plural(*parts))]
    Parts {
        /// Number of parts requested.
        parts: usize,
        /// Number of rows.
        rows: usize,
    },
    /// A part without rows.
    #[error("part {part} has no rows; every part needs at least one")]
    EmptyPart {
        /// The part, from 0.
        part: usize,
    },
    /// Parts of different models.
    #[error(
        "part {part} and part 0 are of different models; all parts are subsets of the same model with the same data"
    )]
    OtherModel {
        /// The part, from 0.
        part: usize,
    },
    /// A row in two parts, or twice in one.
    #[error("{}; every row must be in exactly one part", twice(*row, *first, *second))]
    Twice {
        /// The row.
        row: usize,
        /// The first part with the row, from 0.
        first: usize,
        /// The second part with the row, from 0.
        second: usize,
    },
    /// Rows that no part has.
    #[error("row {row}{} in no part; every row must be in exactly one part", and_others(*others))]
    Missing {
        /// The first missing row.
        row: usize,
        /// Number of other missing rows.
        others: usize,
    },
    /// A random quantity whose size depends on the rows.
    #[error(
        "`{name}` in `{statement}` ({file}:{line}) has {whole} element{} with all rows and {part} with {rows} of them{}; the \
         rows of a model with a random value for each of them, as `impute` makes for missing ones, cannot be chosen from",
        plural(*whole), as_well(others)
    )]
    Quantity {
        /// The quantity.
        name: &'static str,
        /// The text of its statement.
        statement: &'static str,
        /// Source file of the model.
        file: &'static str,
        /// Line of the statement, from 1.
        line: u32,
        /// Its number of elements with all rows.
        whole: usize,
        /// Its number of elements with some of the rows.
        part: usize,
        /// Number of these rows.
        rows: usize,
        /// The other quantities that change with the rows.
        others: Box<[&'static str]>,
    },
    /// The model stopped with these rows.
    #[error("with {rows} row{}: {fault}", plural(*rows))]
    Fault {
        /// Number of rows.
        rows: usize,
        /// Why the model stopped.
        fault: Fault,
    },
}

fn list(counts: &[RowCount]) -> String {
    let one = |count: &RowCount| {
        let RowCount { name, rows } = count;
        format!("`{name}` has {rows} row{}", plural(*rows))
    };
    counts.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// The other quantities that change with the rows.
fn as_well(others: &[&str]) -> String {
    match others {
        [] => String::new(),
        [_, _, ..] => format!(", and `{}` change with the rows too", others.join("`, `")),
        others => format!(", and `{}` changes with the rows too", others.join("`, `")),
    }
}

fn twice(row: usize, first: usize, second: usize) -> String {
    match first == second {
        true => format!("row {row} is twice in part {first}"),
        false => format!("row {row} is in part {first} and in part {second}"),
    }
}

fn and_others(others: usize) -> String {
    match others {
        0 => " is".to_owned(),
        _ => format!(" and {others} other{} are", plural(others)),
    }
}

fn plural(number: usize) -> &'static str {
    if number == 1 { "" } else { "s" }
}
