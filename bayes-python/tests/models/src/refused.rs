//! Modules that Python cannot import, beside the one of `bayes::python!` in the same file: their functions are no models themselves.

use bayes::module::pyo3::prelude::*;
use bayes::module::{Entry, export, kinds, perform};
use bayes::prelude::*;

fn of_first(y: &[f64]) -> impl Model {
    let first = std::slice::from_ref(&y[0]);
    super::eight_schools(first, first)
}

fn of_itself(y: &[f64]) -> impl Model {
    super::eight_schools(y, y)
}

#[pymodule]
#[pyo3(name = "panics", crate = "::bayes::module::pyo3")]
fn panics(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let entry = Entry {
        kinds: kinds(&of_first),
        perform: |data, task| perform(&of_first, data, task),
    };
    export(module, vec![entry])
}

#[pymodule]
#[pyo3(name = "wraps", crate = "::bayes::module::pyo3")]
fn wraps(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let entry = Entry {
        kinds: kinds(&of_itself),
        perform: |data, task| perform(&of_itself, data, task),
    };
    export(module, vec![entry])
}
