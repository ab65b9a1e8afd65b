//! A program recorded once and replayed for every block of particles.
//!
//! A program whose operations do not depend on random values does the same operations for every particle. They are recorded once, with
//! one number at a time (`tracer`). Then they are replayed, 32 particles at a time, without running the program again. Helpers, closures
//! and iterators of the program cost nothing at replay, inlined or not.
//!
//! ```text
//! program ──record──▶ nodes ──fuse──▶ graph ──schedule──▶ order ──segment──▶ segments ──generate──▶ code ──replay──▶ densities
//! ```
//!
//! - `recording`: one node for each operation that depends on the position; equal nodes once; numbers folded.
//! - `fuse`: sums of multiples and products become one operation, `constant + Σ c a + Σ c a b`. The two log densities become lists of
//!   terms, such as the square of a scaled sum (a normal log density). Equal terms are added once: the logarithm of a scale that all
//!   observations share is one term, times their number.
//! - `variances`, at its end: in a normal density whose standard deviation is the root of a variance, the square is divided by the
//!   variance. No root is taken, unless something else needs it.
//! - `schedule`: every value just before its first use. Unneeded values are left out.
//! - `sharing`: coordinates that all particles have in common, given once.
//! - `segment`: parts of a few dozen values, which stay in the first-level cache, cut where few values pass. In a loop these are its
//!   iterations with the values that they carry, without any mark in the program.
//! - `level`: within a segment, independent values side by side, so that equal functions become one call.
//! - `generate`: `code`, instructions over numbered slots, shared by all threads.
//! - `kept`: the kept quantities of an evaluation, random values and values derived from them. A second list of instructions computes
//!   them, without operations that only the densities need.
//! - `bulk`: operations on whole vectors, each one instruction. `numbers`: the data of these operations.
//! - `at_position`: a recording for one position, evaluated again in any other mode.
//! - `replay`: values, and gradients by segments from the last to the first. Between segments only carried values are kept.
//!
//! The replay is compiled once for each instruction set and block width, in this crate, not for each model.

mod at_position;
mod bulk;
mod code;
mod fuse;
mod generate;
mod graph;
mod kept;
mod kinds;
mod known;
mod level;
mod node;
mod numbers;
mod operation;
mod recording;
mod replay;
mod rounding;
mod schedule;
mod segment;
mod sharing;
mod shift;

mod tracer;
mod variances;

#[cfg(test)]
mod tests;

use crate::batch::Batch;
use crate::gradient::Program;
use crate::real::Real;
use crate::simd::{InstructionSet, dispatch};
use code::Code;
use kept::{KeptCode, Outputs};
use numbers::Source;
use recording::Recording;
use replay::{Keep, Replay};
use sharing::SharedCoordinates;
use std::fmt;
use std::sync::{Arc, OnceLock};

pub use at_position::AtPosition;
pub use kinds::Kinds;
pub use operation::Operation;
pub use recording::Untraceable;
pub use replay::memory;
pub use sharing::{SharedSlopes, Sharing};
pub use tracer::{Number, Tracer, Truth};

/// Number of further recordings for comparison with a long one; all, if the recording is short or the program looks at a value.
const COMPARED: usize = 2;
/// Maximum number of nodes of a short recording, which takes a millisecond.
const SHORT: usize = 10_000;

/// A program in the mode that records, without its type: what is done with it is compiled once, not for every program.
pub type TracedProgram<'a> = dyn Fn(&[Real<Tracer>]) -> [Real<Tracer>; 2] + 'a;

/// A program as a list of instructions, the same for every position.
#[derive(Clone)]
pub struct Trace<'d> {
    code: Arc<Code>,
    /// The program's data, for operations on vectors, and copies.
    data: Vec<&'d [f64]>,
    copied: Vec<f64>,
    /// The copies with the outputs of layers whose weights are numbers, by instruction set.
    filled: [OnceLock<Vec<f64>>; 3],
    rounding: Arc<[bool]>,
    shared: Arc<SharedCoordinates>,
    outputs: Option<Outputs>,
}

/// The recording of a program. With it, the same program on other data gets a trace in less time.
pub struct Recorded {
    recording: Recording,
    outputs: [Number; 2],
    code: Arc<Code>,
    rounding: Arc<[bool]>,
    shared: Arc<SharedCoordinates>,
    kept: Option<Arc<KeptCode>>,
}

impl fmt::Debug for Trace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("Trace");
        text.field("operations", &self.len())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Recorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("Recorded");
        text.field("nodes", &self.recording.nodes.len())
            .finish_non_exhaustive()
    }
}

