//! Runs of engines outside of the interpreter's lock, which Ctrl-C stops.

use crate::errors::{caught, exception, panicked};
use crate::settings::engine;
use bayes_core::Error;
use bayes_core::engine::Engine;
use bayes_core::observe::Observer;
use bayes_core::run::Run;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// How often signals are looked for.
const LOOK: Duration = Duration::from_millis(50);

/// Trouble that does not stop a run, in words.
#[derive(Debug, Default)]
struct Troubles(Mutex<Vec<String>>);

impl Observer for Troubles {
    fn trouble(&self, error: &Error) {
        if let Ok(mut seen) = self.0.lock() {
            seen.push(error.to_string());
        }
    }
}

impl Troubles {
    fn take(&self) -> Vec<String> {
        self.0
            .lock()
            .map(|mut seen| std::mem::take(&mut *seen))
            .unwrap_or_default()
    }
}

/// A run, the trouble that did not stop it, and whether Ctrl-C did.
pub type Ran = (Run, Vec<String>, bool);

/// How a call wants its run: the engine by its name, the seed, bars on standard error, and the settings.
#[derive(Debug)]
pub struct Wanted<'a, 'py> {
    /// The engine.
    pub engine: &'a str,
    /// Of all random numbers.
    pub seed: u64,
    /// Whether bars show progress where standard error is a terminal.
    pub progress: bool,
    /// The other keywords of the call.
    pub settings: &'a Bound<'py, PyDict>,
}

/// The `work` of the engine that a call wants, while other threads of Python go on, until it `is_over`.
///
/// # Errors
/// `BayesInputError` for settings that are wrong; the exception of the work's error; `KeyboardInterrupt` after Ctrl-C where nothing was finished, or what
/// another handler of a signal raises.
pub fn run(
    py: Python<'_>,
    wanted: &Wanted<'_, '_>,
    is_over: impl Fn() -> bool + Send,
    work: impl FnOnce(&dyn Engine) -> Result<Run, Error> + Send,
) -> PyResult<Ran> {
    let mut engine = engine(wanted.engine, wanted.settings)?;
    let troubles = Arc::new(Troubles::default());
    let stop = Arc::new(AtomicBool::new(false));
    let common = engine.common_mut();
    common.seed = wanted.seed;
    common.progress = wanted.progress;
    common.observers.push(troubles.clone());
    common.stop = Some(Arc::clone(&stop));
    let engine = &*engine;
    let watched = || py.detach(|| watched(|| work(engine), &stop, is_over));
    let (run, raised) = caught(|| Ok(watched()))?;
    let interrupts = |raised: &PyErr| raised.is_instance_of::<PyKeyboardInterrupt>(py);
    match (raised, run?) {
        (Some(raised), Ok(run)) if interrupts(&raised) && !run.groups.is_empty() => {
            Ok((run, troubles.take(), true))
        }
        (Some(raised), _) => Err(raised),
        (None, run) => Ok((run.map_err(exception)?, troubles.take(), false)),
    }
}

/// What `work` finds while other threads of Python go on. Ctrl-C sets its flag, with which the work's engines stop.
///
/// # Errors
/// The exception of the work's error; `KeyboardInterrupt` after Ctrl-C, or what another handler of a signal raises.
pub fn stoppable<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Arc<AtomicBool>) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let stop = Arc::new(AtomicBool::new(false));
    let watched = || py.detach(|| watched(|| work(&stop), &stop, || false));
    let (found, raised) = caught(|| Ok(watched()))?;
    match raised {
        Some(raised) => Err(raised),
        None => found?.map_err(exception),
    }
}

/// The result of work on a thread of its own, which stops when it `is_over`, and the exception of the first signal, which stops it too. This thread looks for signals:
/// if it is the main thread of Python, they are handled here.
fn watched<T: Send>(
    work: impl FnOnce() -> Result<T, Error> + Send,
    stop: &AtomicBool,
    is_over: impl Fn() -> bool + Send,
) -> (PyResult<Result<T, Error>>, Option<PyErr>) {
    let mut raised = None;
    let result = thread::scope(|scope| {
        let (ended, ending) = sync_channel::<()>(1);
        let work = scope.spawn(move || {
            // dropped at the end, also by a panic
            let _ended = ended;
            work()
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
