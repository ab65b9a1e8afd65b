//! Data with rows: slices, vectors, matrices, and user-defined types.

use super::RowCount;
use nalgebra::{DMatrix, DVector, Scalar};

/// Data with one row for each observation: an argument of a model, or a field, that is marked `#[rows]`.
///
/// Slices and vectors have a row for each element; a `DMatrix` has its own rows. For a struct write
/// `#[derive(RowData)]`, and `#[rows]` above each field with rows. The other fields are the same for every observation
/// and are cloned.
///
/// ```
/// use bayes_model::model::rows::RowData;
/// use nalgebra::DMatrix;
///
/// let x = DMatrix::from_row_slice(3, 2, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
/// assert_eq!(RowData::rows(&x), 3);
/// assert_eq!(RowData::gather(&x, &[2, 0, 2]), DMatrix::from_row_slice(3, 2, &[5.0, 6.0, 1.0, 2.0, 5.0, 6.0]));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no rows",
    label = "marked `#[rows]`",
    note = "leave the mark out where the data are the same for every observation; slices, `Vec`, `DMatrix` and `DVector` have \
            rows",
    note = "for a struct write `#[derive(RowData)]` above it and `#[rows]` above its fields with rows"
)]
pub trait RowData {
    /// The type of copied rows.
    type Owned: Send + Sync;
    /// Copied rows as a model sees them: a slice for a slice, a reference for most other types.
    type View<'s>
    where
        Self: 's;

    /// The number of rows.
    fn rows(&self) -> usize;

    /// Copies rows, in the order given, repeats allowed.
    ///
    /// # Panics
    /// If a row is out of range.
    fn gather(&self, rows: &[usize]) -> Self::Owned;

    /// Copies rows into existing memory; allocates by default.
    ///
    /// # Panics
    /// As in [`gather`](Self::gather).
    fn refill(&self, rows: &[usize], owned: &mut Self::Owned) {
        *owned = self.gather(rows);
    }

    /// Uses copied rows instead of `self`.
    fn view<'s>(&'s self, owned: &'s Self::Owned) -> Self::View<'s>;

    /// The number of rows under the user's name for the data; for a struct, one for each marked field.
    fn row_counts(&self, name: &str) -> Vec<RowCount> {
        vec![RowCount {
            name: name.to_owned(),
            rows: self.rows(),
        }]
    }
}

/// Copies elements of a slice into the memory of `owned`.
fn refill_vec<T: Clone>(from: &[T], rows: &[usize], owned: &mut Vec<T>) {
    owned.clear();
    owned.extend(rows.iter().map(|row| from[*row].clone()));
}

impl<T: Clone + Send + Sync> RowData for [T] {
    type Owned = Vec<T>;
    type View<'s>
        = &'s [T]
    where
        Self: 's;

    fn rows(&self) -> usize {
        self.len()
    }
    fn gather(&self, rows: &[usize]) -> Vec<T> {
        rows.iter().map(|row| self[*row].clone()).collect()
    }
    fn refill(&self, rows: &[usize], owned: &mut Vec<T>) {
        refill_vec(self, rows, owned);
    }
    fn view<'s>(&'s self, owned: &'s Vec<T>) -> &'s [T] {
        owned
    }
}

impl<T: Clone + Send + Sync> RowData for Vec<T> {
    type Owned = Self;
    type View<'s>
        = &'s Self
    where
        Self: 's;

    fn rows(&self) -> usize {
        self.len()
    }
    fn gather(&self, rows: &[usize]) -> Self {
        self.as_slice().gather(rows)
    }
    fn refill(&self, rows: &[usize], owned: &mut Self) {
        refill_vec(self, rows, owned);
    }
    fn view<'s>(&'s self, owned: &'s Self) -> &'s Self {
        owned
    }
}

impl<T: Scalar + Send + Sync> RowData for DVector<T> {
    type Owned = Self;
    type View<'s>
        = &'s Self
    where
        Self: 's;

    fn rows(&self) -> usize {
        self.len()
    }
    fn gather(&self, rows: &[usize]) -> Self {
        Self::from_vec(self.as_slice().gather(rows))
    }
    fn refill(&self, rows: &[usize], owned: &mut Self) {
        if owned.len() != rows.len() {
            *owned = self.gather(rows);
            return;
        }
        for (to, row) in owned.iter_mut().zip(rows) {
            *to = self[*row].clone();
        }
    }
    fn view<'s>(&'s self, owned: &'s Self) -> &'s Self {
        owned
    }
}

impl<T: Scalar + Send + Sync> RowData for DMatrix<T> {
    type Owned = Self;
    type View<'s>
        = &'s Self
    where
        Self: 's;

    fn rows(&self) -> usize {
        self.nrows()
    }
    fn gather(&self, rows: &[usize]) -> Self {
        let columns = self.column_iter();
        let elements = columns.flat_map(|column| {
            let column = column.data.into_slice();
            rows.iter().map(move |row| column[*row].clone())
        });
        Self::from_iterator(rows.len(), self.ncols(), elements)
    }
    fn refill(&self, rows: &[usize], owned: &mut Self) {
        if owned.shape() != (rows.len(), self.ncols()) {
            *owned = self.gather(rows);
            return;
        }
        // A matrix is stored column by column.
        for (mut to, from) in owned.column_iter_mut().zip(self.column_iter()) {
            let from = from.data.into_slice();
            for (to, row) in to.iter_mut().zip(rows) {
                *to = from[*row].clone();
            }
        }
    }
    fn view<'s>(&'s self, owned: &'s Self) -> &'s Self {
        owned
    }
}

impl<T: RowData + ?Sized> RowData for &T {
    type Owned = T::Owned;
    type View<'s>
        = T::View<'s>
    where
        Self: 's;

    fn rows(&self) -> usize {
        (**self).rows()
    }
    fn gather(&self, rows: &[usize]) -> T::Owned {
        (**self).gather(rows)
    }
    fn refill(&self, rows: &[usize], owned: &mut T::Owned) {
        (**self).refill(rows, owned);
    }
    fn view<'s>(&'s self, owned: &'s T::Owned) -> T::View<'s> {
        (**self).view(owned)
    }
    fn row_counts(&self, name: &str) -> Vec<RowCount> {
        (**self).row_counts(name)
    }
}

/// Data that may be missing as a whole: `Option<&[f64]>`. Missing data have no number of rows.
impl<T: RowData + ?Sized> RowData for Option<&T> {
    type Owned = Option<T::Owned>;
    type View<'s>
        = Option<T::View<'s>>
    where
        Self: 's;

    fn rows(&self) -> usize {
        self.map_or(0, RowData::rows)
    }
    fn gather(&self, rows: &[usize]) -> Option<T::Owned> {
        self.map(|data| data.gather(rows))
    }
    fn refill(&self, rows: &[usize], owned: &mut Option<T::Owned>) {
        match (self, owned) {
            (Some(data), Some(owned)) => data.refill(rows, owned),
            (_, owned) => *owned = self.gather(rows),
        }
    }
    fn view<'s>(&'s self, owned: &'s Option<T::Owned>) -> Option<T::View<'s>> {
        Some((*self)?.view(owned.as_ref()?))
    }
    fn row_counts(&self, name: &str) -> Vec<RowCount> {
        self.map_or_else(Vec::new, |data| data.row_counts(name))
    }
}
