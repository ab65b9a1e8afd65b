//! Ctrl-C, and the signal by which Slurm and Kubernetes announce that they will end a process.

use bayes_core::Error;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A flag that becomes true with the first signal; the second ends the process at once.
pub(crate) fn on_signal() -> Result<Arc<AtomicBool>, Error> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // registered first, so that it sees the flag of an earlier signal; by convention the exit code is 128 plus the
        // signal's number
        flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&stop))?;
        flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}
