//! Indices into data inside a model: an index out of range is a fault that names the data and the line.
//!
//! `#[model]` writes `y[j]` as `y[site(&y, j, "y", 12).in_range()]`. For containers whose extent is known ([`Extent`]) the index is
//! checked here, and the compiler then drops the container's own check, so the cost is the same. Any other type keeps its own behaviour.
//! Method lookup chooses between the two methods named `in_range`: by value ([`Checked`]) before by reference ([`Unchecked`]).

use bayes_autodiff::fault::{Fault, raise};
use bayes_autodiff::{Matrix, Mode, Vector};
use nalgebra::{Dim, RawStorage};
use std::fmt::Debug;
use std::ops::{Bound, Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};
use std::panic::Location;

/// A container about to be indexed, with its name and line in the model.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a, C: ?Sized, I> {
    pub(super) container: &'a C,
    pub(super) index: I,
    pub(super) name: &'static str,
    pub(super) line: u32,
}

/// The container called `name` in the model, indexed in `line`.
#[inline(always)]
pub fn site<'a, C: ?Sized, I>(
    container: &'a C,
    index: I,
    name: &'static str,
    line: u32,
) -> Site<'a, C, I> {
    Site {
        container,
        index,
        name,
        line,
    }
}

/// A type with known indices: errors about wrong index types come from this trait, not from the type's own `Index`.
pub trait Container {}

impl<T> Container for [T] {}
impl<T, const N: usize> Container for [T; N] {}
impl<T> Container for Vec<T> {}
impl<C: Container + ?Sized> Container for &C {}
impl<M: Mode> Container for Vector<M> {}
impl<M: Mode> Container for Matrix<M> {}
impl<T, R: Dim, C: Dim, S: RawStorage<T, R, C>> Container for nalgebra::Matrix<T, R, C, S> {}

/// A container that knows whether an index is in range.
#[diagnostic::on_unimplemented(
    message = "`{I}` cannot be an index of `{Self}`",
    label = "an index is one `usize` or a range, and of a matrix a pair `(row, column)`",
    note = "for the elements at a list of places, such as the effect of the group of each row, write `theta.at(&group)`, and \
            `m.select_rows(&group)` for rows; the list is a `&[usize]`",
    note = "a whole number of another type is converted: `y[i as usize]`; a table reads places as such: `table.indices(\"group\")?`"
)]
pub trait Extent<I> {
    /// The index type, by way of [`Linear::Index`]. If there is none, the compiler does not know the type of the expression, and reports
    /// no second error about it.
    type Index;
    /// Whether `index` is in range.
    fn contains(&self, index: &I) -> bool;
    /// The extent in words, for messages.
    fn words(&self) -> String;
    /// The index in the form that `Index` takes.
    fn admitted(index: I) -> Self::Index;
}

/// Index checks for containers of known extent.
pub trait Checked<C: ?Sized, I> {
    /// The index, if it is in range.
    ///
    /// # Panics
    /// With a [`Fault::Index`] if the index is out of range.
    #[track_caller]
    fn in_range(self) -> C::Index
    where
        C: Extent<I>;
}

impl<C: Container + ?Sized, I: Debug> Checked<C, I> for Site<'_, C, I> {
    #[inline(always)]
    #[track_caller]
    fn in_range(self) -> C::Index
    where
        C: Extent<I>,
    {
        let Self {
            container,
            index,
            name,
            line,
        } = self;
        if !container.contains(&index) {
            // passed in registers; a site in memory would be written for every index
            out_of_range(container, index, name, (Location::caller(), line));
        }
        C::admitted(index)
    }
}

/// No check for any other type.
pub trait Unchecked<I> {
    /// The unchanged index.
    fn in_range(self) -> I;
}

impl<C: ?Sized, I: Clone> Unchecked<I> for &Site<'_, C, I> {
    #[inline(always)]
    fn in_range(self) -> I {
        self.index.clone()
    }
}

#[cold]
#[inline(never)]
fn out_of_range<C: Extent<I> + ?Sized, I: Debug>(
    container: &C,
    index: I,
    name: &'static str,
    (place, line): (&'static Location<'static>, u32),
) -> ! {
    raise(Fault::Index {
        variable: name,
        index: format!("{index:?}"),
        extent: container.words(),
        file: place.file(),
        line,
    })
}

/// The indices of a slice.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an index",
    label = "an index is one `usize` or a range",
    note = "for the elements at a list of places, such as the effect of the group of each row, write `theta.at(&group)`; the list is a `&[usize]`",
    note = "a whole number of another type is converted: `y[i as usize]`; a table reads places as such: `table.indices(\"group\")?`"
)]
pub trait Linear {
    /// The type of the index.
    type Index;
    /// Whether the index stays within `0..length`.
    fn fits(&self, length: usize) -> bool;
    /// The unchanged index.
    fn index(self) -> Self::Index;
}

