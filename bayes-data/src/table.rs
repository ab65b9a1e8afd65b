//! A table: named columns of text, row by row.

use crate::array::Array;
use bayes_core::Error;
use bayes_core::run::{FileError, RowUnit, TableError};
use csv::{ReaderBuilder, StringRecord, Trim};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Texts that stand for a missing value, in any mixture of cases.
const MISSING: [&str; 7] = ["", "na", "n/a", "nan", "null", "none", "?"];

/// A table with a header. A column becomes the argument of a model by the method of its kind: [`reals`](Self::reals),
/// [`counts`](Self::counts), [`indices`](Self::indices), [`flags`](Self::flags), [`categories`](Self::categories). It may have
/// [arrays](Self::array) beside them, such as images.
///
/// An empty field is a missing value, and so are `NA`, `N/A`, `NaN`, `NULL`, `None` and `?`. Columns with missing values are refused unless
/// you say what to do: [`complete`](Self::complete) or [`optional_reals`](Self::optional_reals).
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The file, for messages.
    pub(crate) name: String,
    columns: Vec<String>,
    /// The number of each row, in this unit.
    pub(crate) unit: RowUnit,
    pub(crate) lines: Vec<u64>,
    /// `[rows, columns]` row-major.
    fields: Vec<String>,
    /// Arrays beside the columns, by name.
    pub(crate) arrays: BTreeMap<String, Array>,
}

impl Table {
    /// Reads a file by the ending of its name: `.tsv` is separated by tabs, `.json` is JSON, `.parquet` a Parquet file, anything else separated by
    /// commas.
    ///
    /// # Errors
    /// As [`read_csv`](Self::read_csv) and [`read_json`](Self::read_json); [`TableError::Format`] for a Parquet file without the feature `parquet`.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
        match ending.to_str() {
            Some("tsv") => Self::read_delimited(path, b'\t'),
            Some("json") => Self::read_json(path),
            #[cfg(feature = "parquet")]
            Some("parquet") => Self::read_parquet(path),
            #[cfg(not(feature = "parquet"))]
            Some("parquet") => Err(TableError::Format {
                table: path.display().to_string(),
                reason: "Parquet files are read with the feature `parquet` of the crate `bayes`"
                    .to_owned(),
            }
            .into()),
            _ => Self::read_csv(path),
        }
    }

    /// Reads a file of comma-separated values whose first line has the names of the columns.
    ///
    /// # Errors
    /// [`TableError`]: a file that cannot be read or is empty, a header without commas but with semicolons or tabs, rows of different lengths, text that is not UTF-8, or columns of one name.
    pub fn read_csv(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::read_delimited(path, b',')
    }

    /// Reads a file whose fields are separated by this character, such as `b';'` or `b'\t'`.
    ///
    /// # Errors
    /// As [`read_csv`](Self::read_csv).
    pub fn read_delimited(path: impl AsRef<Path>, delimiter: u8) -> Result<Self, Error> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let file = File::open(path).map_err(|error| unread(&name, &error))?;
        Self::parse(file, name, delimiter)
    }

    /// A table without columns, for [arrays](Self::with_array) alone.
    #[must_use]
    pub fn without_columns() -> Self {
        Self {
            name: "the data".to_owned(),
            columns: Vec::new(),
            unit: RowUnit::Line,
            lines: Vec::new(),
            fields: Vec::new(),
            arrays: BTreeMap::new(),
        }
    }

    /// Reads comma-separated values from anywhere, such as the bytes of a text.
    ///
    /// # Errors
    /// As [`read_csv`](Self::read_csv).
    pub fn from_csv(reader: impl Read) -> Result<Self, Error> {
        Self::parse(reader, "the text".to_owned(), b',')
    }

    fn parse(mut source: impl Read, name: String, delimiter: u8) -> Result<Self, Error> {
        let mut bytes = Vec::new();
        let read = source.read_to_end(&mut bytes);
        read.map_err(|error| unread(&name, &error))?;
        let mut reader = ReaderBuilder::new()
            .delimiter(delimiter)
            .trim(Trim::All)
            .from_reader(bytes.as_slice());
        let wrong = |error: csv::Error| TableError::Format {
            table: name.clone(),
            reason: reason(&bytes, &error),
        };
        let header = reader.headers().map_err(wrong)?;
        let columns: Vec<String> = header.iter().map(str::to_owned).collect();
        if columns.is_empty() {
            return Err(empty(name).into());
        }
        check_header(&name, &columns)?;
        if delimiter == b',' && columns.len() == 1 {
            check_delimiter(&bytes).map_err(|reason| TableError::Format {
                table: name.clone(),
                reason,
            })?;
        }
        let (mut lines, mut fields) = (Vec::new(), Vec::new());
        let mut record = StringRecord::new();
        while reader.read_record(&mut record).map_err(wrong)? {
            lines.push(record.position().map_or(0, |start| line(&bytes, start)));
            fields.extend(record.iter().map(str::to_owned));
        }
        Ok(Self::new(name, columns, lines, fields))
    }

    /// A table of these fields, `[rows, columns]` row-major, whose header was checked, with the number of each row's line.
    pub(crate) fn new(
        name: String,
        columns: Vec<String>,
        lines: Vec<u64>,
        fields: Vec<String>,
    ) -> Self {
        Self {
            name,
            columns,
            unit: RowUnit::Line,
            lines,
            fields,
            arrays: BTreeMap::new(),
        }
    }

    /// Number of rows, without the header.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.lines.len()
    }

    /// The names of the columns.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The rows that have values in all of these columns. `table.rows()` says how many they are.
    ///
    /// # Errors
    /// [`TableError::Column`] for a name that no column has.
    pub fn complete<S: AsRef<str>>(
        &self,
        columns: impl IntoIterator<Item = S>,
    ) -> Result<Self, Error> {
        let places = columns.into_iter().map(|name| self.place(name.as_ref()));
        let places: Vec<usize> = places.collect::<Result<_, _>>()?;
        let width = self.columns.len();
        let has_all = |row: &[String]| places.iter().all(|place| !is_missing(&row[*place]));
        let rows = self
            .lines
            .iter()
            .zip(self.fields.chunks_exact(width.max(1)));
        let (lines, fields): (Vec<u64>, Vec<&[String]>) =
            rows.filter(|(_, row)| has_all(row)).unzip();
        Ok(Self {
            name: self.name.clone(),
            columns: self.columns.clone(),
            unit: self.unit,
            lines,
            fields: fields.concat(),
            arrays: self.arrays.clone(),
        })
    }

    /// The texts of a column, `[rows]`; missing ones as they are in the file.
    ///
    /// # Errors
    /// [`TableError::Column`] if there is no such column.
    pub fn texts(&self, column: &str) -> Result<Vec<&str>, Error> {
        let place = self.place(column)?;
        let fields = self.fields.iter().skip(place).step_by(self.columns.len());
        Ok(fields.map(String::as_str).collect())
    }

    fn place(&self, name: &str) -> Result<usize, TableError> {
        let place = self.columns.iter().position(|column| column == name);
        place.ok_or_else(|| TableError::Column {
            table: self.name.clone(),
            name: name.to_owned(),
            columns: self.columns.clone(),
        })
    }
}

