//! The quantities that a program keeps: random values and values derived from them, computed without the densities.

use super::code::{Code, Slot};
use super::node::Id;
use super::recording::Recording;
use super::tracer::Number;
use super::{fuse, generate, schedule, segment};
use std::sync::Arc;

/// The quantities that a program keeps, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept {
    /// The present statement.
    pub(super) statement: usize,
    /// The quantities with their statements.
    quantities: Vec<(usize, Number)>,
    /// Number of quantities that a further evaluation has kept so far.
    followed: usize,
    /// Whether quantities that do not depend on the position are compared; they are the same in all evaluations unless the data change.
    is_compared: bool,
    /// Whether a further evaluation kept other quantities.
    differs: bool,
}

impl Kept {
    /// Keeps a quantity of the first evaluation.
    pub(super) fn record(&mut self, number: Number) {
        self.quantities.push((self.statement, number));
    }

    /// Compares a quantity of a further evaluation with the same quantity of the first evaluation.
    pub(super) fn follow(&mut self, number: Number) {
        let known = self.quantities.get_mut(self.followed);
        self.followed += 1;
        let (statement, is_compared) = (self.statement, self.is_compared);
        let is_same = known.is_some_and(|(of, known)| {
            let before = std::mem::replace(&mut known.value, number.value);
            let is_free = known.id.is_some() || !is_compared;
            let is_equal = is_free || before.to_bits() == number.value.to_bits();
            *of == statement && known.id == number.id && is_equal
        });
        self.differs |= !is_same;
    }

    /// Begins to compare another evaluation with the same data.
    pub(super) fn compare(&mut self) {
        (self.followed, self.is_compared) = (0, true);
    }

    /// Begins to compare an evaluation with other data.
    pub(super) fn rebind(&mut self) {
        (self.followed, self.is_compared) = (0, false);
    }

    /// Ends the comparison.
    pub(super) fn end(&mut self) {
        self.differs |= self.followed < self.quantities.len();
    }

    /// The outputs of the last evaluation that was compared; `None` if it kept other quantities than the first one.
    pub(super) fn outputs(&self, code: Option<&Arc<KeptCode>>) -> Option<Outputs> {
        let code = code.filter(|_| !self.differs)?.clone();
        let numbers = code.numbers.iter();
        let numbers = numbers.map(|place| self.quantities[*place].1.value);
        Some(Outputs {
            numbers: numbers.collect(),
            code,
        })
    }
}

/// The place of a quantity after a replay.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Slot(Slot),
    /// It does not depend on the position: the index among the numbers.
    Number(usize),
}

/// The instructions that compute the kept quantities.
#[derive(Debug)]
pub(super) struct KeptCode {
    pub(super) code: Code,
    pub(super) places: Vec<Place>,
    /// The quantities that are numbers.
    numbers: Vec<usize>,
    statements: Vec<usize>,
}

/// Instructions, and the numbers among the kept quantities.
#[derive(Clone, Debug)]
pub(super) struct Outputs {
    pub(super) code: Arc<KeptCode>,
    /// The quantities that do not depend on the position.
    pub(super) numbers: Arc<[f64]>,
}

impl Outputs {
    /// The statement of each quantity.
    pub(super) fn statements(&self) -> &[usize] {
        &self.code.statements
    }
}

/// The instructions that compute the kept quantities. `None` if layers of a network depend on coordinates that particles share: these
/// layers are not among the instructions.
pub(super) fn generate(dim: usize, recording: &Recording) -> Option<KeptCode> {
    if recording.kept.differs || recording.features.iter().any(|f| f.is_shared()) {
        return None;
    }
    let quantities = &recording.kept.quantities;
    let roots: Vec<Id> = quantities.iter().filter_map(|(_, x)| x.id).collect();
    let none = Number {
        value: 0.0,
        id: None,
    };
    let graph = fuse::fuse(dim, recording, [none; 2], &roots);
    let order = schedule::schedule(&graph);
    let segments = segment::segments(&graph, &order);
    let (code, slots) = generate::generate_with_kept(&graph, &order, &segments);
    let (mut slots, mut numbers) = (slots.into_iter(), Vec::new());
    let mut places = Vec::with_capacity(quantities.len());
    for (quantity, (_, x)) in quantities.iter().enumerate() {
        let slot = x.id.and_then(|_| slots.next().flatten());
        places.push(slot.map_or(Place::Number(numbers.len()), Place::Slot));
        if slot.is_none() {
            numbers.push(quantity);
        }
    }
    Some(KeptCode {
        code,
        places,
        numbers,
        statements: quantities.iter().map(|(statement, _)| *statement).collect(),
    })
}
