//! The derivative of a quantity: a sum of multiples of slots.
//!
//! Most quantities of a model are used once, and their derivative is a sum of a few multiples of other derivatives. A
//! slot with its own adjoint would cost more than it saves. So an operation writes terms, and a quantity
//! refers to a run of terms that does not change any more; the sum of two adjacent runs is one run. A quantity gets a
//! slot when a function of it is computed and it has several terms, or when it is used again.

use super::record::{ONES, Record};
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

/// Marks a run of several terms that has been propagated.
const USED: u32 = 1 << 31;

impl Term {
    /// Where the numbers of the particles are.
    #[inline(always)]
    pub(super) fn lane(self) -> usize {
        (self.lane & !USED) as usize
    }
}

/// A run of adjacent terms, or one slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TermRange {
    /// The first of the terms; the slot, where there are none.
    pub(super) first: u32,
    pub(super) terms: u32,
}

impl TermRange {
    #[inline(always)]
    pub(super) const fn slot(slot: u32) -> Self {
        let (first, terms) = (slot, 0);
        Self { first, terms }
    }

    #[inline(always)]
    pub(super) fn is_slot(self) -> bool {
        self.terms == 0
    }

    /// One past the last term.
    #[inline(always)]
    pub(super) fn end(self) -> usize {
        self.first as usize + self.terms as usize
    }
}

/// The derivative of a quantity: a multiple of that of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinearCombination {
    pub(super) run: TermRange,
    /// Finite; the same in all particles.
    pub(super) factor: f64,
}

impl LinearCombination {
    /// Of a quantity that depends on no random value.
    pub(super) const CONSTANT: Self = Self::slot(u32::MAX);

    #[inline(always)]
    const fn whole(run: TermRange) -> Self {
        Self { run, factor: 1.0 }
    }

    /// Of a quantity with a slot.
    #[inline(always)]
    pub(super) const fn slot(slot: u32) -> Self {
        Self::whole(TermRange::slot(slot))
    }

    #[inline(always)]
    pub(super) fn is_constant(self) -> bool {
        self.run.first == Self::CONSTANT.run.first
    }

    /// Whether it is a sum of terms without a further factor.
    #[inline(always)]
    fn is_sum(self) -> bool {
        !self.run.is_slot() && self.factor == 1.0
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
    pub(super) fn since(&self, begin: u32) -> LinearCombination {
        match self.terms.len() as u32 - begin {
            0 => LinearCombination::CONSTANT,
            terms => LinearCombination::whole(TermRange {
                first: begin,
                terms,
            }),
        }
    }

    /// Writes `partial` times the derivative `form` as one term; writes nothing for a constant.
    #[inline(always)]
    pub(super) fn times<S: Simd>(&mut self, form: LinearCombination, partial: S::Float) {
        if form.is_constant() {
            return;
        }
        let mut term = self.single(form);
        let mut product = partial;
        if term.lane != ONES {
            // SAFETY: a term's lane is kept as long as the term (see `Record`).
            let inner = unsafe { self.payload.lanes.get_unchecked(term.lane()) };
            // a zero derivative contributes nothing, however steep the inner function is: `e^{ln 0}`
            product = S::mul_or_zero(partial, S::load(&inner.0));
        }
        term.lane = self.keep_lane::<S>(product);
        self.push_term(term);
    }

    /// `number` times the derivative `form`.
    #[inline(always)]
    pub(super) fn multiple<S: Simd>(
        &mut self,
        form: LinearCombination,
        number: f64,
    ) -> LinearCombination {
        let factor = form.factor * number;
        if factor.abs() < f64::INFINITY {
            return LinearCombination { factor, ..form };
        }
        let begin = self.begin();
        self.times::<S>(form, S::splat(number));
        self.since(begin)
    }

    /// The sum of two derivatives, neither of them of a constant. Adjacent runs become one run;
    /// otherwise the run at the end of the terms is extended.
    #[inline(always)]
    pub(super) fn join(&mut self, a: LinearCombination, b: LinearCombination) -> LinearCombination {
        if self.is_last(b) {
            if a.is_sum() && a.run.end() == b.run.first as usize && self.is_unused(a.run) {
                return LinearCombination::whole(TermRange {
                    first: a.run.first,
                    terms: a.run.terms + b.run.terms,
                });
            }
            self.write(a);
            return self.since(b.run.first);
        }
        let mut first = a.run.first;
        if !self.is_last(a) {
            first = self.begin();
            self.write(a);
        }
        self.write(b);
        self.since(first)
    }

    /// Whether a run can be extended: it is the last one, and it has not been propagated. After propagation
    /// every sum that extended it would propagate its terms again.
    #[inline(always)]
    fn is_last(&self, form: LinearCombination) -> bool {
        form.is_sum() && form.run.end() == self.terms.len() && self.is_unused(form.run)
    }

    /// Whether a run of terms has not been propagated yet.
    #[inline(always)]
    fn is_unused(&self, run: TermRange) -> bool {
        let last = self.terms.get(run.end() - 1);
        last.is_some_and(
            #[inline(always)]
            |term| term.lane & USED == 0,
        )
    }

    /// Writes a derivative that is not that of a constant as one term.
    #[inline(always)]
    pub(super) fn write(&mut self, form: LinearCombination) {
        let term = self.single(form);
        self.push_term(term);
    }

    /// A derivative as one term; several terms become a slot.
    #[inline(always)]
    fn single(&mut self, form: LinearCombination) -> Term {
        let LinearCombination { run, factor } = form;
        let mut slot = run.first;
        if run.terms == 1 {
            self.check(run);
            // SAFETY: `check` has seen that the run lies within the terms.
            let mut term = unsafe { *self.terms.get_unchecked(run.first as usize) };
            term.factor *= factor;
            term.lane &= !USED;
            if term.factor.abs() < f64::INFINITY {
                return term;
            }
        }
        if !run.is_slot() {
            slot = self.slot_of_run(run);
        }
        Term {
            factor,
            slot,
            lane: ONES,
        }
    }

    /// Marks a nonempty run of terms as propagated; returns whether this is the first time.
    #[inline(always)]
    pub(super) fn mark_used(&mut self, run: TermRange) -> bool {
        self.check(run);
        // SAFETY: `check` has seen that the run lies within the terms.
        let last = unsafe { self.terms.get_unchecked_mut(run.end() - 1) };
        let first_time = last.lane & USED == 0;
        last.lane |= USED;
        first_time
    }
}
