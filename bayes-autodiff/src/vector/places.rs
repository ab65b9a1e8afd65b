//! The elements at a list of places, such as the effect of the group of each row.

use super::Vector;
use crate::fault::{Fault, raise};
use crate::mode::Mode;

impl<M: Mode> Vector<M> {
    /// The elements at `places`, in that order. For the effects of groups `theta` and the group of each row, `theta.at(&group)` has one
    /// element for each row. Places may repeat. No operation is recorded, since nothing is computed.
    ///
    /// # Panics
    /// With a [`Fault`] that names the place if a place is not below the length.
    #[inline(always)]
    #[must_use]
    pub fn at(&self, places: &[usize]) -> Self {
        if let Some(wrong) = out_of_range(places, self.len()) {
            outside("vector", self.len(), "elements", &wrong);
        }
        Self::from_fn(
            places.len(),
            #[inline(always)]
            |row| self[places[row]],
        )
    }
}

/// The first of `places` that is not below `length`, in words; `None` if all are below.
#[inline]
#[must_use]
pub fn out_of_range(places: &[usize], length: usize) -> Option<String> {
    let element = places.iter().position(|place| *place >= length)?;
    Some(format!(
        "{} (element {element} of the list)",
        places[element]
    ))
}

/// Stops the model.
#[cold]
#[inline(never)]
pub(crate) fn outside(what: &str, length: usize, parts: &str, wrong: &str) -> ! {
    raise(Fault::Shape {
        operation: format!("{what} of {length} {parts} at place {wrong}"),
    })
}

#[cfg(test)]
mod tests {
    use crate::fault::catch;
    use crate::{Matrix, Real, RealSlice, Value, Vector};

    fn vector(elements: &[f64]) -> Vector<Value> {
        Vector::constant(elements)
    }

    fn values(elements: &[Real<Value>]) -> Vec<f64> {
        elements.iter().map(|element| element.primal()).collect()
    }

    #[test]
    fn a_list_of_places_gathers_elements_and_rows() {
        let theta = vector(&[10.0, 20.0, 30.0]);
        let group = vec![2, 0, 2, 1];
        assert_eq!(values(&theta.at(&group)), [30.0, 10.0, 30.0, 20.0]);
        assert!(theta.at(&[]).is_empty());
        let matrix = Matrix::from_elements(2, 2, vector(&[1.0, 2.0, 3.0, 4.0]));
        let rows = matrix.select_rows(&[1, 1, 0]);
        assert_eq!((rows.nrows(), rows.ncols()), (3, 2));
        assert_eq!(values(rows.elements()), [3.0, 4.0, 3.0, 4.0, 1.0, 2.0]);
    }

    #[test]
    fn a_place_out_of_range_is_named() {
        let theta = vector(&[1.0, 2.0]);
        let fault = catch(|| theta.at(&[1, 0, 2])).expect_err("there are two elements");
        let text = fault.to_string();
        assert_eq!(
            text,
            "shapes do not fit: vector of 2 elements at place 2 (element 2 of the list)"
        );
        let matrix = Matrix::<Value>::zeros(2, 3);
        let fault = catch(|| matrix.select_rows(&[2])).expect_err("there are two rows");
        assert!(fault.to_string().contains("matrix of 2 rows at place 2"));
    }

    #[test]
    fn rows_and_parts_of_vectors_have_the_reductions_of_vectors() {
        let elements = vector(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let matrix = Matrix::from_elements(2, 3, elements.clone());
        let (row, last) = (matrix.row(1), vector(&[4.0, 5.0, 6.0]));
        assert_eq!(row.dot(&[1.0, 0.5, 2.0]).primal(), 18.5);
        assert_eq!(row.dot(&last).primal(), 77.0);
        assert_eq!(row.dot(matrix.row(0)).primal(), 32.0);
        assert_eq!(elements[3..].sum().primal(), last.sum().primal());
        assert_eq!(row.mean().primal(), last.mean().primal());
        assert_eq!(row.norm_squared().primal(), last.norm_squared().primal());
        assert_eq!(row.log_sum_exp().primal(), last.log_sum_exp().primal());
    }
}