/// Columns have names, each its own.
pub(crate) fn check_header(table: &str, columns: &[String]) -> Result<(), TableError> {
    let wrong = |(k, name): &(usize, &String)| name.is_empty() || columns[..*k].contains(name);
    match columns.iter().enumerate().find(wrong) {
        None => Ok(()),
        Some((k, name)) => Err(TableError::Header {
            table: table.to_owned(),
            number: k + 1,
            name: name.clone(),
        }),
    }
}

/// A header of one name is not one of several that something else than commas separates.
///
/// # Errors
/// In words.
fn check_delimiter(bytes: &[u8]) -> Result<(), String> {
    let mut lines = bytes.split(|byte| *byte == b'\n');
    let line = lines.find(|line| !line.trim_ascii().is_empty());
    // every second piece is quoted
    let pieces = line.unwrap_or_default().split(|byte| *byte == b'"');
    let plain: Vec<u8> = pieces.step_by(2).flatten().copied().collect();
    for (delimiter, names, advice) in [
        (
            b';',
            "semicolons",
            "write the file with commas (in Rust, `Table::read_delimited(path, b';')` reads it)",
        ),
        (b'\t', "tabs", "call the file .tsv, or write it with commas"),
    ] {
        if plain.contains(&delimiter) {
            return Err(format!(
                "its first line has no comma, but {names}; {advice}"
            ));
        }
    }
    Ok(())
}

/// The error for a file that holds nothing.
pub(crate) fn empty(table: String) -> TableError {
    TableError::Format {
        table,
        reason: "it is empty".to_owned(),
    }
}

/// Whether a text stands for a missing value.
pub(crate) fn is_missing(text: &str) -> bool {
    MISSING
        .iter()
        .any(|missing| text.eq_ignore_ascii_case(missing))
}

pub(crate) fn unread(path: &str, error: &std::io::Error) -> TableError {
    TableError::File(FileError::system(Path::new(path), "read", error))
}

/// The line of a row that begins at or, after empty lines, behind this position.
fn line(bytes: &[u8], start: &csv::Position) -> u64 {
    let rest = bytes.get(start.byte() as usize..).unwrap_or_default();
    let empty = rest.iter().take_while(|byte| matches!(byte, b'\n' | b'\r'));
    start.line() + empty.filter(|byte| **byte == b'\n').count() as u64
}

/// What is wrong with the text, with its line.
fn reason(bytes: &[u8], error: &csv::Error) -> String {
    let line = error.position().map_or(0, |start| line(bytes, start));
    match error.kind() {
        csv::ErrorKind::UnequalLengths {
            expected_len, len, ..
        } => format!("line {line} has {len} fields, the header has {expected_len}"),
        csv::ErrorKind::Utf8 { err, .. } => format!("line {line} is not UTF-8: {err}"),
        _ => error.to_string(),
    }
}
