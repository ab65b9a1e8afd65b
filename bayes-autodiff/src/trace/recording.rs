//! The recording of one evaluation, with equal nodes stored once, and its comparison with further evaluations.

use super::TracedProgram;
use super::bulk::{Bulk, Outputs};
use super::kept::Kept;
use super::known::Known;
use super::node::{Bits, BulkNode, Id, Node};
use super::numbers::{Copies, Numbers};
use super::sharing::{Features, Weight};
use super::tracer::{Number, Tracer};
use crate::real::Real;
use std::cell::RefCell;

/// The maximum size of a recording, in nodes; a longer program has no trace. During the recording a node takes some 200 bytes.
const MOST: usize = if cfg!(test) { 1 << 18 } else { 1 << 24 };
/// The maximum number of operations, which may include many equal ones. A recording for one position has each of them as a node.
const MOST_OPERATIONS: usize = 4 * MOST;

/// The reason why a program has no trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Untraceable {
    /// It looks at the value of a quantity that depends on the position. Its operations were the same at all positions, but may differ
    /// elsewhere.
    Steered {
        /// The number of the first statement in which, or after which, it looks; `None` for a program without statements.
        statement: Option<usize>,
    },
    /// It has more operations than the maximum.
    TooLong,
    /// It did other operations at another position: something depends on a random value, or changes from call to call, and the arithmetic
    /// does not know of it.
    Differs {
        /// The number of the first statement that differs; `None` for a program without statements.
        statement: Option<usize>,
    },
}

impl std::fmt::Display for Untraceable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Steered { .. } => "it reads the value of a random quantity",
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
    /// The node of each operation. Equal operations have the same node.
    operations: Vec<Id>,
    known: Known,
    pub(super) bulks: Vec<BulkNode>,
    /// The data of operations on vectors.
    pub(super) copies: Copies,
    /// Which coordinates are shared, `[dim]`; empty if none are.
    pub(super) shared: Vec<bool>,
    /// Layers that depend only on numbers and shared coordinates.
    pub(super) features: Vec<Features>,
    obstacle: Option<Untraceable>,
    /// [`Untraceable::Steered`], once the program looked at a value that depends on the position.
    looked: Option<Untraceable>,
    /// The number of operations at the start of each statement, and its number.
    statements: Vec<(usize, usize)>,
    /// The kept quantities.
    pub(super) kept: Kept,
    /// The progress of a further evaluation; `None` during the first.
    following: Option<Progress>,
    /// Whether the recording is for its position alone, a [`AtPosition`](super::AtPosition): short-lived, with equal operations as
    /// often as the program does them, and with all values, which the program may look at.
    pub(super) is_for_one: bool,
}

/// The progress of an evaluation that follows a recording.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    operations: usize,
    bulks: usize,
    features: usize,
    statements: usize,
}

