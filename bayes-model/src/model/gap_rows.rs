//! Rows of missing values that a model written by hand names by their numbers, or not at all.
//!
//! A prediction finds random elements by the names of their places. The number of a row is the name of the same row only in the same data:
//! `#[model]` writes [`Dim::missing`], which says so. Where a model written by hand does not, it is said here, so that missing values of one
//! table are not taken for those of another one.

use super::fingerprint::{Fingerprint, of_compiled};
use super::layout::Dim;
use super::plain::PlainDistribution;
use super::{Compiled, Statement, StatementDims, StatementKind, observed_data};

/// The rows of the missing values that each statement draws, or of the known values that it observes, if it runs once, `[statements]`; empty for
/// other statements.
pub(super) type GapRows = Vec<Vec<usize>>;

/// The rows of the values of a distribution, at the execution of its statement with this number, counted from 1.
pub(super) fn rows_of(distribution: &dyn PlainDistribution, execution: usize) -> Vec<usize> {
    match execution {
        1 => distribution.rows().unwrap_or_default().to_vec(),
        _ => Vec::new(),
    }
}

/// The named dimensions of a model, with those of its missing and its known values.
pub(super) fn dims_of(model: &dyn Compiled, of_all: &[Vec<usize>]) -> Vec<StatementDims> {
    let mut all = model.dims();
    for (statement, rows) in of_all
        .iter()
        .enumerate()
        .filter(|(_, rows)| !rows.is_empty())
    {
        let Statement { name, kind, .. } = model.statements()[statement];
        let is_known = kind == StatementKind::Observe;
        match all.iter_mut().find(|dims| dims.statement == statement) {
            // the user's own names of the rows, whatever they look like
            Some(dims) if is_known || dims.rows.is_some() => {}
            Some(dims) => {
                let numbers = Dim::new(name, rows).places;
                let mut own = dims.dims.iter_mut();
                let numbered = own.find(|dim| dim.rows_of.is_none() && dim.places == numbers);
                if let Some(dim) = numbered {
                    dim.rows_of = Some(data_of(model, of_all));
                }
            }
            None => {
                let end = if is_known { "known" } else { "gap" };
                let dim = Dim {
                    rows_of: (!is_known).then(|| data_of(model, of_all)),
                    ..Dim::new(&format!("{name}_{end}"), rows)
                };
                all.push(StatementDims {
                    statement,
                    dims: vec![dim],
                    of_rows: false,
                    is_part: is_known,
                    rows: None,
                });
            }
        }
    }
    all
}

/// A hash of the data whose rows have the numbers: of what the model observes, or of what it computes from them, and of where it is.
fn data_of(model: &dyn Compiled, rows: &[Vec<usize>]) -> u64 {
    let values = observed_data(model).unwrap_or_else(|| of_compiled(model));
    let places = rows.iter().flat_map(|rows| {
        let places = rows.iter().map(|row| *row as u64);
        [rows.len() as u64].into_iter().chain(places)
    });
    Fingerprint::of([values].into_iter().chain(places))
}
