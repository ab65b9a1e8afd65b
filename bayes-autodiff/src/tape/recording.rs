//! The record of the thread's present evaluation.

use super::record::Record;
use crate::gradient::Program;
use std::cell::Cell;
use std::ptr;

thread_local! {
    static CURRENT: Cell<*mut Record> = const { Cell::new(ptr::null_mut()) };
    static SPARE: Cell<Option<Box<Record>>> = const { Cell::new(None) };
}

/// The record of this thread's present evaluation.
///
/// A macro and not a function of a closure: a large closure is not always inlined into its caller, and outside of it there
/// are no SIMD instructions.
macro_rules! record {
    (|$record:ident| $body:expr) => {{
        let current = $crate::tape::recording::current();
        // SAFETY: `current` points to the record that this thread's `Recording` keeps alive and does not touch
        // meanwhile. What runs in the block is code of the tape, which calls no model code, so there is no second borrow.
        let $record = unsafe { &mut *current };
        $body
    }};
}
pub(super) use record;

/// Where the record of the present evaluation is.
#[inline(always)]
pub(super) fn current() -> *mut Record {
    let current = CURRENT.get();
    if current.is_null() {
        outside();
    }
    current
}

#[cold]
#[inline(never)]
fn outside() -> ! {
    panic!("a recorded quantity was used outside of its evaluation");
}

/// An evaluation in progress on this thread; its end restores the outer one, also when a model panics.
pub(super) struct Recording {
    outer: *mut Record,
    own: *mut Record,
}

impl Recording {
    /// Begins the evaluation of `program`, in the memory of the previous evaluation on this thread.
    pub(super) fn start<P: Program>(program: &P) -> Self {
        let mut own = SPARE.take().unwrap_or_else(Record::new);
        own.see(program);
        let own = Box::into_raw(own);
        let outer = CURRENT.replace(own);
        Self { outer, own }
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        CURRENT.set(self.outer);
        // SAFETY: `own` came from `Box::into_raw` in `start` and is given back once.
        let own = unsafe { Box::from_raw(self.own) };
        // a thread that is ending cannot keep it; then it is freed
        let _ = SPARE.try_with(|spare| spare.set(Some(own)));
    }
}

/// Bytes that this thread keeps for the tapes of its evaluations, eight particles at a time.
#[must_use]
pub fn memory() -> usize {
    let Some(spare) = SPARE.take() else { return 0 };
    let bytes = spare.bytes();
    SPARE.set(Some(spare));
    bytes
}
