//! What is recorded: slots, terms, and what bulk operations keep.

use super::bulk::Operation;
use super::checkpoints::Checkpoints;
use super::linear_combination::{LinearCombination, Term, TermRange};
use crate::buffer::Buffer;
use crate::gradient::Program;
use crate::network::Network;
use crate::simd::{LANES, Simd};
use std::ops::Range;
use std::sync::Arc;

/// Eight numbers in memory, the same for every instruction set.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Lane(pub [f64; LANES]);

impl Lane {
    pub(crate) const ZERO: Self = Self([0.0; LANES]);
}

/// The lane of ones, the first of every record.
pub(super) const ONES: u32 = 0;

/// Instead of a derivative: the slot is an output of a bulk operation.
pub(super) const BULK: TermRange = TermRange::slot(u32::MAX - 1);

/// Instead of a derivative: the slot is an input of the program.
const LEAF: TermRange = TermRange::slot(u32::MAX - 2);

/// Upper bound of the numbers of slots, terms and lanes; it leaves the highest bit of their indices free.
pub(super) const MOST: usize = 1 << 31;

/// How many slots, terms and lanes a new record has room for.
const ROOM: usize = 1024;

/// Size of the cache of recent slots; a power of two.
const MEMORY: usize = 16;

/// An evaluation in progress: a slot for every input, and for some of the quantities that depend on them.
///
/// A slot has an adjoint, and a derivative in slots below it, or belongs to a bulk operation, which owns a run of
/// slots. Every term refers to a slot and a lane that exist: both existed when the term was written, and everything that is
/// freed later was made later.
#[derive(Debug)]
pub(crate) struct Record {
    pub(super) adjoints: Buffer<Lane>,
    pub(super) slots: Buffer<TermRange>,
    pub(super) terms: Buffer<Term>,
    pub(super) operations: Vec<Entry>,
    pub(super) payload: Payload,
    pub(super) checkpoints: Checkpoints,
    pub(super) full: Full,
    /// The most recent slots made of runs of terms, indexed by the beginning of the run.
    memory: [u32; MEMORY],
    /// The weights of log prior and log likelihood in the gradient.
    pub(super) weights: [f64; 2],
    /// The memory ranges of the program's data, which outlive the evaluation.
    data: Vec<Range<*const f64>>,
}

/// What operations store until they are swept.
#[derive(Debug, Default)]
pub(super) struct Payload {
    /// Of terms and of bulk operations.
    pub(super) lanes: Buffer<Lane>,
    pub(super) numbers: Vec<f64>,
    pub(super) parents: Vec<u32>,
    pub(super) networks: Vec<Arc<Network>>,
}

/// What did not fit. The derivatives are then wrong, and the evaluation is repeated with more memory.
///
/// Growing the memory during the evaluation would put a call into every operation, and no number would stay in a register.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Full {
    slots: bool,
    terms: bool,
    lanes: bool,
}

impl Full {
    #[inline(always)]
    pub(super) fn any(self) -> bool {
        self.slots | self.terms | self.lanes
    }
}

/// A bulk operation, its first slot, and the end of its stored data.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) first: usize,
    pub(super) operation: Operation,
    numbers: usize,
    parents: usize,
    networks: usize,
}

impl Record {
    pub(super) fn new() -> Box<Self> {
        Box::new(Self {
            adjoints: Buffer::with_capacity(ROOM),
            slots: Buffer::with_capacity(ROOM),
            terms: Buffer::with_capacity(ROOM),
            operations: Vec::new(),
            payload: Payload {
                lanes: Buffer::with_capacity(ROOM),
                ..Payload::default()
            },
            full: Full::default(),
            checkpoints: Checkpoints::default(),
            memory: [0; MEMORY],
            weights: [1.0; 2],
            data: Vec::new(),
        })
    }

    /// Bytes of allocated memory.
    pub(super) fn bytes(&self) -> usize {
        self.adjoints.capacity() * size_of::<Lane>()
            + self.slots.capacity() * size_of::<TermRange>()
            + self.terms.capacity() * size_of::<Term>()
            + self.operations.capacity() * size_of::<Entry>()
            + self.payload.lanes.capacity() * size_of::<Lane>()
            + self.payload.numbers.capacity() * size_of::<f64>()
            + self.payload.parents.capacity() * size_of::<u32>()
    }

    /// Removes everything except the program's data.
    pub(super) fn clear(&mut self, weights: [f64; 2]) {
        self.adjoints.clear();
        self.slots.clear();
        self.terms.clear();
        self.operations.clear();
        self.payload.lanes.clear();
        self.payload.lanes.push(Lane([1.0; LANES]));
        self.keep_payload();
        self.checkpoints.clear();
        self.full = Full::default();
        self.weights = weights;
    }

    /// Stores the memory ranges of the numbers of `program`, which outlive the evaluation.
    pub(super) fn see<P: Program>(&mut self, program: &P) {
        self.data.clear();
        program.data(&mut |numbers| self.data.push(numbers.as_ptr_range()));
    }

