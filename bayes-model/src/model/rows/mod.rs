//! Rows: data of a model with one entry for each observation, and models of some of the rows.

mod cover;
mod data;
mod outline;
mod partition;
mod subset;

pub(crate) use cover::check_cover;
pub use data::RowData;
pub use partition::partition;
#[doc(hidden)]
pub use partition::shuffled;
pub use subset::Subset;

use super::{Interpreter, Model};
use crate::error::Error;
pub use crate::error::{RowCount, RowsError};
use bayes_autodiff::Mode;

/// A model with rows: `#[model]` implements it where an argument is marked `#[rows]`.
///
/// Methods that use this trait are in [`Model`]: [`rows`](Model::rows), [`subset`](Model::subset),
/// [`parts`](Model::parts). Implementations by hand must implement [`Model::row_counts`] too.
#[diagnostic::on_unimplemented(
    message = "the model `{Self}` does not say which of its data have rows",
    label = "this needs models of subsets of the rows",
    note = "mark the arguments with one row per observation: `#[model] fn name(#[rows] x: &DMatrix<f64>, #[rows] y: &[f64])`",
    note = "for an argument `data: &Data` write `#[rows] data: &Data`, `#[derive(RowData)]` above `struct Data` and `#[rows]` \
            above its fields with rows"
)]
pub trait Rows: Model {
    /// A copy of some rows of the marked data.
    type Data: Send + Sync;

    /// Copies rows, in the order given, repeats allowed.
    ///
    /// # Panics
    /// If a row is out of range; [`Subset`] never requests one.
    fn gather(&self, rows: &[usize]) -> Self::Data;

    /// Copies rows over earlier ones, in the same memory if it is large enough.
    ///
    /// # Panics
    /// As in [`gather`](Self::gather).
    fn refill(&self, rows: &[usize], data: &mut Self::Data) {
        *data = self.gather(rows);
    }

    /// [`Model::numbers`] with these rows.
    fn numbers_of<'a>(&'a self, _data: &'a Self::Data, _show: &mut dyn FnMut(&'a [f64])) {}

    /// [`Model::program`] with these rows.
    fn program_of<M: Mode, I: Interpreter<M>>(&self, data: &Self::Data, interpreter: &mut I);
}

/// [`Model::subset`].
pub(super) fn subset<'m, Mo: Rows>(model: &'m Mo, rows: &[usize]) -> Result<Subset<'m, Mo>, Error> {
    let subset = Subset::new(model, rows)?;
    subset.check()?;
    Ok(subset)
}

/// [`Model::parts`].
pub(super) fn parts<Mo: Rows>(
    model: &Mo,
    parts: usize,
    seed: u64,
) -> Result<Vec<Subset<'_, Mo>>, Error> {
    let total = count(model)?.unwrap_or(0);
    let dealt = partition(total, parts, seed).map_err(|error| error_of(model, error))?;
    let subsets = dealt.iter().map(|rows| Subset::new(model, rows));
    let subsets: Vec<_> = subsets.collect::<Result<_, _>>()?;
    if let Some((first, others)) = subsets.split_first() {
        let whole = first.check()?;
        others
            .iter()
            .try_for_each(|other| other.check_against(&whole))?;
    }
    Ok(subsets)
}

/// The number of rows of all marked data of `model`; `None` if no data are marked.
///
/// # Errors
/// [`Error::Rows`] if the numbers differ.
pub(super) fn count(model: &dyn Model) -> Result<Option<usize>, Error> {
    let counts = model.row_counts();
    let Some(first) = counts.first().map(|count| count.rows) else {
        return Ok(None);
    };
    if counts.iter().any(|count| count.rows != first) {
        return Err(error_of(model, RowsError::Lengths { counts }));
    }
    Ok(Some(first))
}

/// The error for the rows of `model`.
fn error_of(model: &dyn Model, source: RowsError) -> Error {
    Error::Rows {
        model: model.name().into(),
        source,
    }
}
