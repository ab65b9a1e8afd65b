//! Data for distributions of vectors: one vector, or a matrix with one in each row.

use super::{Data, DataError, Domain, Shape};

/// The number of vectors of length `each` in `data`.
pub(super) fn count_rows<D: Domain, T: Data<D> + ?Sized>(
    distribution: &'static str,
    each: usize,
    data: &T,
) -> Result<usize, DataError> {
    let shape = data.shape();
    match shape {
        Shape::Vector(n) if n == each && n > 0 => Ok(1),
        Shape::Matrix(rows, columns) if columns == each && rows > 0 => Ok(rows),
        _ => {
            let allowed = format!("a vector of {each}, or a matrix with rows of {each}");
            Err(DataError::Length {
                distribution,
                length: shape.elements(),
                allowed,
            })
        }
    }
}
