//! Draws of one quantity, with their weights.

use bayes::module::{exception, wrong};
use bayes::run;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

/// All draws of one quantity, or of predictions.
#[pyclass(frozen)]
pub(crate) struct Draws(pub(crate) run::Draws);

#[pymethods]
impl Draws {
    /// `[draws, elements]`, chain after chain or island after island.
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyByteArray>> {
        bytes(py, &self.0.values)
    }

    /// `[draws]`; they sum to 1.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyByteArray>> {
        bytes(py, &self.0.weights)
    }

    #[getter]
    fn elements(&self) -> usize {
        self.0.elements
    }

    /// `[elements]`.
    fn mean<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyByteArray>> {
        bytes(py, &self.0.mean())
    }

    /// `[elements]`.
    fn quantile<'py>(&self, py: Python<'py>, p: f64) -> PyResult<Bound<'py, PyByteArray>> {
        bytes(py, &self.0.quantile(p).map_err(exception)?)
    }
}

/// Numbers as bytes, of which NumPy makes an array without a copy.
pub(crate) fn bytes<'py>(py: Python<'py>, numbers: &[f64]) -> PyResult<Bound<'py, PyByteArray>> {
    let size = size_of::<f64>();
    let length = numbers.len().checked_mul(size);
    let length = length.ok_or_else(|| wrong("there are too many draws for the memory"))?;
    PyByteArray::new_with(py, length, |bytes| {
        for (place, number) in bytes.chunks_exact_mut(size).zip(numbers) {
            place.copy_from_slice(&number.to_ne_bytes());
        }
        Ok(())
    })
}