impl Recorded {
    /// Records `program` at `positions`, each `[dim]`: at the first three, or at all if the recording is short or the program looks at a
    /// value.
    ///
    /// `data` are numbers of the program.
    ///
    /// # Errors
    /// The reason why the program cannot be traced; in particular, if it does other operations at another position.
    ///
    /// # Panics
    /// If there is no position.
    pub fn new<P: Program>(
        program: &P,
        data: &[&[f64]],
        positions: &[&[f64]],
    ) -> Result<Self, Untraceable> {
        Self::of(&|inputs| traced(program, inputs), data, &[], positions)
    }

    /// [`Recorded::new`] for a program with coordinates `shared`, `[dim]`, that are often the same for all particles: see [`Sharing`]. If
    /// layers of a network depend only on these, the trace itself evaluates one particle after another.
    ///
    /// # Errors
    /// As for [`Recorded::new`].
    ///
    /// # Panics
    /// If there is no position, or if `shared` is neither empty nor `[dim]`.
    pub fn sharing<P: Program>(
        program: &P,
        data: &[&[f64]],
        shared: &[bool],
        positions: &[&[f64]],
    ) -> Result<Self, Untraceable> {
        Self::of(&|inputs| traced(program, inputs), data, shared, positions)
    }

    /// [`Recorded::sharing`] without the program's type.
    ///
    /// # Errors
    /// As for [`Recorded::new`].
    ///
    /// # Panics
    /// As for [`Recorded::sharing`].
    pub fn of(
        program: &TracedProgram<'_>,
        data: &[&[f64]],
        shared: &[bool],
        positions: &[&[f64]],
    ) -> Result<Self, Untraceable> {
        let (first, others) = positions.split_first().expect("a position to record at");
        assert!(
            shared.is_empty() || shared.len() == first.len(),
            "one flag per coordinate"
        );
        let (mut recording, outputs) = recording::record(program, data, shared, first)?;
        let compared = if recording.looked().is_some() || recording.nodes.len() <= SHORT {
            others.len()
        } else {
            others.len().min(COMPARED)
        };
        for other in &others[..compared] {
            recording = recording.compare(program, other, outputs)?;
        }
        if let Some(steered) = recording.looked() {
            return Err(steered);
        }
        let graph = fuse::fuse(first.len(), &recording, outputs, &[]);
        let order = schedule::schedule(&graph);
        let rounding: Arc<[bool]> = rounding::read(&graph, &order).into();
        let segments = segment::segments(&graph, &order);
        let code = Arc::new(generate::generate(&graph, &order, &segments));
        let shared = Arc::new(SharedCoordinates::of(&recording, outputs));
        let kept = kept::generate(first.len(), &recording).map(Arc::new);
        Ok(Self {
            recording,
            outputs,
            code,
            rounding,
            shared,
            kept,
        })
    }

    /// The recording of the same program on other data, in a fraction of the time of a new one. The program must do the same operations
    /// with the same numbers; only the data of operations on vectors may differ: matrices, outcomes, observations.
    ///
    /// # Errors
    /// [`Untraceable::Differs`] if the operations or their numbers differ, [`Untraceable::Steered`] if the program looks at a value.
    pub fn on<P: Program>(
        self,
        program: &P,
        data: &[&[f64]],
        position: &[f64],
    ) -> Result<Self, Untraceable> {
        self.again(&|inputs| traced(program, inputs), data, position)
    }

    /// [`Recorded::on`] without the program's type.
    ///
    /// # Errors
    /// As for [`Recorded::on`].
    pub fn again(
        self,
        program: &TracedProgram<'_>,
        data: &[&[f64]],
        position: &[f64],
    ) -> Result<Self, Untraceable> {
        let Self {
            recording,
            outputs,
            code,
            rounding,
            shared,
            kept,
        } = self;
        let recording = recording.rebind(program, data, position, outputs)?;
        if let Some(steered) = recording.looked() {
            return Err(steered);
        }
        Ok(Self {
            recording,
            outputs,
            code,
            rounding,
            shared,
            kept,
        })
    }

    /// The trace with the data of the last recording, with `data` in the same order: it refers to a matrix among them, and copies any
    /// other numbers. With other data its replays are wrong, or panic.
    #[must_use]
    pub fn trace<'d>(&self, data: &[&'d [f64]]) -> Trace<'d> {
        Trace {
            code: self.code.clone(),
            data: data.to_vec(),
            copied: self.recording.copies.copied.clone(),
            filled: Default::default(),
            rounding: self.rounding.clone(),
            shared: self.shared.clone(),
            outputs: self.recording.kept.outputs(self.kept.as_ref()),
        }
    }
}

/// The program in the mode that records. A single function, so that it is compiled once.
#[inline(never)]
fn traced<P: Program>(program: &P, inputs: &[Real<Tracer>]) -> [Real<Tracer>; 2] {
    program.evaluate(inputs)
}