impl Linear for usize {
    type Index = Self;
    #[inline(always)]
    fn fits(&self, length: usize) -> bool {
        *self < length
    }
    #[inline(always)]
    fn index(self) -> Self {
        self
    }
}

impl Linear for Range<usize> {
    type Index = Self;
    fn fits(&self, length: usize) -> bool {
        self.start <= self.end && self.end <= length
    }
    #[inline(always)]
    fn index(self) -> Self {
        self
    }
}

impl Linear for RangeInclusive<usize> {
    type Index = Self;
    fn fits(&self, length: usize) -> bool {
        *self.end() < length && *self.start() <= *self.end() + 1
    }
    #[inline(always)]
    fn index(self) -> Self {
        self
    }
}

impl Linear for RangeFrom<usize> {
    type Index = Self;
    fn fits(&self, length: usize) -> bool {
        self.start <= length
    }
    #[inline(always)]
    fn index(self) -> Self {
        self
    }
}

impl Linear for RangeTo<usize> {
    type Index = Self;
    fn fits(&self, length: usize) -> bool {
        self.end <= length
    }
    #[inline(always)]
    fn index(self) -> Self {
        self
    }
}

impl Linear for RangeToInclusive<usize> {
    type Index = Self;
    fn fits(&self, length: usize) -> bool {
        self.end < length
    }
    #[inline(always)]
    fn index(self) -> Self {
        self
    }
}

/// The slice's own check tests whether it fits.
impl Linear for (Bound<usize>, Bound<usize>) {
    type Index = Self;
    fn fits(&self, _: usize) -> bool {
        true
    }
    #[inline(always)]
    fn index(self) -> Self {
        self
    }
}

impl Linear for RangeFull {
    type Index = Self;
    fn fits(&self, _: usize) -> bool {
        true
    }
    #[inline(always)]
    fn index(self) -> Self {
        self
    }
}

impl<T, I: Linear> Extent<I> for [T] {
    type Index = I::Index;
    #[inline(always)]
    fn contains(&self, index: &I) -> bool {
        index.fits(self.len())
    }
    fn words(&self) -> String {
        elements(self.len())
    }
    #[inline(always)]
    fn admitted(index: I) -> I::Index {
        index.index()
    }
}

impl<T, const N: usize, I: Linear> Extent<I> for [T; N] {
    type Index = I::Index;
    #[inline(always)]
    fn contains(&self, index: &I) -> bool {
        index.fits(N)
    }
    fn words(&self) -> String {
        elements(N)
    }
    #[inline(always)]
    fn admitted(index: I) -> I::Index {
        index.index()
    }
}

impl<T, I: Linear> Extent<I> for Vec<T> {
    type Index = I::Index;
    #[inline(always)]
    fn contains(&self, index: &I) -> bool {
        index.fits(self.len())
    }
    fn words(&self) -> String {
        elements(self.len())
    }
    #[inline(always)]
    fn admitted(index: I) -> I::Index {
        index.index()
    }
}

impl<C: Extent<I> + ?Sized, I> Extent<I> for &C {
    type Index = C::Index;
    #[inline(always)]
    fn contains(&self, index: &I) -> bool {
        (**self).contains(index)
    }
    fn words(&self) -> String {
        (**self).words()
    }
    #[inline(always)]
    fn admitted(index: I) -> C::Index {
        C::admitted(index)
    }
}

impl<M: Mode> Extent<(usize, usize)> for Matrix<M> {
    type Index = (usize, usize);
    #[inline(always)]
    fn contains(&self, &(row, column): &(usize, usize)) -> bool {
        row < self.nrows() && column < self.ncols()
    }
    fn words(&self) -> String {
        grid(self.nrows(), self.ncols())
    }
    #[inline(always)]
    fn admitted(index: (usize, usize)) -> (usize, usize) {
        index
    }
}

impl<M: Mode, I: Linear> Extent<I> for Vector<M> {
    type Index = I::Index;
    #[inline(always)]
    fn contains(&self, index: &I) -> bool {
        index.fits(self.len())
    }
    fn words(&self) -> String {
        elements(self.len())
    }
    #[inline(always)]
    fn admitted(index: I) -> I::Index {
        index.index()
    }
}