impl Recording {
    /// Bytes of the recording, without operands of operations on vectors.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.operations.capacity() * size_of::<Id>()
            + self.bulks.capacity() * size_of::<BulkNode>()
            + self.copies.copied.capacity() * size_of::<f64>()
    }

    /// The node of the next operation: a new or known node, or the node of the recording that the evaluation follows.
    pub(super) fn push(&mut self, node: Node) -> Id {
        if self.obstacle.is_some() {
            return 0;
        }
        match self.following {
            None => self.record(node),
            Some(progress) => self.follow(node, progress),
        }
    }

    fn record(&mut self, node: Node) -> Id {
        let next = self.nodes.len() as Id;
        if self.is_for_one {
            assert!(
                (next as usize) < MOST_OPERATIONS,
                "the model has more than {MOST_OPERATIONS} operations, too many to record at each position; gradients of `#[model(forward)]` need no recording"
            );
            self.nodes.push(node);
            return next;
        }
        let id = match node {
            // never equal to another
            Node::Input(_) | Node::Bulk(_) | Node::Output { .. } => next,
            _ => self.known.find(&node, &self.nodes).unwrap_or(next),
        };
        if id == next {
            self.nodes.push(node);
        }
        if self.nodes.len() > MOST || self.operations.len() == MOST_OPERATIONS {
            self.stop(Untraceable::TooLong);
            return 0;
        }
        self.operations.push(id);
        id
    }

    fn follow(&mut self, node: Node, progress: Progress) -> Id {
        match self.operations.get(progress.operations) {
            Some(&id) if self.nodes[id as usize] == node => {
                self.following = Some(Progress {
                    operations: progress.operations + 1,
                    ..progress
                });
                id
            }
            _ => {
                self.stop(self.differs(progress));
                0
            }
        }
    }

    /// The following evaluation differs in its next operation.
    fn differs(&self, progress: Progress) -> Untraceable {
        // the statement with this operation in the recording, or the present one if it is earlier
        let made_it = |start: &(usize, usize)| start.0 <= progress.operations;
        let begun = self.statements.partition_point(made_it);
        let last = begun.min(progress.statements).checked_sub(1);
        Untraceable::Differs {
            statement: last.map(|last| self.statements[last].1),
        }
    }

    /// A number as a node.
    pub(super) fn constant(&mut self, x: f64) -> Id {
        self.push(Node::Constant(Bits::new(x)))
    }

    /// States that the program looks at a value. The recording goes on, to see whether its operations differ.
    pub(super) fn look(&mut self) {
        let begun = self
            .following
            .map_or(self.statements.len(), |progress| progress.statements);
        let last = self.statements[..begun.min(self.statements.len())].last();
        let statement = last.map(|last| last.1);
        self.looked
            .get_or_insert(Untraceable::Steered { statement });
    }

    /// [`Untraceable::Steered`] if the program looked at a value.
    pub(super) fn looked(&self) -> Option<Untraceable> {
        self.looked
    }

    /// The node of an operation on vectors.
    pub(super) fn bulk(&mut self, operation: Bulk, of: Vec<Id>) -> Id {
        let node = BulkNode { operation, of };
        let index = match &mut self.following {
            None => {
                self.bulks.push(node);
                self.bulks.len() - 1
            }
            Some(progress) if self.bulks.get(progress.bulks) == Some(&node) => {
                progress.bulks += 1;
                progress.bulks - 1
            }
            Some(progress) => {
                let progress = *progress;
                self.stop(self.differs(progress));
                0
            }
        };
        self.push(Node::Bulk(index as u32))
    }

    /// A node as a weight, if it is a multiple of a shared coordinate.
    pub(super) fn shared_weight(&self, id: Id) -> Option<Weight> {
        let (of, factor) = match *self.nodes.get(id as usize)? {
            Node::Affine { of, factor, shift } if shift.get() == 0.0 => (of, factor.get()),
            _ => (id, 1.0),
        };
        match *self.nodes.get(of as usize)? {
            Node::Input(of) if self.shared.get(of as usize) == Some(&true) => {
                Some(Weight::Multiple { of, factor })
            }
            _ => None,
        }
    }

    /// Reserves memory for the outputs of layers that depend only on numbers and shared coordinates. Returns its place, and the place
    /// among all features if the outputs depend on coordinates.
    pub(super) fn features(
        &mut self,
        layers: Outputs,
        weights: Vec<Weight>,
    ) -> (Numbers, Option<usize>) {
        let outputs = layers.rows * layers.network.outputs();
        let inputs = self.copies.refer(&vec![0.0; outputs]);
        let known = match self.following {
            None => self.features.len(),
            Some(progress) => progress.features,
        };
        let first = self.features[..known]
            .iter()
            .map(Features::shared_len)
            .sum();
        let features = Features {
            layers,
            weights,
            copied: inputs.start(),
            first,
        };
        let place = features.is_shared().then_some(first);
        match &mut self.following {
            None => self.features.push(features),
            Some(progress) if self.features.get(progress.features) == Some(&features) => {
                progress.features += 1;
            }
            Some(progress) => {
                let progress = *progress;
                self.stop(self.differs(progress));
            }
        }
        (inputs, place)
    }

    /// Refers to data of an operation on vectors.
    pub(super) fn numbers(&mut self, x: &[f64]) -> Numbers {
        self.copies.refer(x)
    }

    /// States the number of the statement that runs next.
    pub(super) fn statement(&mut self, number: usize) {
        if self.is_for_one {
            return;
        }
        self.kept.statement = number;
        match &mut self.following {
            Some(progress) => progress.statements += 1,
            None => self.statements.push((self.operations.len(), number)),
        }
    }

    /// Keeps a quantity as output of the present statement.
    pub(super) fn keep(&mut self, number: Number) {
        if self.is_for_one {
            return;
        }
        match self.following {
            None => self.kept.record(number),
            Some(_) => self.kept.follow(number),
        }
    }

    /// States that there will be no trace. The evaluation goes on and records nothing.
    pub(super) fn stop(&mut self, obstacle: Untraceable) {
        self.obstacle.get_or_insert(obstacle);
        self.known = Known::default();
    }

    /// Evaluates the program at another position, and compares its operations with the recorded ones.
    ///
    /// # Errors
    /// [`Untraceable::Differs`] if they differ.
    pub(super) fn compare(
        mut self,
        program: &TracedProgram<'_>,
        position: &[f64],
        outputs: [Number; 2],
    ) -> Result<Self, Untraceable> {
        self.copies.compare();
        self.kept.compare();
        self.follow_all(program, position, outputs)
    }

    /// Evaluates the program with other data, and compares its operations with the recorded ones. The data of operations on vectors may
    /// differ.
    ///
    /// # Errors
    /// [`Untraceable::Differs`] if the operations or their numbers differ.
    pub(super) fn rebind(
        mut self,
        program: &TracedProgram<'_>,
        data: &[&[f64]],
        position: &[f64],
        outputs: [Number; 2],
    ) -> Result<Self, Untraceable> {
        self.copies = Copies::new(data);
        self.kept.rebind();
        self.follow_all(program, position, outputs)
    }

    fn follow_all(
        self,
        program: &TracedProgram<'_>,
        position: &[f64],
        outputs: [Number; 2],
    ) -> Result<Self, Untraceable> {
        let following = Some(Progress::default());
        let again = Self { following, ..self };
        let (mut again, ends) = evaluate(again, program, position)?;
        again.kept.end();
        let progress = again.following.unwrap_or_default();
        if progress.operations < again.operations.len() {
            return Err(again.differs(progress));
        }
        // an output that does not depend on the position has only its value
        let is_same = |(a, b): (Number, Number)| {
            a.id == b.id && (a.id.is_some() || a.value.to_bits() == b.value.to_bits())
        };
        if !ends.into_iter().zip(outputs).all(is_same) {
            let statement = again.statements.last().map(|last| last.1);
            return Err(Untraceable::Differs { statement });
        }
        Ok(again)
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

/// The operations of `program` on `data` at `position`, and log prior and log likelihood among them.
///
/// # Errors
/// The reason why it cannot be traced.
pub(super) fn record(
    program: &TracedProgram<'_>,
    data: &[&[f64]],
    shared: &[bool],
    position: &[f64],
) -> Result<(Recording, [Number; 2]), Untraceable> {
    let recording = Recording {
        copies: Copies::new(data),
        shared: shared.to_vec(),
        ..Recording::default()
    };
    let (mut recording, outputs) = evaluate(recording, program, position)?;
    // later evaluations compare, and look nothing up
    recording.known = Known::default();
    Ok((recording, outputs))
}

/// The operations of `program` on `data` at `position` alone, and log prior and log likelihood among them.
pub(super) fn record_for_one(
    program: &TracedProgram<'_>,
    data: &[&[f64]],
    position: &[f64],
) -> (Recording, [Number; 2]) {
    let recording = Recording {
        copies: Copies::new(data),
        is_for_one: true,
        ..Recording::default()
    };
    evaluate(recording, program, position).expect("a recording for one position has no obstacle")
}

/// Evaluates `program` at `position` with this recording, which is new or is followed.
fn evaluate(
    mut recording: Recording,
    program: &TracedProgram<'_>,
    position: &[f64],
) -> Result<(Recording, [Number; 2]), Untraceable> {
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
