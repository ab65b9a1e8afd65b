//! Columns of a stream of Arrow, as the fields of a table.

use crate::table::{Column, decimal, flag};
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::RecordBatchStreamReader;
use arrow_array::types::{
    Decimal128Type, DecimalType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrowPrimitiveType, RecordBatchReader};
use arrow_pyarrow::FromPyArrow;
use arrow_schema::{DataType, Schema};
use bayes::data::Field;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// What a table calls a first column without a name.
const ROW_NAMES: &str = "(row)";
/// What a stream writes beside a column whose numbers stand for something else, such as the periods of pandas.
const EXTENSION: &str = "ARROW:extension:name";
/// What pandas writes beside the types of its columns.
const OF_PANDAS: &str = "pandas";

/// The names of the columns of a frame.
///
/// # Errors
/// `ValueError` for a stream of something else; what the frame raises.
pub(crate) fn names(frame: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let schema = RecordBatchStreamReader::from_pyarrow_bound(frame)?.schema();
    let fields = schema.fields().iter();
    Ok(fields.map(|field| field.name().clone()).collect())
}

/// The number of rows of a frame, and its columns `used`, in its order.
///
/// # Errors
/// `TypeError` for a column of another type, before any is read; what the frame raises.
pub(crate) fn columns(
    frame: &Bound<'_, PyAny>,
    used: &[String],
) -> PyResult<(usize, Vec<(String, Column)>)> {
    let reader = RecordBatchStreamReader::from_pyarrow_bound(frame)?;
    let schema = reader.schema();
    let wanted = schema.fields().iter().enumerate();
    let named = wanted.map(|(place, field)| (place, field, name(place, field.name())));
    let mut columns = Vec::new();
    for (place, field, name) in named.filter(|(.., name)| used.contains(name)) {
        let is_extension = field.metadata().contains_key(EXTENSION);
        if is_extension || !is_read(field.data_type()) {
            return Err(unread(frame, &name, field.data_type()));
        }
        let order = is_ordered(&schema, field).then(Vec::new);
        columns.push((place, (name, (Vec::new(), order))));
    }
    let mut rows = 0;
    for batch in reader {
        let batch = batch.map_err(|error| PyTypeError::new_err(error.to_string()))?;
        rows += batch.num_rows();
        for (place, (_, column)) in &mut columns {
            append(column, batch.column(*place));
        }
    }
    let columns = columns.into_iter().map(|(_, column)| column).collect();
    Ok((rows, columns))
}

/// The name of a column. A first one without a name, where R writes the names of rows, is called as in a file.
fn name(place: usize, name: &str) -> String {
    match (place, name) {
        (0, "") => ROW_NAMES.to_owned(),
        _ => name.to_owned(),
    }
}

/// Whether the labels of a column have an order: categories of pandas, and dictionaries that say so, as those of a polars `Enum`.
fn is_ordered(schema: &Schema, field: &arrow_schema::Field) -> bool {
    let is_of_pandas = schema.metadata().contains_key(OF_PANDAS);
    field
        .dict_is_ordered()
        .is_some_and(|says_so| says_so || is_of_pandas)
}

fn is_text(kind: &DataType) -> bool {
    matches!(
        kind,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
    )
}

fn is_read(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => {
            is_read(values) && !matches!(**values, DataType::Dictionary(..))
        }
        DataType::Null | DataType::Boolean | DataType::Decimal128(..) => true,
        kind => is_text(kind) || kind.is_integer() || kind.is_floating(),
    }
}

/// The error for a column of such a type, which is called as in the frame where that is known.
fn unread(frame: &Bound<'_, PyAny>, name: &str, kind: &DataType) -> PyErr {
    let known = frame
        .get_item(name)
        .and_then(|column| column.getattr("dtype"));
    let known = known.and_then(|kind| kind.str().map(|text| text.to_string()));
    let kind = known.unwrap_or_else(|_| kind.to_string());
    let advice = match kind.contains("date")
        || kind.contains("Date")
        || kind.contains("imestamp")
        || kind.contains("period")
    {
        true => "; make a number of it, such as the days since a first one",
        false => "",
    };
    PyTypeError::new_err(format!(
        "column `{name}` has the dtype {kind}; numbers, truth values, texts and categories are read{advice}"
    ))
}

