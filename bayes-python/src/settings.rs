//! The settings of engines.

use bayes::module;
use pyo3::prelude::*;

/// The names of all settings, each with the engines that have it and what it is.
#[pyfunction]
pub(crate) fn settings() -> Vec<(&'static str, String, String)> {
    module::settings()
}
