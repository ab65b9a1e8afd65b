//! Lists of places inside a model, at which `at` and `select_rows` gather. A place out of range is a fault that names the quantity and the
//! line.
//!
//! `#[model]` writes `theta.at(&group)` as `theta.at(site(&theta, &group, "theta", 12).places())`, and `m.select_rows(..)` likewise.
//! Method lookup chooses between the two methods named `places`, as in [`index`](super::index).

use super::index::{Site, elements, grid};
use bayes_autodiff::fault::{Fault, raise};
use bayes_autodiff::{Matrix, Mode, Vector, out_of_range};
use std::panic::Location;

/// Checks of the places at which `at` and `select_rows` gather.
pub trait CheckedPlaces<I> {
    /// The places, if all are in range.
    ///
    /// # Panics
    /// With a [`Fault::Index`] if a place is out of range.
    #[track_caller]
    fn places(self) -> I;
}

impl<C: Gather + ?Sized, I: AsRef<[usize]>> CheckedPlaces<I> for Site<'_, C, I> {
    #[inline(always)]
    #[track_caller]
    fn places(self) -> I {
        if let Some(index) = out_of_range(self.index.as_ref(), self.container.number()) {
            raise(Fault::Index {
                variable: self.name,
                index,
                extent: self.container.described(),
                file: Location::caller().file(),
                line: self.line,
            });
        }
        self.index
    }
}

/// No check of the arguments of other methods with these names.
pub trait UncheckedPlaces<I> {
    /// The unchanged argument.
    fn places(self) -> I;
}

impl<C: ?Sized, I: Clone> UncheckedPlaces<I> for &Site<'_, C, I> {
    #[inline(always)]
    fn places(self) -> I {
        self.index.clone()
    }
}

/// A quantity from which elements or rows are gathered.
pub trait Gather {
    /// The number of elements or rows.
    fn number(&self) -> usize;
    /// The extent in words, for messages.
    fn described(&self) -> String;
}

impl<M: Mode> Gather for Vector<M> {
    #[inline(always)]
    fn number(&self) -> usize {
        self.len()
    }
    fn described(&self) -> String {
        elements(self.len())
    }
}

impl<M: Mode> Gather for Matrix<M> {
    #[inline(always)]
    fn number(&self) -> usize {
        self.nrows()
    }
    fn described(&self) -> String {
        grid(self.nrows(), self.ncols())
    }
}

#[cfg(test)]
mod tests {
    use super::{CheckedPlaces as _, UncheckedPlaces as _};
    use crate::model::index::tests::fault;
    use crate::model::site;
    use bayes_autodiff::{Matrix, Value, Vector};
    use nalgebra::DMatrix;

    #[test]
    fn places_out_of_range_name_the_list_and_the_line() {
        let theta = Vector::<Value>::zeros(2);
        let group = vec![0, 1, 1];
        assert_eq!(theta.at(site(&theta, &group, "theta", 3).places()).len(), 3);
        let text = fault(|| theta.at(site(&theta, &[0, 4], "theta", 3).places()));
        assert_eq!(
            text,
            "line 3: index 4 (element 1 of the list) is out of range for `theta`, which has 2 elements"
        );
        let b = Matrix::<Value>::zeros(2, 3);
        let text = fault(|| {
            b.select_rows(site(&b, &group[..], "b", 3).places()).nrows() > 9
                || b.select_rows(site(&b, &[2], "b", 3).places()).nrows() > 0
        });
        assert!(text.ends_with("`b`, which has 2 rows and 3 columns"));
        // a method with the same name on another type
        let data = DMatrix::<f64>::zeros(3, 2);
        assert_eq!(
            data.select_rows(site(&data, &group, "data", 3).places())
                .nrows(),
            3
        );
    }
}
