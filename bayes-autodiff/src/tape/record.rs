//! What is recorded, and the sweep.

use super::bulk::Operation;
use crate::gradient::Program;
use crate::network::Network;
use crate::simd::{LANES, Simd, Work};
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::cell::Cell;
use std::ops::Range;
use std::ptr;
use std::sync::Arc;

/// Eight numbers in memory, the same for every instruction set.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Lane(pub [f64; LANES]);

impl Lane {
    pub(crate) const ZERO: Self = Self([0.0; LANES]);
}

/// The index of a quantity that depends on no random value.
pub(crate) const CONSTANT: u32 = u32::MAX;

/// In place of a first parent: the slot belongs to a bulk operation.
const BULK: u32 = u32::MAX - 1;

/// In place of a first parent: an input of the program, or a constant in the place of one.
const LEAF: u32 = u32::MAX - 2;

/// The most slots that are left dead: with their partial derivatives they take half of a first-level cache.
const MAX_DEAD: usize = 80;

/// An evaluation as it goes: a slot for every quantity that depends on the inputs.
///
/// Slot `i` has an adjoint, up to two parents (slots below `i`) and the partial derivatives in them. A bulk
/// operation owns a run of slots, of which only the adjoints are used.
#[derive(Debug)]
pub(crate) struct Record {
    len: usize,
    slots: Slots,
    operations: Vec<(u32, Operation)>,
    pub(super) payload: Payload,
    marks: Vec<Mark>,
    /// Where the dead end of the record begins, and its end when it was last looked at.
    dead: Option<(Mark, usize)>,
    /// The weights of log prior and log likelihood in the gradient.
    pub(super) weights: [f64; 2],
    /// Where the program's data lie, which outlive the evaluation.
    data: Vec<Range<*const f64>>,
}

/// What bulk operations keep until they are swept.
#[derive(Debug, Default)]
pub(super) struct Payload {
    pub(super) lanes: Vec<Lane>,
    pub(super) numbers: Vec<f64>,
    pub(super) parents: Vec<u32>,
    pub(super) networks: Vec<Arc<Network>>,
}

/// Lengths to cut back to.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    len: usize,
    operations: usize,
    lanes: usize,
    numbers: usize,
    parents: usize,
    networks: usize,
}

/// Memory for slots, side by side; zero where nothing was written.
#[derive(Debug)]
struct Slots {
    capacity: usize,
    adjoints: *mut Lane,
    partials: *mut [Lane; 2],
    parents: *mut [u32; 2],
}

impl Slots {
    fn new(capacity: usize) -> Self {
        Self {
            capacity,
            adjoints: allocate(capacity),
            partials: allocate(capacity),
            parents: allocate(capacity),
        }
    }
}

impl Drop for Slots {
    fn drop(&mut self) {
        free(self.adjoints, self.capacity);
        free(self.partials, self.capacity);
        free(self.parents, self.capacity);
    }
}

/// Memory for `n > 0` values, all bytes zero: numbers and indices that are valid, if without meaning.
fn allocate<T>(n: usize) -> *mut T {
    let layout = array_layout::<T>(n);
    // SAFETY: the layout has a positive size, since `n > 0` and no `T` used here is of size zero.
    let memory = unsafe { alloc_zeroed(layout) };
    if memory.is_null() {
        handle_alloc_error(layout);
    }
    memory.cast()
}

/// Returns what `allocate(n)` gave.
fn free<T>(memory: *mut T, n: usize) {
    // SAFETY: called once, by the owner's `Drop`, with the pointer and the layout of `allocate`.
    unsafe { dealloc(memory.cast(), array_layout::<T>(n)) }
}

fn array_layout<T>(n: usize) -> Layout {
    Layout::array::<T>(n)
        .unwrap_or_else(|_| panic!("a tape of {n} quantities exceeds the address space"))
}

thread_local! {
    static CURRENT: Cell<*mut Record> = const { Cell::new(ptr::null_mut()) };
    static SPARE: Cell<Option<Box<Record>>> = const { Cell::new(None) };
}

