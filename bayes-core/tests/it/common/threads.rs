//! Threads of tests.

use bayes_core::run::Run;
use serde_json::to_string;

/// Runs `f` with this number of threads.
pub fn with_threads<T: Send>(threads: usize, f: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("a pool").install(f)
}

/// Asserts that the bytes of a run do not depend on the number of threads.
pub fn assert_same_bytes(run: impl Fn() -> Run + Sync) {
    let of = |threads| with_threads(threads, || to_string(&run()).expect("it is JSON"));
    let one = of(1);
    assert_eq!(one, of(2));
    assert_eq!(one, of(7));
}
