//! Errors of the library as exceptions, in the words of Python.

use crate::words::spoken;
use bayes_cli::is_of_input;
use pyo3::{PyErr, PyResult, import_exception};
use std::any::Any;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

import_exception!(bayes._errors, BayesError);
import_exception!(bayes._errors, BayesInputError);

/// The exception of an error: that of wrong input if the same call would fail again.
pub fn exception(error: impl Into<bayes_core::Error>) -> PyErr {
    let error = error.into();
    let words = spoken(&error.to_string());
    match is_of_input(&error) {
        true => BayesInputError::new_err(words),
        false => BayesError::new_err(words),
    }
}

/// The exception for input that is wrong, in these words.
pub fn wrong(words: impl Display) -> PyErr {
    BayesInputError::new_err(spoken(&words.to_string()))
}

/// The process that first did work; 0 before. Its threads are in no fork of it.
static WORKER: AtomicU32 = AtomicU32::new(0);

/// # Errors
/// `BayesError` in a fork of a process that did work: the call would wait for ever for threads that are not there.
fn refuse_fork() -> PyResult<()> {
    let me = process::id();
    match WORKER.compare_exchange(0, me, Ordering::Relaxed, Ordering::Relaxed) {
        Err(worker) if worker != me => Err(BayesError::new_err(
            "this process was forked from one in which bayes had worked, whose threads are not here; start it by \
             `multiprocessing.get_context(\"spawn\")`, or before the first call",
        )),
        _ => Ok(()),
    }
}

/// Does the work; a panic is an exception, and never ends the interpreter.
///
/// # Errors
/// Those of the work; `BayesError` for a panic, and in a fork of a process that did work.
pub fn caught<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    refuse_fork()?;
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panicked(&*panic)))
}

/// The exception of a panic.
pub fn panicked(panic: &(dyn Any + Send)) -> PyErr {
    BayesError::new_err(format!(
        "an error of the library, please report it: it panicked with: {}",
        text_of(panic)
    ))
}

/// The words of a panic.
pub(crate) fn text_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("no words")
}
