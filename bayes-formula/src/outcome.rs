//! Grades and labels of responses in tables of answers.

use serde_json::{Map, Value, json};

/// The number of a value's grade or label, from 1, if a row has several values or the values have labels.
pub(crate) fn number(labels: &[String], value: usize, outcomes: usize) -> Option<usize> {
    (outcomes > 1 || !labels.is_empty()).then_some(value % outcomes + 1)
}

/// The label of a value.
pub(crate) fn label(labels: &[String], value: usize) -> Option<String> {
    let place = value.checked_rem(labels.len())?;
    Some(labels[place].clone())
}

/// The header of the column.
pub(crate) fn header(grade: Option<usize>, label: Option<&String>) -> Option<&'static str> {
    match (label, grade) {
        (Some(_), _) => Some("label"),
        (None, Some(_)) => Some("grade"),
        (None, None) => None,
    }
}

/// The text in the column: the label, or otherwise the grade.
pub(crate) fn cell(grade: Option<usize>, label: Option<&String>) -> Option<String> {
    label.cloned().or_else(|| Some(grade?.to_string()))
}

/// Adds both to a JSON object.
pub(crate) fn insert(
    object: &mut Map<String, Value>,
    grade: Option<usize>,
    label: Option<&String>,
) {
    object.extend(grade.map(|grade| ("grade".to_owned(), json!(grade))));
    object.extend(label.map(|label| ("label".to_owned(), json!(label))));
}
