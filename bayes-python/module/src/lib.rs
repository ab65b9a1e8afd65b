//! Modules of Python: what `bayes::python!` needs, and what the package `bayes` shares with it.
//!
//! A module knows its models, and nothing of their runs: `bayes` has the classes of Python for both. Between the two go the data of a model as
//! bytes of numbers, and runs as files that [`Run::save`](bayes_core::run::Run::save) writes. So a module needs neither the version nor the
//! compiler of the package, as long as both have the same format of runs.

#![deny(unsafe_code)]

mod argument;
mod errors;
mod function;
mod models;
mod running;
mod settings;
mod task;
mod words;

pub use argument::{Argument, Element, Kind, Value};
pub use errors::{caught, exception, wrong};
pub use function::{ModelFunction, kinds, perform};
pub use models::{Entry, export};
pub use pyo3;
pub use running::{Ran, Wanted, run, stoppable};
pub use settings::settings;
pub use task::Task;
pub use words::spoken;
