//! A run of an engine outside of the interpreter's lock, which Ctrl-C stops.

use crate::errors::{exception, interrupted, panicked};
use bayes::Error;
use bayes::density::{LogDensity, Posterior};
use bayes::engine::Engine;
use bayes::observe::Observer;
use bayes::run::Run;
use bayes_formula::Regression;
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

/// Runs the engine on a regression, while other threads of Python go on.
///
/// # Errors
/// The exception of the error; `KeyboardInterrupt` after Ctrl-C, or what another handler of a signal raises.
pub(crate) fn run(
    py: Python<'_>,
    engine: &mut dyn Engine,
    regression: &Regression,
) -> PyResult<Run> {
    let stop = Arc::new(AtomicBool::new(false));
    engine.common_mut().stop = Some(Arc::clone(&stop));
    let common = engine.common();
    let posterior = Posterior::with(regression, common.seed, common.arithmetic);
    let posterior = posterior.map_err(exception)?;
    let engine = &*engine;
    let (run, raised) = py.detach(|| watched(engine, &posterior, &stop));
    if let Some(raised) = raised {
        return Err(raised);
    }
    let run = run?.map_err(exception)?;
    match run.is_stopped && stop.load(Ordering::Relaxed) {
        true => Err(interrupted()),
        false => Ok(run),
    }
}

/// The result of an engine on a thread of its own, and the exception of the first signal, which stops it. This thread looks for signals: if it is the
/// main thread of Python, they are handled here.
fn watched(
    engine: &dyn Engine,
    density: &dyn LogDensity,
    stop: &AtomicBool,
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
                stop.fetch_or(raised.is_some(), Ordering::Relaxed);
            }
        }
        work.join().map_err(|panic| panicked(&*panic))
    });
    (result, raised)
}