/// The record of the evaluation that this thread is in.
///
/// Not a function of a closure, since a large closure is not always compiled into its caller, and outside of it there
/// are no SIMD instructions.
macro_rules! record {
    (|$record:ident| $body:expr) => {{
        let current = $crate::tape::record::current();
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
    /// Begins the evaluation of `program` with an empty record, the memory of the last one on this thread.
    pub(super) fn start<P: Program>(weights: [f64; 2], program: &P) -> Self {
        let mut own = SPARE.take().unwrap_or_else(Record::new);
        own.clear(weights);
        program.data(&mut |numbers| own.data.push(numbers.as_ptr_range()));
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
        // a thread that is ending has no place for it any more: then it is freed
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

impl Record {
    fn bytes(&self) -> usize {
        let slot = size_of::<Lane>() + size_of::<[Lane; 2]>() + size_of::<[u32; 2]>();
        self.slots.capacity * slot
            + self.operations.capacity() * size_of::<(u32, Operation)>()
            + self.payload.lanes.capacity() * size_of::<Lane>()
            + self.payload.numbers.capacity() * size_of::<f64>()
            + self.payload.parents.capacity() * size_of::<u32>()
    }

    fn new() -> Box<Self> {
        Box::new(Self {
            len: 0,
            slots: Slots::new(1024),
            operations: Vec::new(),
            payload: Payload::default(),
            marks: Vec::new(),
            dead: None,
            weights: [1.0; 2],
            data: Vec::new(),
        })
    }

    fn clear(&mut self, weights: [f64; 2]) {
        self.truncate(Mark::default());
        self.marks.clear();
        self.dead = None;
        self.weights = weights;
        self.data.clear();
    }

    /// Whether `values` are the program's own data, which stay where they are for the whole evaluation.
    pub(super) fn is_data(&self, values: &[f64]) -> bool {
        let range = values.as_ptr_range();
        self.data
            .iter()
            .any(|data| data.start <= range.start && range.end <= data.end)
    }

    /// A new slot with no adjoint yet; its parents are still to be written.
    #[inline(always)]
    fn push(&mut self) -> usize {
        let index = self.len;
        if index == self.slots.capacity {
            self.grow(1);
        }
        // SAFETY: `index` is below the capacity.
        unsafe { *self.slots.adjoints.add(index) = Lane::ZERO };
        self.len = index + 1;
        index
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, additional: usize) {
        let capacity = (self.len + additional).max(2 * self.slots.capacity);
        assert!(
            capacity < LEAF as usize,
            "a tape has at most {LEAF} quantities"
        );
        let new = Slots::new(capacity);
        // SAFETY: both memories hold at least `len` values and do not overlap.
        unsafe {
            ptr::copy_nonoverlapping(self.slots.adjoints, new.adjoints, self.len);
            ptr::copy_nonoverlapping(self.slots.partials, new.partials, self.len);
            ptr::copy_nonoverlapping(self.slots.parents, new.parents, self.len);
        }
        self.slots = new;
    }

    /// Stops at an index that is not of this record: a quantity kept from another evaluation, or from before a cut.
    #[inline(always)]
    fn check(&self, index: u32) {
        if index as usize >= self.len {
            stale();
        }
    }

    /// The inputs of the program, as the first slots.
    pub(super) fn leaves(&mut self, count: usize) {
        self.reserve(count);
        for index in self.len..self.len + count {
            // SAFETY: `index` is below the capacity.
            unsafe {
                *self.slots.adjoints.add(index) = Lane::ZERO;
                *self.slots.parents.add(index) = [LEAF, CONSTANT];
            }
        }
        self.len += count;
    }

    /// Makes room for more slots.
    fn reserve(&mut self, additional: usize) {
        if self.len + additional > self.slots.capacity {
            self.grow(additional);
        }
    }

    /// A quantity with one parent and its partial derivative in it.
    #[inline(always)]
    pub(super) fn unary<S: Simd>(&mut self, parent: u32, partial: S::Float) -> u32 {
        self.check(parent);
        let index = self.push();
        // SAFETY: `index < len`.
        unsafe {
            *self.slots.parents.add(index) = [parent, CONSTANT];
            S::store(partial, &mut (&mut *self.slots.partials.add(index))[0].0);
        }
        index as u32
    }

    /// A quantity with two parents.
    #[inline(always)]
    pub(super) fn binary<S: Simd>(&mut self, parents: [u32; 2], partials: [S::Float; 2]) -> u32 {
        self.check(parents[0]);
        self.check(parents[1]);
        let index = self.push();
        // SAFETY: `index < len`.
        unsafe {
            *self.slots.parents.add(index) = parents;
            let to = &mut *self.slots.partials.add(index);
            S::store(partials[0], &mut to[0].0);
            S::store(partials[1], &mut to[1].0);
        }
        index as u32
    }

    /// The first of `outputs > 0` slots of a bulk operation whose parents lie in the payload from `parents` on.
    pub(super) fn bulk(&mut self, outputs: usize, operation: Operation, parents: usize) -> u32 {
        for k in parents..self.payload.parents.len() {
            let parent = self.payload.parents[k];
            if parent != CONSTANT {
                self.check(parent);
            }
        }
        self.reserve(outputs);
        let first = self.len;
        for index in first..first + outputs {
            // SAFETY: `index` is below the capacity.
            unsafe {
                *self.slots.adjoints.add(index) = Lane::ZERO;
                *self.slots.parents.add(index) = [BULK, CONSTANT];
            }
        }
        self.len = first + outputs;
        self.operations.push((first as u32, operation));
        first as u32
    }

    /// `adjoint[index] += slope`.
    #[inline(always)]
    pub(super) fn seed<S: Simd>(&mut self, index: u32, slope: S::Float) {
        self.check(index);
        // SAFETY: `index < len`, as was just seen, and every adjoint below `len` is initialised.
        let adjoint = unsafe { &mut *self.slots.adjoints.add(index as usize) };
        S::store(S::add(S::load(&adjoint.0), slope), &mut adjoint.0);
    }

    /// The adjoints of all slots.
    pub(super) fn adjoints(&mut self) -> &mut [Lane] {
        // SAFETY: the first `len` adjoints are initialised.
        unsafe { std::slice::from_raw_parts_mut(self.slots.adjoints, self.len) }
    }

    fn position(&self) -> Mark {
        Mark {
            len: self.len,
            operations: self.operations.len(),
            lanes: self.payload.lanes.len(),
            numbers: self.payload.numbers.len(),
            parents: self.payload.parents.len(),
            networks: self.payload.networks.len(),
        }
    }

    /// How many marks there are.
    pub(super) fn depth(&self) -> usize {
        self.marks.len()
    }

    /// Remembers the present position, or where what is dead before it begins; gives its number.
    #[inline(always)]
    pub(super) fn mark(&mut self) -> usize {
        let position = match self.dead.take() {
            Some((start, end)) if end == self.len => start,
            _ => self.position(),
        };
        self.marks.push(position);
        self.marks.len() - 1
    }

    /// Says that what was recorded since a mark is dead. It is swept and forgotten together with what is dead before
    /// it, once it is worth the call.
    #[inline(always)]
    pub(super) fn cut<S: Simd>(&mut self, mark: usize) {
        let Some(position) = self.marks.get(mark).copied() else {
            return;
        };
        self.marks.truncate(mark);
        let kept = self.payload.lanes.len() - position.lanes + self.payload.numbers.len()
            - position.numbers;
        if self.len - position.len <= MAX_DEAD && kept <= MAX_DEAD {
            self.dead = Some((position, self.len));
            return;
        }
        S::call(Sweep {
            record: self,
            end: position.len,
        });
        self.truncate(position);
    }

    fn truncate(&mut self, to: Mark) {
        // what was dead lies beyond the new end, or belongs to what is forgotten
        self.dead = None;
        self.len = to.len;
        self.operations.truncate(to.operations);
        self.payload.lanes.truncate(to.lanes);
        self.payload.numbers.truncate(to.numbers);
        self.payload.parents.truncate(to.parents);
        self.payload.networks.truncate(to.networks);
    }

    /// Adds to the adjoints of all slots below `end` what those from `end` on hand down.
    #[inline(always)]
    fn sweep<S: Simd>(&mut self, end: usize) {
        let mut index = self.len;
        while index > end {
            index -= 1;
            // SAFETY: `index < len`, and every slot below `len` has its parents written.
            let [first, second] = unsafe { *self.slots.parents.add(index) };
            if first < LEAF {
                // SAFETY: a first parent below LEAF is a slot below `index`, seen by `check` when it was recorded; so
                // is a second one that is not CONSTANT. The slot's own adjoint is not among them.
                unsafe { self.hand_down::<S>(index, first, second) };
            } else if first == BULK {
                index = self.sweep_operation::<S>();
            }
        }
    }

    /// One step of the sweep.
    ///
    /// # Safety
    /// `index < len`; `first < index`, and `second < index` or `second == CONSTANT`.
    #[inline(always)]
    unsafe fn hand_down<S: Simd>(&mut self, index: usize, first: u32, second: u32) {
        // SAFETY: by the caller, all slots are below `len`: adjoints are initialised, and so are the partials of
        // slots with as many parents.
        unsafe {
            let adjoint = S::load(&(&*self.slots.adjoints.add(index)).0);
            let partials = self.slots.partials.add(index);
            let to = &mut *self.slots.adjoints.add(first as usize);
            let product = S::mul_or_zero(adjoint, S::load(&(*partials)[0].0));
            S::store(S::add(S::load(&to.0), product), &mut to.0);
            if second != CONSTANT {
                let to = &mut *self.slots.adjoints.add(second as usize);
                let product = S::mul_or_zero(adjoint, S::load(&(*partials)[1].0));
                S::store(S::add(S::load(&to.0), product), &mut to.0);
            }
        }
    }

    /// Sweeps the last operation that is left; gives its first slot.
    #[inline(always)]
    fn sweep_operation<S: Simd>(&mut self) -> usize {
        let Some((first, operation)) = self.operations.pop() else {
            unreachable!("a bulk slot belongs to an operation");
        };
        // SAFETY: the first `len` adjoints are initialised; the payload is another memory.
        let adjoints = unsafe { std::slice::from_raw_parts_mut(self.slots.adjoints, self.len) };
        operation.sweep::<S>(first as usize, adjoints, &self.payload);
        first as usize
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

#[cold]
#[inline(never)]
fn stale() -> ! {
    panic!(
        "a random quantity was used outside of the evaluation or the loop iteration that made it"
    );
}
