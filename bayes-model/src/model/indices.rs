//! The indices of data that loops observe one by one: nested ones, and those that leave some out.

use crate::dist::Shape;
use std::collections::BTreeSet;

/// The indices of the elements of an observed variable, in the order of execution.
#[derive(Clone, Debug, Default)]
pub(super) struct Indices {
    all: Vec<Vec<String>>,
    /// Whether an execution had no indices, or observed more than a single number.
    is_incomplete: bool,
}

impl Indices {
    /// Records the indices of an execution that observes data of this shape.
    pub(super) fn note(&mut self, indices: Option<Vec<String>>, shape: Shape) {
        match indices.filter(|_| shape == Shape::Scalar) {
            Some(indices) => self.all.push(indices),
            None => self.is_incomplete = true,
        }
    }

    /// Whether every element has one, or every element two, and no two elements have the same.
    fn is_known(&self) -> bool {
        let distinct: BTreeSet<&Vec<String>> = self.all.iter().collect();
        let Some(first) = self.all.first() else {
            return false;
        };
        let are_alike = self.all.iter().all(|indices| indices.len() == first.len());
        !self.is_incomplete && are_alike && distinct.len() == self.all.len()
    }

    /// Whether every element has the index that it would have without a name.
    fn are_counted(&self) -> bool {
        let mut all = self.all.iter().enumerate();
        all.all(|(i, indices)| matches!(indices.as_slice(), [one] if *one == i.to_string()))
    }

    /// Rows and columns, if the elements form a whole matrix, row by row.
    pub(super) fn shape(&self) -> Option<Shape> {
        let last = self.all.last().filter(|_| self.is_known())?;
        let [rows, columns] = last.as_slice() else {
            return None;
        };
        let length = |index: &String| index.parse::<usize>().ok()?.checked_add(1);
        let (rows, columns) = (length(rows)?, length(columns)?);
        let places =
            (0..rows).flat_map(|i| (0..columns).map(move |j| vec![i.to_string(), j.to_string()]));
        let is_whole =
            self.all.len() == rows.checked_mul(columns)? && places.eq(self.all.iter().cloned());
        is_whole.then_some(Shape::Matrix(rows, columns))
    }

    /// The place of every element, `2,0`. Empty if [`shape`](Self::shape) gives it, or if it is
    /// unknown.
    pub(super) fn places(&self) -> Vec<String> {
        match self.is_known() && self.shape().is_none() && !self.are_counted() {
            true => self.all.iter().map(|indices| indices.join(",")).collect(),
            false => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn indices<const N: usize>(all: &[[usize; N]]) -> Indices {
        let mut indices = Indices::default();
        for one in all {
            indices.note(
                Some(one.iter().map(ToString::to_string).collect()),
                Shape::Scalar,
            );
        }
        indices
    }

    #[test]
    fn a_matrix_row_by_row_has_a_shape_and_other_orders_have_places() {
        let whole = indices(&[[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]);
        assert_eq!(
            (whole.shape(), whole.places().len()),
            (Some(Shape::Matrix(2, 3)), 0)
        );
        let by_columns = indices(&[[0, 0], [1, 0], [0, 1], [1, 1]]);
        assert_eq!(
            (by_columns.shape(), by_columns.places()[1].as_str()),
            (None, "1,0")
        );
        let ragged = indices(&[[0, 0], [1, 0], [1, 1]]);
        assert_eq!(
            (ragged.shape(), ragged.places().join(" ").as_str()),
            (None, "0,0 1,0 1,1")
        );
    }

    #[test]
    fn what_is_observed_twice_or_without_an_index_has_no_places() {
        assert!(indices(&[[0, 0], [0, 0]]).places().is_empty());
        let mut incomplete = indices(&[[0, 0], [1, 1]]);
        incomplete.note(None, Shape::Scalar);
        assert!(incomplete.places().is_empty() && incomplete.shape().is_none());
        assert!(indices::<2>(&[]).places().is_empty());
    }

    #[test]
    fn elements_of_a_loop_that_leaves_some_out_have_places() {
        assert_eq!(indices(&[[0], [2], [3]]).places(), ["0", "2", "3"]);
        assert_eq!(indices(&[[1], [2]]).places(), ["1", "2"]);
        assert!(indices(&[[0], [1], [2]]).places().is_empty());
        assert!(indices(&[[1], [1]]).places().is_empty());
    }
}
