//! Errors of the library as exceptions, in the words of Python.

use crate::words::spoken;
use bayes::cli::is_of_input;
use pyo3::{PyErr, PyResult, import_exception};
use std::any::Any;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

import_exception!(bayes._errors, BayesError);
import_exception!(bayes._errors, BayesInputError);

/// The exception of an error: that of wrong input if the same call would fail again.
pub(crate) fn exception(error: impl Into<bayes::Error>) -> PyErr {
    let error = error.into();
    let words = spoken(&error.to_string());
    match is_of_input(&error) {
        true => BayesInputError::new_err(words),
        false => BayesError::new_err(words),
    }
}

/// The exception for input that is wrong, in these words.
pub(crate) fn wrong(words: impl Display) -> PyErr {
    BayesInputError::new_err(spoken(&words.to_string()))
}

/// Does the work; a panic is an exception, and never ends the interpreter.
pub(crate) fn caught<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panicked(&*panic)))
}

/// The exception of a panic.
pub(crate) fn panicked(panic: &(dyn Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    let text = text.unwrap_or("no words");
    BayesError::new_err(format!(
        "an error of the library, please report it: it panicked with: {text}"
    ))
}
