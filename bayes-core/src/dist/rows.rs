//! Data for distributions of vectors: one vector, or a matrix with one vector per row.

use super::{Constraint, Continuous, Data, DataError, Domain, Parameter, ParameterError, Shape};
use bayes_autodiff::{Mode, PlainValue, Real};

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

/// Checks that `data` are vectors of `each` finite numbers.
pub(super) fn check_rows<T: Data<Continuous> + ?Sized>(
    distribution: &'static str,
    each: usize,
    data: &T,
) -> Result<(), DataError> {
    let length = count_rows(distribution, each, data)? * each;
    (0..length)
        .find(|i| !data.at(*i).is_finite())
        .map_or(Ok(()), |i| {
            let allowed = "a finite number".to_owned();
            Err(DataError::Value {
                distribution,
                index: Some(i),
                value: data.at(i),
                allowed,
            })
        })
}

/// Writes row `row` of `data` into `x`.
#[inline(always)]
pub(super) fn read_row<M: Mode, T: Data<Continuous> + ?Sized>(
    data: &T,
    row: usize,
    x: &mut [Real<M>],
) {
    let start = row * x.len();
    for (k, x) in x.iter_mut().enumerate() {
        *x = Real::constant(data.at(start + k));
    }
}

/// Checks the location of a vector of length `dim`: finite, one number for all or one for each element. `like` is the
/// parameter that defines `dim`.
pub(super) fn check_location<M: Mode, A: Parameter<M>>(
    distribution: &'static str,
    parameter: &'static str,
    location: &A,
    dim: usize,
    like: &str,
) -> Result<(), ParameterError> {
    let (shape, length) = (location.shape(), location.shape().elements());
    if shape != Shape::Scalar && length != dim {
        let allowed = format!("{dim}, the number of rows of `{like}`");
        return Err(ParameterError::Length {
            distribution,
            parameter,
            length,
            allowed,
        });
    }
    let wrong = (0..length).find(|i| !location.at(*i).plain_value().is_finite());
    wrong.map_or(Ok(()), |i| {
        Err(ParameterError::Value {
            distribution,
            parameter,
            index: (shape != Shape::Scalar).then_some(i),
            value: location.at(i).plain_value(),
            allowed: "a finite number",
        })
    })
}

/// Checks a parameter that must be a single allowed number.
pub(super) fn check_number<M: Mode, A: Parameter<M>>(
    distribution: &'static str,
    parameter: &'static str,
    number: &A,
    allowed: Constraint,
) -> Result<(), ParameterError> {
    let length = number.shape().elements();
    if number.shape() != Shape::Scalar {
        let allowed = "a single number".to_owned();
        return Err(ParameterError::Length {
            distribution,
            parameter,
            length,
            allowed,
        });
    }
    let value = number.at(0).plain_value();
    if allowed.holds(value) {
        return Ok(());
    }
    Err(ParameterError::Value {
        distribution,
        parameter,
        index: None,
        value,
        allowed: allowed.words(),
    })
}