/// Appends the values of an array to a column.
fn append((fields, order): &mut Column, array: &dyn Array) {
    let Some(dictionary) = array.as_any_dictionary_opt() else {
        return fields.extend(values(array));
    };
    let missing = Field::from(None::<f64>);
    if dictionary.values().is_empty() {
        return fields.extend(vec![missing; array.len()]);
    }
    let labels = match order {
        Some(_) => labels(dictionary.values().as_ref()),
        None => Vec::new(),
    };
    let known = match order {
        Some(_) => labels.iter().cloned().map(Field::from).collect(),
        None => values(dictionary.values().as_ref()),
    };
    let keys = dictionary.normalized_keys().into_iter().enumerate();
    fields.extend(keys.map(|(row, key)| match array.is_null(row) {
        true => missing.clone(),
        false => known[key].clone(),
    }));
    if let Some(order) = order {
        // another part of the frame may have others
        for label in labels.into_iter().flatten() {
            if !order.contains(&label) {
                order.push(label);
            }
        }
    }
}

/// The values of an array of a type that is read, and no dictionary.
fn values(array: &dyn Array) -> Vec<Field> {
    match array.data_type() {
        DataType::Boolean => optional(array.as_boolean().iter().map(|value| value.map(flag))),
        DataType::Utf8 => optional(array.as_string::<i32>().iter()),
        DataType::LargeUtf8 => optional(array.as_string::<i64>().iter()),
        DataType::Utf8View => optional(array.as_string_view().iter()),
        DataType::Int8 => wholes::<Int8Type>(array),
        DataType::Int16 => wholes::<Int16Type>(array),
        DataType::Int32 => wholes::<Int32Type>(array),
        DataType::Int64 => wholes::<Int64Type>(array),
        DataType::UInt8 => wholes::<UInt8Type>(array),
        DataType::UInt16 => wholes::<UInt16Type>(array),
        DataType::UInt32 => wholes::<UInt32Type>(array),
        DataType::UInt64 => optional(array.as_primitive::<UInt64Type>().iter()),
        // the same number, not the shortest text of it in single precision
        DataType::Float16 => numbers::<Float16Type>(array),
        DataType::Float32 => numbers::<Float32Type>(array),
        DataType::Float64 => numbers::<Float64Type>(array),
        DataType::Decimal128(precision, scale) => {
            let decimals = array.as_primitive::<Decimal128Type>().iter();
            if *scale == 0 {
                return optional(decimals);
            }
            let text = |value| Decimal128Type::format_decimal(value, *precision, *scale);
            optional(decimals.map(|value| value.and_then(|value| decimal(&text(value)))))
        }
        _ => vec![Field::from(None::<f64>); array.len()],
    }
}

fn optional<T: Into<Field>>(values: impl Iterator<Item = Option<T>>) -> Vec<Field> {
    values.map(Field::from).collect()
}

fn wholes<T: ArrowPrimitiveType<Native: Into<i64>>>(array: &dyn Array) -> Vec<Field> {
    let values = array.as_primitive::<T>().iter();
    optional(values.map(|value| value.map(Into::<i64>::into)))
}

fn numbers<T: ArrowPrimitiveType<Native: Into<f64>>>(array: &dyn Array) -> Vec<Field> {
    let values = array.as_primitive::<T>().iter();
    optional(values.map(|value| value.map(Into::<f64>::into)))
}

/// The values of a dictionary as labels.
fn labels(array: &dyn Array) -> Vec<Option<String>> {
    let texts =
        |values: Vec<Option<&str>>| values.iter().map(|text| text.map(str::to_owned)).collect();
    match array.data_type() {
        DataType::Utf8 => texts(array.as_string::<i32>().iter().collect()),
        DataType::LargeUtf8 => texts(array.as_string::<i64>().iter().collect()),
        DataType::Utf8View => texts(array.as_string_view().iter().collect()),
        kind => {
            let is_floating = kind.is_floating();
            let label = |text: &str| match text.parse::<f64>() {
                // 3 and not 3.0, as formulas call labels that are numbers
                Ok(number) if is_floating => number.to_string(),
                _ => text.to_owned(),
            };
            values(array)
                .iter()
                .map(|field| field.text().map(label))
                .collect()
        }
    }
}