impl<'d> Trace<'d> {
    /// [`Recorded::new`] and its trace.
    ///
    /// # Errors
    /// The reason why the program cannot be traced.
    ///
    /// # Panics
    /// If there is no position.
    pub fn record<P: Program>(
        program: &P,
        data: &[&'d [f64]],
        positions: &[&[f64]],
    ) -> Result<Self, Untraceable> {
        let recorded = Recorded::new(program, data, positions)?;
        Ok(recorded.trace(data))
    }

    fn source(&self, level: InstructionSet) -> Source<'_> {
        Source {
            data: &self.data,
            copied: self.copied(level),
        }
    }

    /// Fills the log priors and log likelihoods of a batch.
    ///
    /// # Panics
    /// If the lengths do not match, or the processor does not support `level`.
    pub fn values(&self, level: InstructionSet, mut batch: Batch<'_>) {
        self.check(&batch);
        if self.has_features() {
            return self.one_by_one(level, &mut batch, None);
        }
        let replay = Replay {
            code: &self.code,
            source: self.source(level),
            batch: &mut batch,
            gradient: None,
            common: None,
        };
        dispatch(level, replay);
    }

    /// Fills the log priors and log likelihoods of a batch, and `gradient`, `[particles, dim]`, with the gradient of
    /// `weights[0] log_prior + weights[1] log_likelihood`.
    ///
    /// A term of weight zero is left out, even if its gradient is not finite.
    ///
    /// # Panics
    /// If the lengths do not match, or the processor does not support `level`.
    pub fn gradients(
        &self,
        level: InstructionSet,
        weights: [f64; 2],
        mut batch: Batch<'_>,
        gradient: &mut [f64],
    ) {
        self.check(&batch);
        assert_eq!(
            batch.positions.len(),
            gradient.len(),
            "the gradient has the shape of the positions"
        );
        if self.has_features() {
            return self.one_by_one(level, &mut batch, Some((weights, gradient)));
        }
        let replay = Replay {
            code: &self.code,
            source: self.source(level),
            batch: &mut batch,
            gradient: Some((weights, gradient)),
            common: None,
        };
        dispatch(level, replay);
    }

    /// The statement of each kept quantity, in the order of [`Trace::outputs`]; `None` if the program itself must compute them.
    #[must_use]
    pub fn kept(&self) -> Option<&[usize]> {
        self.outputs.as_ref().map(Outputs::statements)
    }

    /// Fills `values`, `[particles, quantities]`, with the kept quantities at `positions`, `[particles, dim]`. Operations that only the
    /// densities need are left out.
    ///
    /// # Panics
    /// If nothing is [kept](Trace::kept), the lengths do not match, or the processor does not support `level`.
    pub fn outputs(&self, level: InstructionSet, positions: &[f64], values: &mut [f64]) {
        let outputs = self.outputs.as_ref().expect("the program keeps quantities");
        let (dim, quantities) = (self.code.dim, outputs.statements().len());
        if quantities == 0 || dim == 0 {
            // without coordinates all quantities are numbers
            let rows = values.chunks_exact_mut(quantities.max(1));
            return rows.for_each(|row| row.copy_from_slice(&outputs.numbers));
        }
        let particles = positions.len() / dim;
        assert_eq!(
            values.len(),
            particles * quantities,
            "a row for every particle"
        );
        let (mut log_prior, mut log_likelihood) = (vec![0.0; particles], vec![0.0; particles]);
        let batch = Batch {
            dim,
            positions,
            log_prior: &mut log_prior,
            log_likelihood: &mut log_likelihood,
        };
        self.check(&batch);
        let keep = Keep {
            outputs,
            source: self.source(level),
            batch: &batch,
            values,
        };
        dispatch(level, keep);
    }

    fn check(&self, batch: &Batch<'_>) {
        batch.check();
        assert_eq!(
            batch.dim, self.code.dim,
            "positions of the dimension that was recorded"
        );
    }

    /// The number of instructions and terms.
    #[must_use]
    pub fn len(&self) -> usize {
        let values = self.code.segments.iter().map(|segment| segment.all.len());
        values.sum::<usize>() + self.code.addends.len()
    }

    /// Whether the log density is constant.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The instructions and terms by their kind.
    #[must_use]
    pub fn kinds(&self) -> Kinds {
        Kinds::of(&self.code)
    }

    /// For each coordinate `u`, whether the program reads `eᵘ` or `1/(1 + e⁻ᵘ)` as a number, `[dim]`. This number rounds where `u` is far
    /// out. Logarithms of the two do not: they are computed from `u`.
    #[must_use]
    pub fn reads_rounded(&self) -> &[bool] {
        &self.rounding
    }

    /// The number of segments.
    #[must_use]
    pub fn segments(&self) -> usize {
        self.code.segments.len()
    }

    /// The number of values that a segment keeps for later ones.
    #[must_use]
    pub fn carried(&self) -> usize {
        self.code.shared - self.code.dim
    }

    /// Bytes of the trace, which all threads share.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.code.bytes() + size_of_val(&self.copied[..])
    }
}