impl<T, R: Dim, C: Dim, S: RawStorage<T, R, C>> Extent<usize> for nalgebra::Matrix<T, R, C, S> {
    type Index = usize;
    #[inline(always)]
    fn contains(&self, index: &usize) -> bool {
        *index < self.nrows() * self.ncols()
    }
    fn words(&self) -> String {
        elements(self.nrows() * self.ncols())
    }
    #[inline(always)]
    fn admitted(index: usize) -> usize {
        index
    }
}

impl<T, R: Dim, C: Dim, S: RawStorage<T, R, C>> Extent<(usize, usize)>
    for nalgebra::Matrix<T, R, C, S>
{
    type Index = (usize, usize);
    #[inline(always)]
    fn contains(&self, &(row, column): &(usize, usize)) -> bool {
        row < self.nrows() && column < self.ncols()
    }
    fn words(&self) -> String {
        grid(self.nrows(), self.ncols())
    }
    #[inline(always)]
    fn admitted(index: (usize, usize)) -> (usize, usize) {
        index
    }
}

pub(super) fn elements(length: usize) -> String {
    format!("{length} element{}", plural(length))
}

pub(super) fn grid(rows: usize, columns: usize) -> String {
    format!(
        "{rows} row{} and {columns} column{}",
        plural(rows),
        plural(columns)
    )
}

fn plural(number: usize) -> &'static str {
    if number == 1 { "" } else { "s" }
}

#[cfg(test)]
pub(in crate::model) mod tests {
    use super::{Checked as _, Unchecked as _, site};
    use bayes_autodiff::fault::{Fault, catch};
    use bayes_autodiff::{Value, Vector};
    use nalgebra::{DMatrix, DVector};
    use std::collections::BTreeMap;

    /// The words of the fault of an index that is out of range.
    pub(in crate::model) fn fault<T>(body: impl FnOnce() -> T) -> String {
        let Err(fault) = catch(body) else {
            panic!("no fault")
        };
        assert!(matches!(fault, Fault::Index { .. }), "{fault}");
        fault.to_string()
    }

    #[test]
    fn an_index_out_of_range_names_data_and_line() {
        let y = [1.0, 2.0, 3.0];
        let slice: &[f64] = &y;
        assert_eq!(slice[site(&slice, 2, "y", 7).in_range()], 3.0);
        let text = fault(|| slice[site(&slice, 3, "y", 7).in_range()]);
        assert_eq!(
            text,
            "line 7: index 3 is out of range for `y`, which has 3 elements"
        );
    }

    #[test]
    fn every_usual_container_is_checked() {
        let (array, vector) = ([1, 2], vec![1, 2]);
        let (column, matrix) = (
            DVector::from_vec(vec![1.0, 2.0]),
            DMatrix::<f64>::zeros(2, 3),
        );
        fault(|| array[site(&array, 2, "a", 1).in_range()]);
        fault(|| vector[site(&vector, 2, "v", 1).in_range()]);
        fault(|| vector[site(&vector, 1..3, "v", 1).in_range()].len());
        fault(|| vector[site(&vector, 1..=2, "v", 1).in_range()].len());
        fault(|| vector[site(&vector, 3.., "v", 1).in_range()].len());
        fault(|| column[site(&column, 2, "c", 1).in_range()]);
        fault(|| matrix[site(&matrix, 6, "m", 1).in_range()]);
        let text = fault(|| matrix[site(&matrix, (0, 3), "m", 1).in_range()]);
        assert_eq!(
            text,
            "line 1: index (0, 3) is out of range for `m`, which has 2 rows and 3 columns"
        );
    }

    #[test]
    fn ranges_of_random_vectors_are_checked() {
        let theta = Vector::<Value>::zeros(2);
        assert_eq!(theta[site(&theta, 1.., "theta", 4).in_range()].len(), 1);
        let text = fault(|| theta[site(&theta, 1..4, "theta", 4).in_range()].len());
        assert_eq!(
            text,
            "line 4: index 1..4 is out of range for `theta`, which has 2 elements"
        );
    }

    #[test]
    fn indices_in_range_pass_unchanged() {
        let y = vec![1, 2, 3];
        assert_eq!(y[site(&y, 1..3, "y", 1).in_range()], [2, 3]);
        assert_eq!(y[site(&y, .., "y", 1).in_range()], [1, 2, 3]);
        assert!(y[site(&y, 3.., "y", 1).in_range()].is_empty());
        assert_eq!(y[site(&y, ..=2, "y", 1).in_range()], [1, 2, 3]);
    }

    #[test]
    fn other_types_keep_their_own_index() {
        let ages = BTreeMap::from([("ann", 41)]);
        assert_eq!(ages[site(&ages, "ann", "ages", 1).in_range()], 41);
        let text = "posterior";
        assert_eq!(&text[site(&text, 0..4, "text", 1).in_range()], "post");
    }
}
