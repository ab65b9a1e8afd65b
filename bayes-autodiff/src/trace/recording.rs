//! The recording of one evaluation: equal nodes are stored once.

#![allow(
    clippy::disallowed_types,
    reason = "nodes are looked up, and never listed in the order of the map"
)]

use super::TracedProgram;
use super::node::{Bits, Id, Node};
use super::tracer::{Number, Tracer};
use crate::real::Real;
use std::cell::RefCell;
use std::collections::HashMap;

/// The largest recording, in nodes; a longer program is not traced. With the map of known nodes this is 30 MB.
const MOST: usize = 1 << 18;

/// Why a program has no trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Untraceable {
    /// It looks at the value of a quantity that depends on the position: its operations were the same at all positions, but may
    /// differ elsewhere.
    Steered,
    /// It evaluates a network.
    Network,
    /// It has more operations than a trace may have.
    TooLong,
    /// It did other operations at another position: something depends on a random value, or changes from call to call, and the
    /// arithmetic was not told.
    Differs {
        /// The number of the first statement that does; `None` for a program without statements.
        statement: Option<usize>,
    },
}

impl std::fmt::Display for Untraceable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Steered => "a value decides which operations follow",
            Self::Network => "it has a network",
            Self::TooLong => "it has too many operations",
            Self::Differs { .. } => "its operations differ from position to position",
        })
    }
}

thread_local! {
    static CURRENT: RefCell<Option<Recording>> = const { RefCell::new(None) };
}

/// The operations of one evaluation, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Recording {
    pub(super) nodes: Vec<Node>,
    known: HashMap<Node, Id>,
    /// How many operations were recorded as parts of whole-vector operations.
    pub(super) bulk: usize,
    obstacle: Option<Untraceable>,
    /// Whether the program looked at a value that depends on the position.
    looked: bool,
    /// How many nodes there were when a statement began, and its number.
    statements: Vec<(usize, usize)>,
}

impl Recording {
    /// The node, new unless it is known.
    pub(super) fn push(&mut self, node: Node) -> Id {
        if let Some(id) = self.known.get(&node) {
            return *id;
        }
        if self.nodes.len() == MOST {
            self.stop(Untraceable::TooLong);
        }
        if self.obstacle.is_some() {
            return 0;
        }
        let id = self.nodes.len() as Id;
        self.nodes.push(node);
        self.known.insert(node, id);
        id
    }

    /// A number as a node.
    pub(super) fn constant(&mut self, x: f64) -> Id {
        self.push(Node::Constant(Bits::new(x)))
    }

    /// States that the program looks at a value. It is recorded all the same, to see whether its operations differ.
    pub(super) fn look(&mut self) {
        self.looked = true;
    }

    /// Whether the program looked at a value.
    pub(super) fn looked(&self) -> bool {
        self.looked
    }

    /// States which statement runs next.
    pub(super) fn statement(&mut self, number: usize) {
        if self.obstacle.is_none() {
            self.statements.push((self.nodes.len(), number));
        }
    }

    /// The statement at which another recording of the same program begins to differ; `None` outside statements.
    pub(super) fn first_difference(&self, other: &Self) -> Option<usize> {
        let pairs = self.nodes.iter().zip(&other.nodes);
        let same = pairs.take_while(|(a, b)| a == b).count();
        // the later of two statements that began at the same node is the one that made it
        let begun = self.statements.partition_point(|(start, _)| *start <= same);
        begun.checked_sub(1).map(|last| self.statements[last].1)
    }

    /// States that there will be no trace. The evaluation goes on, and records nothing.
    pub(super) fn stop(&mut self, obstacle: Untraceable) {
        self.obstacle.get_or_insert(obstacle);
        self.known.clear();
    }
}

/// Calls `f` with this thread's recording.
///
/// # Panics
/// If there is none.
pub(super) fn with<T>(f: impl FnOnce(&mut Recording) -> T) -> T {
    CURRENT.with_borrow_mut(|current| {
        let recording = current.as_mut();
        f(recording.expect("a traced quantity is used during its recording only"))
    })
}

/// Restores the outer recording, also when the program panics.
struct Restore(Option<Recording>);

impl Drop for Restore {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

/// The operations of `program` at `position`, and log prior and log likelihood among them.
///
/// # Errors
/// Why it cannot be traced.
pub(super) fn record(
    program: &TracedProgram<'_>,
    position: &[f64],
) -> Result<(Recording, [Number; 2]), Untraceable> {
    let mut recording = Recording::default();
    let input = |(k, x): (usize, &f64)| {
        let id = recording.push(Node::Input(k as u32));
        Real(Number::node(*x, id))
    };
    let inputs: Vec<Real<Tracer>> = position.iter().enumerate().map(input).collect();
    let restore = Restore(CURRENT.replace(Some(recording)));
    let outputs = program(&inputs).map(|x| x.0);
    let recording = CURRENT.take();
    drop(restore);
    let recording = recording.expect("it was put there above");
    match recording.obstacle {
        Some(obstacle) => Err(obstacle),
        None => Ok((recording, outputs)),
    }
}
