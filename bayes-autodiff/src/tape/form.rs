//! The derivative of a quantity: a sum of multiples of slots.
//!
//! Most quantities of a model are used once, and their derivative is a few multiples of those of others: for these a
//! slot with an adjoint of its own would cost more than it saves. So an operation writes down terms, and a quantity
//! refers to a run of them that nobody changes any more; a sum of two runs side by side is one run. A quantity gets a
//! slot when a function is taken of it and it has several terms, or when it is used again.

use super::record::{Lane, ONES, Record};
use crate::simd::Simd;

/// A multiple of the derivative of a slot: `factor` times the numbers of a lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Term {
    /// Finite; the same in all particles.
    pub(super) factor: f64,
    pub(super) slot: u32,
    /// Where the numbers of the particles are; in the last term of a run also whether it is [`USED`].
    pub(super) lane: u32,
}

/// A run has been handed down: every sum that continued it would hand down its terms again.
const USED: u32 = 1 << 31;

impl Term {
    /// Where the numbers of the particles are.
    #[inline(always)]
    pub(super) fn lane(self) -> usize {
        (self.lane & !USED) as usize
    }
}

/// The derivative of a quantity: a run of terms, one slot, or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    /// The first of the terms; the slot, where there are none.
    pub(super) first: u32,
    pub(super) terms: u32,
}

impl Form {
    /// Of a quantity that depends on no random value.
    pub(crate) const CONSTANT: Self = Self::slot(u32::MAX);

    /// Of a quantity with a slot.
    #[inline(always)]
    pub(crate) const fn slot(slot: u32) -> Self {
        Self {
            first: slot,
            terms: 0,
        }
    }

    #[inline(always)]
    pub(crate) fn is_constant(self) -> bool {
        self.first == u32::MAX
    }

    #[inline(always)]
    pub(super) fn is_slot(self) -> bool {
        self.terms == 0
    }

    /// One behind the last term.
    #[inline(always)]
    pub(super) fn end(self) -> usize {
        self.first as usize + self.terms as usize
    }
}

impl Record {
    /// Where the terms of a new quantity begin.
    #[inline(always)]
    pub(super) fn begin(&self) -> u32 {
        self.terms.len() as u32
    }

    /// The terms written since `begin`; a constant where there are none.
    #[inline(always)]
    pub(super) fn since(&self, begin: u32) -> Form {
        match self.terms.len() as u32 - begin {
            0 => Form::CONSTANT,
            terms => Form {
                first: begin,
                terms,
            },
        }
    }

    /// Writes down `partial` times the derivative `form`, as one term; nothing of a constant.
    #[inline(always)]
    pub(super) fn times<S: Simd>(&mut self, form: Form, partial: S::Float) {
        if form.is_constant() {
            return;
        }
        let mut term = self.single(form);
        // no derivative, no contribution, however steep the inner function is: `e^{ln 0}`
        let product = S::mul_or_zero(partial, S::load(&self.lane(term).0));
        term.lane = self.keep_lane::<S>(product);
        self.push_term(term);
    }

    /// [`Record::times`] for a number that is the same in all particles.
    #[inline(always)]
    pub(super) fn times_number<S: Simd>(&mut self, form: Form, number: f64) {
        if form.is_constant() {
            return;
        }
        let mut term = self.single(form);
        let factor = term.factor * number;
        if factor.abs() < f64::INFINITY {
            term.factor = factor;
        } else {
            let product = S::mul_or_zero(S::splat(number), S::load(&self.lane(term).0));
            term.lane = self.keep_lane::<S>(product);
        }
        self.push_term(term);
    }

    /// The sum of two derivatives, neither of them that of a constant: one run of both where they lie side by side;
    /// else one that lies at the end is continued.
    #[inline(always)]
    pub(super) fn join(&mut self, a: Form, b: Form) -> Form {
        let side_by_side = !a.is_slot() && !b.is_slot() && a.end() == b.first as usize;
        if side_by_side && b.end() <= self.terms.len() && !self.is_used(a) {
            return Form {
                first: a.first,
                terms: a.terms + b.terms,
            };
        }
        let (first, first_kept, second_kept) = if self.is_last(a) {
            (a.first, true, false)
        } else if self.is_last(b) {
            (b.first, false, true)
        } else {
            (self.begin(), false, false)
        };
        if !first_kept {
            let term = self.single(a);
            self.push_term(term);
        }
        if !second_kept {
            let term = self.single(b);
            self.push_term(term);
        }
        self.since(first)
    }

    /// A derivative as one term: a slot is made of several.
    #[inline(always)]
    fn single(&mut self, form: Form) -> Term {
        let mut slot = form.first;
        if form.terms == 1 {
            self.check(form);
            // SAFETY: `check` has seen that the run lies within the terms.
            let mut term = unsafe { *self.terms.get_unchecked(form.first as usize) };
            term.lane &= !USED;
            return term;
        } else if !form.is_slot() {
            slot = self.slot_of_run(form);
        }
        Term {
            factor: 1.0,
            slot,
            lane: ONES,
        }
    }

    /// Whether `run` can be continued: nothing lies behind it, and it has not been used.
    #[inline(always)]
    fn is_last(&self, run: Form) -> bool {
        !run.is_slot() && run.end() == self.terms.len() && !self.is_used(run)
    }

    /// Whether a run of terms has been handed down.
    #[inline(always)]
    pub(super) fn is_used(&self, run: Form) -> bool {
        self.check(run);
        // SAFETY: `check` has seen that the run, which is not empty, lies within the terms.
        unsafe { self.terms.get_unchecked(run.end() - 1) }.lane & USED != 0
    }

    /// Remembers that a run of terms is handed down.
    #[inline(always)]
    pub(super) fn set_used(&mut self, run: Form) {
        self.check(run);
        // SAFETY: as above.
        unsafe { self.terms.get_unchecked_mut(run.end() - 1) }.lane |= USED;
    }

    /// The numbers of a term that was written down.
    #[inline(always)]
    fn lane(&self, term: Term) -> &Lane {
        // SAFETY: a term's lane is kept as long as the term (see `Record`).
        unsafe { self.payload.lanes.get_unchecked(term.lane()) }
    }
}
