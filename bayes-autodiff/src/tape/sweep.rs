//! Adjoints: how terms of the log density are added to them, and the sweep.

use super::linear_combination::{LinearCombination, TermRange};
use super::record::{BULK, Lane, ONES, Record};
use crate::simd::{Simd, Work, in_place};

/// The longest run of terms that may be propagated repeatedly without a slot.
const FEW: u32 = 2;

/// `adjoint += slope`.
#[inline(always)]
pub(super) fn add<S: Simd>(adjoint: &mut Lane, slope: S::Float) {
    S::store(S::add(S::load(&adjoint.0), slope), &mut adjoint.0);
}

impl Record {
    /// Propagates to the slots of the derivative `form`, in which the log density has the slope `slope`.
    #[inline(always)]
    pub(super) fn seed<S: Simd>(&mut self, form: LinearCombination, slope: S::Float) {
        if !form.is_constant() {
            in_place::<S, _>(
                #[inline(always)]
                || self.seed_random::<S>(form, slope),
            );
        }
    }

    /// [`Record::seed`] for what is not a constant.
    #[inline(always)]
    fn seed_random<S: Simd>(&mut self, form: LinearCombination, slope: S::Float) {
        let LinearCombination { run, factor } = form;
        let mut slot = run.first;
        if !run.is_slot() {
            if self.mark_used(run) || run.terms <= FEW {
                let slope = S::mul(slope, S::splat(factor));
                // SAFETY: `mark_used` has seen that the run lies within the terms.
                unsafe { self.hand_down::<S>(run, slope) };
                return;
            }
            slot = self.slot_of_run(run);
        }
        self.check(TermRange::slot(slot));
        // SAFETY: the slot is there, and has an adjoint.
        let adjoint = unsafe { &mut self.adjoints.get_unchecked_mut(slot as usize).0 };
        S::store(
            S::mul_add(slope, S::splat(factor), S::load(adjoint)),
            adjoint,
        );
    }

    /// Adds to the adjoints of the slots in a run of terms their shares of `slope`; adds nothing where `slope` is 0,
    /// whatever the derivative is.
    ///
    /// # Safety
    /// The run lies within the terms.
    #[inline(always)]
    unsafe fn hand_down<S: Simd>(&mut self, run: TermRange, slope: S::Float) {
        let zero = S::splat(0.0);
        let terms = self.terms.as_ptr();
        let lanes = self.payload.lanes.as_ptr();
        let adjoints = self.adjoints.as_mut_ptr();
        for k in run.first as usize..run.end() {
            // SAFETY: the caller knows that there is such a term; it refers to a slot and a lane that are there (see
            // `Record`).
            unsafe {
                let term = *terms.add(k);
                let adjoint = &mut (*adjoints.add(term.slot as usize)).0;
                let (mut share, mut lane) = (slope, S::splat(term.factor));
                if term.lane() != ONES as usize {
                    share = S::mul(slope, lane);
                    // stores unconditionally, because processors do not forward a masked store to the next load
                    lane = S::load(&(*lanes.add(term.lane())).0);
                    lane = S::select(S::eq(share, zero), zero, lane);
                }
                S::store(S::mul_add(share, lane, S::load(adjoint)), adjoint);
            }
        }
    }

    /// Propagates the adjoints of the slots from `end` on to those below, and frees them.
    #[inline(always)]
    fn sweep<S: Simd>(&mut self, end: usize) {
        let mut slot = self.slots.len();
        while slot > end {
            slot -= 1;
            let run = self.slots[slot];
            if !run.is_slot() {
                let adjoint = S::load(&self.adjoints[slot].0);
                // SAFETY: the run was within the terms when the slot was made, and is not forgotten before it.
                unsafe { self.hand_down::<S>(run, adjoint) };
            } else if run == BULK {
                slot = self.sweep_operation::<S>();
            }
        }
        self.slots.truncate(end);
        self.adjoints.truncate(end);
    }

    /// Sweeps the last remaining operation; returns its first slot.
    #[inline(always)]
    fn sweep_operation<S: Simd>(&mut self) -> usize {
        let Some(entry) = self.operations.pop() else {
            unreachable!("a bulk slot belongs to an operation");
        };
        entry
            .operation
            .sweep::<S>(entry.first, &mut self.adjoints, &self.payload);
        self.keep_payload();
        entry.first
    }
}

/// [`Record::sweep`] as work.
pub(super) struct Sweep<'a> {
    pub(super) record: &'a mut Record,
    pub(super) end: usize,
}

impl Work for Sweep<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self) {
        self.record.sweep::<S>(self.end);
    }
}
