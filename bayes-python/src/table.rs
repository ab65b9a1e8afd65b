//! Tables of columns of Python.

use crate::arrow;
use bayes::data::{self, Field};
use bayes::module::exception;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyString};

/// What messages call the table.
pub(crate) const FRAME: &str = "frame";

/// A column: its values, and the order of its labels if it has one.
pub(crate) type Column = (Vec<Field>, Option<Vec<String>>);

/// A table of named columns, of which some were read.
#[pyclass(frozen)]
pub(crate) struct Table(pub(crate) data::Table);

#[pymethods]
impl Table {
    /// A table of the columns `names` with so many rows; `columns` has those that are read: a list of values and the order of its labels, or None.
    #[staticmethod]
    fn of_lists(names: Vec<String>, rows: usize, columns: &Bound<'_, PyDict>) -> PyResult<Self> {
        let mut read = Vec::new();
        for (name, column) in columns {
            let name: String = name.extract()?;
            let (values, order): (Vec<Bound<'_, PyAny>>, Option<Vec<String>>) = column.extract()?;
            let fields = values.iter().enumerate();
            let fields = fields.map(|(row, value)| field(&name, row, value));
            let fields = fields.collect::<PyResult<Vec<Field>>>()?;
            read.push((name, (fields, order)));
        }
        Self::of(names, rows, read)
    }

    /// The names of the columns of a stream of Arrow.
    #[staticmethod]
    fn names_of_arrow(frame: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
        arrow::names(frame)
    }

    /// A table of the columns `names`, of which those that `frame` has as a stream of Arrow are read.
    #[staticmethod]
    fn of_arrow(names: Vec<String>, used: Vec<String>, frame: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (rows, columns) = arrow::columns(frame, &used)?;
        Self::of(names, rows, columns)
    }

    /// The number of rows.
    #[getter]
    fn rows(&self) -> usize {
        self.0.rows()
    }
}

impl Table {
    /// The table; columns that were not read have no values, and nothing reads them.
    fn of(names: Vec<String>, rows: usize, mut read: Vec<(String, Column)>) -> PyResult<Self> {
        let (mut columns, mut orders) = (Vec::new(), Vec::new());
        for name in names {
            let place = read.iter().position(|(known, _)| *known == name);
            let (fields, order) = match place {
                Some(place) => read.swap_remove(place).1,
                None => (vec![Field::from(None::<f64>); rows], None),
            };
            orders.extend(order.map(|order| (name.clone(), order)));
            columns.push((name, fields));
        }
        let table = data::Table::of_columns(FRAME, columns).map_err(exception)?;
        let ordered = orders
            .into_iter()
            .try_fold(table, |table, (name, order)| table.with_order(&name, order));
        ordered.map(Self).map_err(exception)
    }
}

/// A truth value in the letters of Python.
pub(crate) fn flag(value: bool) -> Field {
    Field::from(if value { "True" } else { "False" })
}

/// A decimal number, such as `-12.00`: digits alone if it is a whole number that 64 bits would round, as `9007199254740993.0`, and otherwise the nearest
/// number of 64 bits; `None` for what is no number.
pub(crate) fn decimal(text: &str) -> Option<Field> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    let number: f64 = text.parse().ok()?;
    let is_whole = number.is_finite() && fraction.bytes().all(|byte| byte == b'0');
    let is_kept = format!("{:.0}", number.abs()) == digits;
    match is_whole && (fraction.is_empty() || !is_kept) {
        true => Some(Field::from(whole)),
        false => Some(Field::from(number)),
    }
}

/// A value of a list.
fn field(column: &str, row: usize, value: &Bound<'_, PyAny>) -> PyResult<Field> {
    if value.is_none() {
        return Ok(Field::from(None::<f64>));
    }
    if let Ok(value) = value.extract::<bool>() {
        return Ok(flag(value));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Field::from(&*text.to_cow()?));
    }
    if let Ok(whole) = value.extract::<i64>() {
        return Ok(Field::from(whole));
    }
    if value.is_exact_instance_of::<PyFloat>() {
        return Ok(Field::from(value.extract::<f64>()?));
    }
    // whole numbers beyond 64 bits, also those of NumPy, whose digits a number would round
    if let Ok(whole) = value.call_method0("__index__") {
        return Ok(Field::from(whole.str()?.to_string()));
    }
    let kind = value.get_type().name()?.to_string();
    if kind == "Decimal" {
        let text: String = value.call_method1("__format__", ("f",))?.extract()?;
        if let Some(field) = decimal(&text) {
            return Ok(field);
        }
    }
    if let Ok(number) = value.extract::<f64>() {
        return Ok(Field::from(number));
    }
    match kind.as_str() {
        // pandas' missing values
        "NAType" | "NaTType" => Ok(Field::from(None::<f64>)),
        _ => Err(PyTypeError::new_err(format!(
            "column `{column}` has a value of the type {kind} in row {row} (from 0); numbers, truth values, texts and None are read"
        ))),
    }
}
