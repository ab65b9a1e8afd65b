//! A table: named columns of text, row by row.

use crate::array::Array;
use crate::cells::{Cell, Cells};
use crate::separated::{Misplaced, Separated, line_ends};
use bayes_core::Error;
use bayes_core::run::{FileError, RowUnit, TableError};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// Words for a missing value, in upper or lower case, by default.
const MISSING: [&str; 6] = ["NA", "N/A", "NaN", "NULL", "None", "?"];

/// The name of a first column without a name.
const ROW_NAMES: &str = "(row)";

/// A table with a header. A column becomes the argument of a model by the method of its kind: [`reals`](Self::reals),
/// [`counts`](Self::counts), [`indices`](Self::indices), [`flags`](Self::flags), [`categories`](Self::categories). [Arrays](Self::array),
/// such as images, may accompany the columns.
///
/// An empty field is a missing value, and so are `NA`, `N/A`, `NaN`, `NULL`, `None` and `?`, in upper or lower case, unless
/// [`with_missing`](Self::with_missing) chooses other words. Texts are never missing: `"NA"` within quotes, in JSON, and in a column of
/// texts of a Parquet file. Columns with missing values are refused unless you say what to do: [`complete`](Self::complete) or
/// [`optional_reals`](Self::optional_reals).
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The file, for messages.
    pub(crate) name: String,
    pub(crate) columns: Vec<String>,
    /// The number of each row, in this unit.
    pub(crate) unit: RowUnit,
    pub(crate) lines: Vec<u64>,
    /// The values of each column. A copy of the table shares them: a model keeps its table.
    pub(crate) cells: Vec<Arc<Cells>>,
    /// The words for a missing value.
    pub(crate) missing: Vec<String>,
    /// Arrays beside the columns, by name.
    pub(crate) arrays: BTreeMap<String, Array>,
    /// The labels of a column in their given order.
    pub(crate) orders: BTreeMap<String, Vec<String>>,
}

