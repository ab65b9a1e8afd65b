//! A run of an engine outside of the interpreter's lock, which Ctrl-C stops.

use crate::errors::{exception, panicked};
use bayes::Error;
use bayes::density::{LogDensity, Posterior};
use bayes::engine::Engine;
use bayes::observe::Observer;
use bayes::run::Run;
use bayes_formula::Regression;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// How often signals are looked for.
const LOOK: Duration = Duration::from_millis(50);

/// Trouble that does not stop a run, in words.
#[derive(Debug, Default)]
pub(crate) struct Troubles(Mutex<Vec<String>>);

impl Observer for Troubles {
    fn trouble(&self, error: &Error) {
        if let Ok(mut seen) = self.0.lock() {
            seen.push(error.to_string());
        }
    }
}

impl Troubles {
    pub(crate) fn take(&self) -> Vec<String> {
        self.0
            .lock()
            .map(|mut seen| std::mem::take(&mut *seen))
            .unwrap_or_default()
    }
}

/// Runs the engine on a regression, while other threads of Python go on. Says too whether Ctrl-C stopped it.
///
/// # Errors
/// As [`run_on`].
pub(crate) fn run(
    py: Python<'_>,
    engine: &mut dyn Engine,
    regression: &Regression,
) -> PyResult<(Run, bool)> {
    let common = engine.common();
    let posterior = Posterior::with(regression, common.seed, common.arithmetic);
    let posterior = posterior.map_err(exception)?;
    run_on(py, engine, &posterior, || false)
}

/// Runs the engine on a density, while other threads of Python go on, until it `is_over`. Says too whether Ctrl-C stopped it.
///
/// # Errors
/// The exception of the error; `KeyboardInterrupt` after Ctrl-C where nothing was finished, or what another handler of a signal raises.
pub(crate) fn run_on(
    py: Python<'_>,
    engine: &mut dyn Engine,
    density: &dyn LogDensity,
    is_over: impl Fn() -> bool + Send,
) -> PyResult<(Run, bool)> {
    let stop = Arc::new(AtomicBool::new(false));
    engine.common_mut().stop = Some(Arc::clone(&stop));
    let engine = &*engine;
    let (run, raised) = py.detach(|| watched(engine, density, &stop, is_over));
    let interrupts = |raised: &PyErr| raised.is_instance_of::<PyKeyboardInterrupt>(py);
    match (raised, run?) {
        (Some(raised), Ok(run)) if interrupts(&raised) && !run.groups.is_empty() => Ok((run, true)),
        (Some(raised), _) => Err(raised),
        (None, run) => Ok((run.map_err(exception)?, false)),
    }
}

/// The result of an engine on a thread of its own, which stops when it `is_over`, and the exception of the first signal, which stops it too. This thread looks for signals: if it is the
/// main thread of Python, they are handled here.
fn watched(
    engine: &dyn Engine,
    density: &dyn LogDensity,
    stop: &AtomicBool,
    is_over: impl Fn() -> bool + Send,
) -> (PyResult<Result<Run, Error>>, Option<PyErr>) {
    let mut raised = None;
    let result = thread::scope(|scope| {
        let (ended, ending) = sync_channel::<()>(1);
        let work = scope.spawn(move || {
            // dropped at the end, also by a panic
            let _ended = ended;
            engine.run_on(density)
        });
        while ending.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
            if raised.is_none() {
                raised = Python::attach(|py| py.check_signals().err());
            }
            stop.fetch_or(raised.is_some() || is_over(), Ordering::Relaxed);
        }
        work.join().map_err(|panic| panicked(&*panic))
    });
    (result, raised)
}
