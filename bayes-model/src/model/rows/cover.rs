//! Checks that parts of a model hold each row once.

use super::{Rows, RowsError, Subset, error_of};
use crate::error::Error;

/// Checks that the parts belong to one model, and that each of its rows is in one of them.
///
/// # Errors
/// [`Error::Rows`]: [`RowsError::Parts`] without parts, [`RowsError::OtherModel`], [`RowsError::EmptyPart`], [`RowsError::Twice`],
/// [`RowsError::Missing`].
pub(crate) fn check_cover<Mo: Rows>(parts: &[Subset<'_, Mo>]) -> Result<(), Error> {
    let Some(first) = parts.first() else {
        return Err(Error::Rows {
            model: std::any::type_name::<Mo>().into(),
            source: RowsError::Parts { parts: 0, rows: 0 },
        });
    };
    let refused = |source| Err(error_of(first, source));
    if let Some(part) = parts.iter().position(|part| !part.is_of(first)) {
        return refused(RowsError::OtherModel { part });
    }
    if let Some(part) = parts.iter().position(|part| part.indices().is_empty()) {
        return refused(RowsError::EmptyPart { part });
    }
    let mut place: Vec<Option<usize>> = vec![None; first.total()];
    for (second, part) in parts.iter().enumerate() {
        for &row in part.indices() {
            if let Some(first) = place[row].replace(second) {
                return refused(RowsError::Twice { row, first, second });
            }
        }
    }
    let mut missing = place.iter().enumerate().filter(|(_, part)| part.is_none());
    match missing.next() {
        None => Ok(()),
        Some((row, _)) => refused(RowsError::Missing {
            row,
            others: missing.count(),
        }),
    }
}