impl Table {
    /// Reads a file by the ending of its name: `.tsv` is separated by tabs, `.json` is JSON, `.parquet` a Parquet file, anything else is
    /// separated by commas.
    ///
    /// # Errors
    /// The errors of [`read_csv`](Self::read_csv) and [`read_json`](Self::read_json); [`TableError::Format`] for a Parquet file without
    /// the feature `parquet`.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::read_by_ending(path.as_ref())
    }

    fn read_by_ending(path: &Path) -> Result<Self, Error> {
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
    /// [`TableError`]: a file that cannot be read or is empty, a header without commas but with semicolons or tabs, rows of different
    /// lengths, text that is not UTF-8, or columns with the same name. [`TableError::Quote`] for a quote that does not close or is at a
    /// place where RFC 4180 allows none.
    pub fn read_csv(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::read_delimited(path, b',')
    }

    /// Reads a file whose fields are separated by this character, such as `b';'` or `b'\t'`.
    ///
    /// # Errors
    /// The errors of [`read_csv`](Self::read_csv).
    pub fn read_delimited(path: impl AsRef<Path>, delimiter: u8) -> Result<Self, Error> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let mut file = File::open(path).map_err(|error| unread(&name, &error))?;
        Self::parse(&mut file, name, delimiter)
    }

    /// A table without columns, for [arrays](Self::with_array) alone.
    #[must_use]
    pub fn without_columns() -> Self {
        Self::new("the data".to_owned(), Vec::new(), Vec::new(), Vec::new())
    }

    /// Reads comma-separated values from any reader, such as the bytes of a text. A first column without a name, where R and pandas write
    /// the names of rows, is called `(row)`.
    ///
    /// # Errors
    /// The errors of [`read_csv`](Self::read_csv).
    pub fn from_csv(mut reader: impl Read) -> Result<Self, Error> {
        Self::parse(&mut reader, "the text".to_owned(), b',')
    }

    /// Not generic over the reader: it would be compiled in each program that reads a table.
    fn parse(source: &mut dyn Read, name: String, delimiter: u8) -> Result<Self, Error> {
        let mut bytes = Vec::new();
        let read = source.read_to_end(&mut bytes);
        read.map_err(|error| unread(&name, &error))?;
        let wrong = |reason: String| TableError::Format {
            table: name.clone(),
            reason,
        };
        let text = text_of(&bytes).map_err(wrong)?;
        if delimiter == b',' {
            check_delimiter(text).map_err(wrong)?;
        }
        let mut reader = Separated::new(text, char::from(delimiter));
        let mut row = Vec::new();
        let header = reader.record(&mut row);
        if header.map_err(|at| misplaced(&name, &[], at))?.is_none() {
            return Err(empty(name).into());
        }
        let mut columns: Vec<String> = row.iter().map(|(text, _)| text.to_string()).collect();
        if columns.len() > 1 && columns[0].is_empty() {
            ROW_NAMES.clone_into(&mut columns[0]);
        }
        check_header(&name, &columns)?;
        let mut lines = Vec::new();
        let mut cells = vec![Cells::default(); columns.len()];
        let fault = |at| misplaced(&name, &columns, at);
        while let Some(line) = reader.record(&mut row).map_err(fault)? {
            if row.len() != columns.len() {
                let (found, wanted) = (row.len(), columns.len());
                let reason = format!("line {line} has {found} fields, the header has {wanted}");
                return Err(wrong(reason).into());
            }
            lines.push(line);
            for (cells, (text, is_quoted)) in cells.iter_mut().zip(&row) {
                cells.push(Cell {
                    text,
                    is_quoted: *is_quoted,
                });
            }
        }
        Ok(Self::new(name, columns, lines, cells))
    }

    /// A table of these columns, with a checked header and the line of each row.
    pub(crate) fn new(
        name: String,
        columns: Vec<String>,
        lines: Vec<u64>,
        cells: Vec<Cells>,
    ) -> Self {
        Self {
            name,
            columns,
            unit: RowUnit::Line,
            lines,
            cells: cells.into_iter().map(Arc::new).collect(),
            missing: MISSING.map(str::to_owned).to_vec(),
            arrays: BTreeMap::new(),
            orders: BTreeMap::new(),
        }
    }

    /// Number of rows, without the header.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.lines.len()
    }

    /// The number of each row where it comes from, `[rows]`: the line of a file, or its place among rows of columns. Rows keep their numbers
    /// when others are left out.
    #[must_use]
    pub fn row_numbers(&self) -> &[u64] {
        &self.lines
    }

    /// The names of the columns.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The rows that have values in all of these columns. `rows()` of the result is their number.
    ///
    /// # Errors
    /// [`TableError::Column`] for a name that no column has.
    pub fn complete<S: AsRef<str>>(
        &self,
        columns: impl IntoIterator<Item = S>,
    ) -> Result<Self, Error> {
        let places = columns.into_iter().map(|name| self.place(name.as_ref()));
        let places: Vec<usize> = places.collect::<Result<_, _>>()?;
        let mut keep = vec![true; self.rows()];
        for place in places {
            let cells = self.cells[place].iter();
            for (keep, cell) in keep.iter_mut().zip(cells) {
                *keep &= !cell.is_missing(&self.missing);
            }
        }
        Ok(self.kept(&keep))
    }

    /// The rows whose entry in `keep` is true.
    pub(crate) fn kept(&self, keep: &[bool]) -> Self {
        if keep.iter().all(|keep| *keep) {
            return self.clone();
        }
        let lines = self.lines.iter().zip(keep).filter(|(_, keep)| **keep);
        let cells = self.cells.iter().map(|cells| Arc::new(cells.kept(keep)));
        Self {
            lines: lines.map(|(line, _)| *line).collect(),
            cells: cells.collect(),
            name: self.name.clone(),
            columns: self.columns.clone(),
            unit: self.unit,
            missing: self.missing.clone(),
            arrays: self.arrays.clone(),
            orders: self.orders.clone(),
        }
    }

    /// The same table with these words for a missing value, in upper or lower case, in place of `NA`, `N/A`, `NaN`, `NULL`, `None` and
    /// `?`. An empty field is always missing, so `with_missing([""])` gives a table without such words, in which `NA` may be Namibia.
    /// Quoted words are texts: they are never missing.
    ///
    /// ```
    /// let text = "country,dose\nNA,1\nZA,-99\n\"NA\",3\n";
    /// let table = bayes_data::Table::from_csv(text.as_bytes())?.with_missing(["-99"]);
    /// assert_eq!(table.categories("country")?.names, ["NA", "ZA"]);
    /// assert_eq!(table.optional_reals("dose")?, [Some(1.0), None, Some(3.0)]);
    /// # Ok::<(), bayes_core::Error>(())
    /// ```
    #[must_use]
    pub fn with_missing<S: Into<String>>(&self, words: impl IntoIterator<Item = S>) -> Self {
        Self {
            missing: words.into_iter().map(Into::into).collect(),
            ..self.clone()
        }
    }

    /// The texts of a column, `[rows]`; missing values as in the file.
    ///
    /// # Errors
    /// [`TableError::Column`] if there is no such column.
    pub fn texts(&self, column: &str) -> Result<Vec<&str>, Error> {
        let cells = self.cells(column)?.iter();
        Ok(cells.map(|cell| cell.text).collect())
    }

    /// The values of a column, `[rows]`.
    pub(crate) fn cells(&self, column: &str) -> Result<&Cells, TableError> {
        Ok(&self.cells[self.place(column)?])
    }

    pub(crate) fn place(&self, name: &str) -> Result<usize, TableError> {
        let place = self.columns.iter().position(|column| column == name);
        place.ok_or_else(|| TableError::Column {
            table: self.name.clone(),
            name: name.to_owned(),
            columns: self.columns.clone(),
        })
    }
}

