//! The keywords of a call as the settings of an engine.

use crate::errors::wrong;
use bayes_cli::Settings;
use bayes_core::engine::Engine;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};
use std::path::PathBuf;
use std::time::Duration;

/// Settings of a run that are none of an engine.
const FOLDER: &str = "checkpoint";
const INTERVAL: &str = "checkpoint_interval";

/// The engine of this name with these settings.
///
/// # Errors
/// `BayesInputError` for a setting that does not exist, is no setting of the engine, or has such a value; `TypeError` for a value that is no number.
pub fn engine(name: &str, given: &Bound<'_, PyDict>) -> PyResult<Box<dyn Engine>> {
    let mut settings = Settings::new(name);
    for (key, value) in given {
        let key: String = key.extract()?;
        match key.as_str() {
            FOLDER | INTERVAL => {}
            "kernel" => settings = settings.kernel(text(&key, &value)?),
            _ => settings.set(&key, &text(&key, &value)?).map_err(wrong)?,
        }
    }
    let mut engine = settings.engine().map_err(wrong)?;
    let common = engine.common_mut();
    if let Some(folder) = given.get_item(FOLDER)? {
        let folder = folder.extract::<PathBuf>().map_err(|_| {
            PyTypeError::new_err(format!(
                "setting `{FOLDER}` is {folder}; it must be the path of a folder"
            ))
        })?;
        common.checkpoint = Some(folder);
    }
    if let Some(seconds) = given.get_item(INTERVAL)? {
        let wanted =
            || wrong("setting `checkpoint_interval` must be a number of seconds from 0 on");
        let seconds: f64 = seconds.extract().map_err(|_| wanted())?;
        let interval = Duration::try_from_secs_f64(seconds).map_err(|_| wanted())?;
        common.checkpoint_interval = interval;
    }
    Ok(engine)
}

/// The names of all settings, each with the engines that have it and what it is.
#[must_use]
pub fn settings() -> Vec<(&'static str, String, String)> {
    let all = Settings::all();
    // options that a text names are keywords here
    all.map(|(name, engines, text)| (name, engines, text.replace("--", "")))
        .collect()
}

/// A value as the command line has it.
fn text(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    let is_number = value.is_instance_of::<PyInt>() || value.is_instance_of::<PyFloat>();
    let is_flag = value.is_instance_of::<PyBool>();
    if value.is_instance_of::<PyString>() || is_number && !is_flag {
        // an integer or a number of NumPy writes its type too
        let plain = match value.is_instance_of::<PyFloat>() {
            true => value.extract::<f64>()?.to_string(),
            false => value.str()?.to_string(),
        };
        return Ok(plain);
    }
    if !is_flag {
        if let Ok(whole) = value.extract::<i64>() {
            return Ok(whole.to_string());
        }
        if let Ok(number) = value.extract::<f64>() {
            return Ok(number.to_string());
        }
    }
    let (kind, value) = (value.get_type().name()?, value.repr()?);
    Err(PyTypeError::new_err(format!(
        "setting `{name}` is {value}, of the type {kind}; it must be a number or a text"
    )))
}
