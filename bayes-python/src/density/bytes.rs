//! Numbers as bytes, in which arrays of NumPy come and go.

use bayes::module::wrong;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

const SIZE: usize = size_of::<f64>();

/// The bytes of numbers.
pub(crate) fn of_bytes(numbers: &[f64]) -> Vec<u8> {
    let bytes = numbers.iter().flat_map(|number| number.to_ne_bytes());
    bytes.collect()
}

/// The numbers of a `bytes` that must have so many.
///
/// # Errors
/// `TypeError` for another object, `BayesInputError` for another number of them.
pub(crate) fn numbers(answer: &Bound<'_, PyAny>, wanted: usize) -> PyResult<Vec<f64>> {
    let bytes = answer.cast::<PyBytes>()?.as_bytes();
    if bytes.len() != wanted * SIZE {
        let found = bytes.len() / SIZE;
        return Err(wrong(format_args!(
            "a function returned {found} numbers, must be {wanted}"
        )));
    }
    let numbers = bytes.chunks_exact(SIZE).map(|bytes| {
        let mut number = [0; SIZE];
        number.copy_from_slice(bytes);
        f64::from_ne_bytes(number)
    });
    Ok(numbers.collect())
}