/// Checks that every column has a name, and that the names differ.
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

/// Checks that a header of a single name is not several names with another separator than the comma.
///
/// # Errors
/// In words, the likely separator.
fn check_delimiter(text: &str) -> Result<(), String> {
    let line = text.lines().find(|line| !line.trim_ascii().is_empty());
    // every second piece is quoted
    let plain: String = line.unwrap_or_default().split('"').step_by(2).collect();
    if plain.contains(',') {
        return Ok(());
    }
    for (delimiter, names, advice) in [
        (
            ';',
            "semicolons",
            "write the file with commas (in Rust, `Table::read_delimited(path, b';')` reads it)",
        ),
        ('\t', "tabs", "call the file .tsv, or write it with commas"),
    ] {
        if plain.contains(delimiter) {
            return Err(format!(
                "its first line has no comma, but {names}; {advice}"
            ));
        }
    }
    Ok(())
}

/// The error for an empty file.
pub(crate) fn empty(table: String) -> TableError {
    TableError::Format {
        table,
        reason: "it is empty".to_owned(),
    }
}

pub(crate) fn unread(path: &str, error: &std::io::Error) -> TableError {
    TableError::File(FileError::system(Path::new(path), "read", error))
}

/// The bytes as text.
///
/// # Errors
/// In words, with the first line that is not text.
fn text_of(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|error| {
        let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        let line = 1 + line_ends(&before);
        format!("line {line} is not UTF-8: {error}")
    })
}

/// The error for a misplaced quote.
fn misplaced(table: &str, columns: &[String], at: Misplaced) -> TableError {
    TableError::Quote {
        table: table.to_owned(),
        line: at.line,
        number: at.number,
        column: columns.get(at.number - 1).cloned(),
        fault: at.fault,
    }
}