    /// Whether `values` are the program's own data, which stay where they are for the whole evaluation.
    pub(super) fn is_data(&self, values: &[f64]) -> bool {
        let range = values.as_ptr_range();
        self.data
            .iter()
            .any(|data| data.start <= range.start && range.end <= data.end)
    }

    /// The inputs of the program, as the first slots.
    pub(super) fn leaves(&mut self, count: usize) {
        self.new_slots(count, LEAF);
    }

    /// Slots that are not made of terms.
    fn new_slots(&mut self, count: usize, run: TermRange) {
        if self.slots.len() + count >= MOST {
            too_long();
        }
        self.slots.extend_filled(count, run);
        self.adjoints.extend_filled(count, Lane::ZERO);
    }

    /// The slot of a derivative that is not that of a constant.
    #[inline(never)]
    pub(super) fn slot_of(&mut self, form: LinearCombination) -> u32 {
        let mut run = form.run;
        if form.factor != 1.0 {
            let first = self.begin();
            self.write(form);
            if self.full.terms {
                // the evaluation is repeated; the first slot stands in until then
                return 0;
            }
            run = self.since(first).run;
        }
        if run.is_slot() {
            self.check(run);
            return run.first;
        }
        self.slot_of_run(run)
    }

    /// The slot of a run of terms: a new one unless the run already has one.
    #[inline(always)]
    pub(super) fn slot_of_run(&mut self, run: TermRange) -> u32 {
        self.check(run);
        let known = &mut self.memory[run.first as usize % MEMORY];
        if self.slots.get(*known as usize) != Some(&run) {
            let slot = self.slots.len();
            let fits = self.adjoints.push_within_capacity(Lane::ZERO);
            if !fits || !self.slots.push_within_capacity(run) {
                self.adjoints.truncate(slot);
                self.full.slots = true;
                return 0;
            }
            *known = slot as u32;
        }
        *known
    }

    /// Appends a term; its slot is checked here.
    #[inline(always)]
    pub(super) fn push_term(&mut self, term: Term) {
        if term.slot as usize >= self.slots.len() {
            stale();
        }
        if !self.terms.push_within_capacity(term) {
            self.full.terms = true;
        }
    }

    /// Stores a number for each particle; returns its position.
    #[inline(always)]
    pub(super) fn keep_lane<S: Simd>(&mut self, x: S::Float) -> u32 {
        let mut lane = Lane::ZERO;
        S::store(x, &mut lane.0);
        let place = self.payload.lanes.len() as u32;
        if self.payload.lanes.push_within_capacity(lane) {
            return place;
        }
        self.full.lanes = true;
        ONES
    }

    /// Allocates more of the memory that an evaluation lacked.
    #[cold]
    #[inline(never)]
    pub(super) fn grow(&mut self) {
        self.position();
        if self.full.slots {
            let room = 2 * self.adjoints.capacity();
            self.adjoints = Buffer::with_capacity(room);
            self.slots = Buffer::with_capacity(room);
        }
        if self.full.terms {
            self.terms = Buffer::with_capacity(2 * self.terms.capacity());
        }
        if self.full.lanes {
            self.payload.lanes = Buffer::with_capacity(2 * self.payload.lanes.capacity());
        }
    }

    /// Panics for a quantity that is not in this record: it was kept from another evaluation, or used after a cut.
    #[inline(always)]
    pub(super) fn check(&self, run: TermRange) {
        let there = if run.is_slot() {
            (run.first as usize) < self.slots.len()
        } else {
            run.end() <= self.terms.len()
        };
        if !there {
            stale();
        }
    }

    /// The first of `outputs > 0` slots of a bulk operation, which keeps what was added to the payload last.
    pub(super) fn bulk(&mut self, outputs: usize, operation: Operation) -> u32 {
        let first = self.position().slots;
        self.new_slots(outputs, BULK);
        self.operations.push(Entry {
            first: first as usize,
            operation,
            numbers: self.payload.numbers.len(),
            parents: self.payload.parents.len(),
            networks: self.payload.networks.len(),
        });
        first
    }

    /// Removes the numbers, parents and networks of operations that are gone.
    pub(super) fn keep_payload(&mut self) {
        let ends = self.operations.last();
        let [numbers, parents, networks] =
            ends.map_or([0; 3], |last| [last.numbers, last.parents, last.networks]);
        self.payload.numbers.truncate(numbers);
        self.payload.parents.truncate(parents);
        self.payload.networks.truncate(networks);
    }
}

#[cold]
#[inline(never)]
fn stale() -> ! {
    panic!(
        "a random quantity was used outside of the evaluation or the loop iteration that made it"
    );
}

#[cold]
#[inline(never)]
pub(super) fn too_long() -> ! {
    panic!("a tape has fewer than {MOST} quantities");
}
