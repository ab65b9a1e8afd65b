//! Tables from JSON: columns by name, as in Stan's data files, or a list of rows.

use crate::cells::Cells;
use crate::field::Field;
use crate::table::{Table, check_header, empty, unread};
use bayes_core::Error;
use bayes_core::run::{RowUnit, TableError};
use serde_json::{Map, Value};
use std::path::Path;

impl Table {
    /// Reads a file of JSON: an object of columns, `{"effect": [28, 8], "error": [15, 10]}`, or an array of rows,
    /// `[{"effect": 28, "error": 15}, ..]`.
    ///
    /// Values are numbers, texts, `true`, `false`, or `null`, which is missing. A text such as `"NA"` is not missing, unless it is empty.
    /// A single value is a column of that value, such as Stan's `N`. An array of arrays is the columns `x[0]`, `x[1]` and so on of a
    /// matrix. Messages number the rows like the elements, from 0.
    ///
    /// # Errors
    /// [`TableError`]: a file that cannot be read, text that is not JSON of one of these forms, or columns of different lengths.
    pub fn read_json(path: impl AsRef<Path>) -> Result<Self, Error> {
        let name = path.as_ref().display().to_string();
        let text = std::fs::read_to_string(&path).map_err(|error| unread(&name, &error))?;
        Self::parse_json(&text, name)
    }

    /// The table of a text as [`read_json`](Self::read_json) describes it.
    ///
    /// # Errors
    /// The errors of [`read_json`](Self::read_json).
    pub fn from_json(text: &str) -> Result<Self, Error> {
        Self::parse_json(text, "the text".to_owned())
    }

    fn parse_json(text: &str, name: String) -> Result<Self, Error> {
        if text.trim().is_empty() {
            return Err(empty(name).into());
        }
        let columns = serde_json::from_str(text)
            .map_err(|error| error.to_string())
            .and_then(|value| match value {
                Value::Object(columns) => of_columns(&columns),
                Value::Array(rows) => of_rows(&rows),
                _ => Err("it is neither an object of columns nor an array of rows".to_owned()),
            });
        let columns = columns.map_err(|reason| TableError::Format {
            table: name.clone(),
            reason,
        })?;
        let rows = columns.first().map_or(0, |(_, fields)| fields.len());
        let (names, columns): (Vec<String>, Vec<Vec<Field>>) = columns.into_iter().unzip();
        check_header(&name, &names)?;
        let cells = columns.into_iter().map(Cells::from_iter).collect();
        let mut table = Self::new(name, names, (0..rows as u64).collect(), cells);
        table.unit = RowUnit::Element;
        Ok(table)
    }
}

/// A name with its values.
type Column = (String, Vec<Field>);

/// An object of columns; single values are repeated.
fn of_columns(object: &Map<String, Value>) -> Result<Vec<Column>, String> {
    let longest = object
        .iter()
        .find_map(|(name, value)| Some((name, value.as_array()?.len())));
    let rows = longest.map_or(1, |(_, rows)| rows);
    let mut columns = Vec::new();
    for (name, value) in object {
        let Value::Array(values) = value else {
            columns.push((name.clone(), vec![cell(name, value)?; rows]));
            continue;
        };
        if values.len() != rows {
            let (first, found) = (longest.map_or("", |(first, _)| first), values.len());
            return Err(format!("`{name}` has {found} values, `{first}` has {rows}"));
        }
        match values.first() {
            Some(Value::Array(_)) => columns.extend(of_matrix(name, values)?),
            _ => {
                let cells = values.iter().map(|value| cell(name, value));
                columns.push((name.clone(), cells.collect::<Result<_, _>>()?));
            }
        }
    }
    Ok(columns)
}

/// The columns of a matrix, given by its rows.
fn of_matrix(name: &str, rows: &[Value]) -> Result<Vec<Column>, String> {
    let rows: Vec<&Vec<Value>> = rows
        .iter()
        .map(|row| {
            row.as_array()
                .ok_or_else(|| format!("`{name}` has rows and values"))
        })
        .collect::<Result<_, _>>()?;
    let width = rows.first().map_or(0, |row| row.len());
    if let Some(other) = rows.iter().position(|row| row.len() != width) {
        let found = rows[other].len();
        return Err(format!(
            "element {other} (from 0) of `{name}` has {found} values, the first has {width}"
        ));
    }
    let column = |k: usize| {
        let cells = rows.iter().map(|row| cell(name, &row[k]));
        Ok((
            format!("{name}[{k}]"),
            cells.collect::<Result<_, String>>()?,
        ))
    };
    (0..width).map(column).collect()
}

/// An array of rows; the first row has the names of the columns.
fn of_rows(rows: &[Value]) -> Result<Vec<Column>, String> {
    let mut columns: Vec<Column> = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let row = row
            .as_object()
            .ok_or_else(|| format!("element {number} (from 0) is not an object"))?;
        if number == 0 {
            columns.extend(row.keys().map(|name| (name.clone(), Vec::new())));
        }
        if let Some(name) = row
            .keys()
            .find(|name| !columns.iter().any(|(known, _)| known == *name))
        {
            return Err(format!(
                "element {number} (from 0) has `{name}`, the first has not"
            ));
        }
        for (name, fields) in &mut columns {
            // an absent value is missing
            fields.push(cell(name, row.get(name).unwrap_or(&Value::Null))?);
        }
    }
    Ok(columns)
}

/// A value as the field of a CSV file; an empty field for a missing value.
fn cell(name: &str, value: &Value) -> Result<Field, String> {
    match value {
        Value::Null => Ok(Field::plain("")),
        Value::Bool(flag) => Ok(Field::plain(flag.to_string())),
        Value::Number(number) => Ok(Field::plain(number.to_string())),
        Value::String(text) => Ok(Field::quoted(text)),
        Value::Array(_) | Value::Object(_) => Err(format!("a value of `{name}` is `{value}`")),
    }
}
