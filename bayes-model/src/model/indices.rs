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

    /// Records an execution that observes a slice from this index on.
    pub(super) fn note_slice(&mut self, first: usize, shape: Shape) {
        match shape {
            Shape::Vector(length) => {
                let places = first..first + length;
                self.all.extend(places.map(|i| vec![i.to_string()]));
            }
            Shape::Scalar | Shape::Matrix(..) => self.is_incomplete = true,
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

/// The places of observations that are sums over all data in them, from the places of these data and their `owners`: what their places begin
/// with in common, `2` of `2,0` and `2,1`, or else the range of their numbers, `6..9`. `None` if some have neither, if two have the same,
/// or if data of other variables are among them.
pub(super) fn places_of_sums(
    elements: &[String],
    owners: &[(usize, usize)],
    observations: usize,
) -> Option<Vec<String>> {
    let (variable, _) = *owners.first()?;
    let mut of: Vec<Vec<&str>> = vec![Vec::new(); observations];
    for (place, (owner, number)) in elements.iter().zip(owners) {
        if *owner != variable {
            return None;
        }
        of.get_mut(*number)?.push(place);
    }
    let places: Option<Vec<String>> = of.iter().map(|places| in_common(places)).collect();
    let places = places?;
    let distinct: BTreeSet<&String> = places.iter().collect();
    (distinct.len() == places.len()).then_some(places)
}

/// What places begin with in common, or the range of their numbers.
fn in_common(places: &[&str]) -> Option<String> {
    let [first, rest @ ..] = places else {
        return None;
    };
    if rest.is_empty() {
        return Some((*first).to_owned());
    }
    let row = |place: &str| Some(place.split_once(',')?.0.to_owned());
    if let Some(common) = row(first) {
        let is_common = |place: &&str| row(place).as_ref() == Some(&common);
        return rest.iter().all(is_common).then_some(common);
    }
    let numbers: Option<Vec<usize>> = places.iter().map(|place| place.parse().ok()).collect();
    let numbers = numbers?;
    let follow = numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]);
    follow.then(|| format!("{}..{}", numbers[0], numbers[0] + numbers.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_have_the_places_of_their_data() {
        let named = |elements: &[&str], owners: &[usize], observations: usize| {
            let elements: Vec<String> = elements.iter().map(ToString::to_string).collect();
            let owners: Vec<(usize, usize)> = owners.iter().map(|number| (0, *number)).collect();
            places_of_sums(&elements, &owners, observations)
        };
        let rows = named(&["1,0", "1,1", "4,0", "4,1"], &[0, 0, 1, 1], 2);
        assert_eq!(rows.expect("they have rows"), ["1", "4"]);
        let ranges = named(&["0", "1", "2", "3", "7"], &[0, 0, 0, 1, 2], 3);
        assert_eq!(ranges.expect("they follow"), ["0..3", "3", "7"]);
        // apart, across rows, twice the same
        assert_eq!(named(&["0", "2", "1", "3"], &[0, 0, 1, 1], 2), None);
        assert_eq!(named(&["1,0", "2,0"], &[0, 0], 1), None);
        assert_eq!(named(&["1,0", "1,1", "1,2", "1,3"], &[0, 0, 1, 1], 2), None);
        assert_eq!(named(&[], &[], 0), None);
    }

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
    fn elements_of_slices_have_their_places() {
        let slices = |all: &[(usize, usize)]| {
            let mut indices = Indices::default();
            for (first, length) in all {
                indices.note_slice(*first, Shape::Vector(*length));
            }
            indices.places()
        };
        assert_eq!(slices(&[(1, 3)]), ["1", "2", "3"]);
        assert_eq!(slices(&[(0, 1), (2, 2)]), ["0", "2", "3"]);
        // without a hole, and what is observed twice
        assert!(slices(&[(0, 1), (1, 2)]).is_empty());
        assert!(slices(&[(0, 2), (1, 2)]).is_empty());
    }

    #[test]
    fn elements_of_a_loop_that_leaves_some_out_have_places() {
        assert_eq!(indices(&[[0], [2], [3]]).places(), ["0", "2", "3"]);
        assert_eq!(indices(&[[1], [2]]).places(), ["1", "2"]);
        assert!(indices(&[[0], [1], [2]]).places().is_empty());
        assert!(indices(&[[1], [1]]).places().is_empty());
    }
}
