//! The names of network types for the trace and the modes, where the feature `networks` is off. There is no value of the type
//! [`Network`], so no network code is compiled.

mod applied;
mod choices;
mod rows;

pub use applied::Applied;
pub(crate) use applied::Scratch;
pub use choices::Choices;
pub(crate) use rows::InputSlopes;
pub use rows::{Inputs, Precision, Rows};

use crate::matrix::Matrix;
use crate::mode::Mode;
use crate::real::Real;
use crate::simd::{InstructionSet, LANES};

/// A checked list of layers; there is none without the feature `networks`.
#[derive(Clone, Copy, Debug)]
pub enum Network {}

impl Network {
    /// Number of outputs for one example.
    #[must_use]
    pub fn outputs(&self) -> usize {
        match *self {}
    }

    /// Number of weights and biases.
    #[must_use]
    pub fn parameters(&self) -> usize {
        match *self {}
    }

    pub(crate) fn split(&self, _is_known: impl Fn(usize) -> bool) -> Option<Split> {
        match *self {}
    }

    pub(crate) fn is_same(&self, _other: &Self) -> bool {
        match *self {}
    }
}

/// The first layers of a network, and the remaining ones.
#[derive(Debug)]
pub(crate) struct Split {
    pub(crate) known: Network,
    pub(crate) rest: Network,
}

impl Split {
    pub(crate) fn goes_on_with_dense(&self) -> bool {
        match self.rest {}
    }
}

/// A network at the weights of eight particles and at the rows of its inputs.
#[derive(Clone, Copy, Debug)]
pub struct Pass<'a> {
    /// The network.
    pub network: &'a Network,
    /// The arithmetic inside the layers.
    pub precision: Precision,
    /// The examples, `[rows, input elements]`.
    pub inputs: Inputs<'a>,
    /// The weights of eight particles, `[parameters]`.
    pub weights: &'a [[f64; LANES]],
}

impl Pass<'_> {
    pub(crate) fn outputs(self, _level: InstructionSet, _out: &mut [[f64; LANES]]) {
        match *self.network {}
    }

    pub(crate) fn score_with_inputs<R: Rows>(
        self,
        _level: InstructionSet,
        _rows: &mut R,
        _gradient: Option<&mut [[f64; LANES]]>,
        _inputs: Option<InputSlopes<'_>>,
    ) -> [f64; LANES] {
        match *self.network {}
    }

    pub(crate) fn pull_back(
        self,
        _level: InstructionSet,
        _adjoints: &[[f64; LANES]],
        _gradient: &mut [[f64; LANES]],
    ) {
        match *self.network {}
    }

    pub(crate) fn pull_back_with_inputs(
        self,
        _level: InstructionSet,
        _adjoints: &[[f64; LANES]],
        _gradient: &mut [[f64; LANES]],
        _inputs: Option<InputSlopes<'_>>,
    ) {
        match *self.network {}
    }
}

impl Applied<'_> {
    pub(crate) fn columns(self, _level: InstructionSet, _at: impl Fn(usize) -> f64) -> Vec<f64> {
        match **self.network {}
    }

    pub(crate) fn outputs_after(
        self,
        _level: InstructionSet,
        _at: impl Fn(usize) -> f64,
    ) -> Vec<f64> {
        match **self.network {}
    }

    pub(crate) fn score_alone<R: Rows>(self, _at: impl Fn(usize) -> f64, _rows: &mut R) -> f64 {
        match **self.network {}
    }
}

/// The outputs of a network for every row.
pub fn forward<M: Mode>(network: &Network, _inputs: Inputs<'_>, _weights: &[Real<M>]) -> Matrix<M> {
    match *network {}
}
