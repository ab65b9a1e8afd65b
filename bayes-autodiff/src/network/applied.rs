//! A network applied to data, as an operation of every mode.

use super::{Inputs, Network, Pass, Precision};
use crate::simd::{LANES, Simd};
use std::cell::Cell;
use std::sync::Arc;

/// A network and the rows of its inputs.
#[derive(Clone, Copy, Debug)]
pub struct Applied<'a> {
    /// The network.
    pub network: &'a Arc<Network>,
    /// The precision inside the layers, for values and the trace; dual numbers use their own arithmetic.
    pub precision: Precision,
    /// One example in every row.
    pub inputs: Inputs<'a>,
}

/// Weights of eight particles and their slopes, in memory that the thread keeps.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) weights: Vec<[f64; LANES]>,
    pub(crate) gradient: Vec<[f64; LANES]>,
}

thread_local! {
    static SCRATCH: Cell<Scratch> = Cell::default();
}

impl Scratch {
    /// The thread's memory, with the weights `at(0)`, `at(1)`, ..., and a gradient of zeros on request.
    #[inline(always)]
    pub(crate) fn take<S: Simd>(
        len: usize,
        at: impl Fn(usize) -> S::Float,
        gradient: bool,
    ) -> Self {
        let mut scratch = SCRATCH.take();
        scratch.weights.resize(len, [0.0; LANES]);
        for k in 0..len {
            S::store(at(k), &mut scratch.weights[k]);
        }
        scratch.gradient.clear();
        if gradient {
            scratch.gradient.resize(len, [0.0; LANES]);
        }
        scratch
    }

    /// Keeps the memory for the next evaluation.
    pub(crate) fn give_back(self) {
        SCRATCH.set(self);
    }
}

impl<'a> Applied<'a> {
    /// The network at the weights of eight particles.
    #[must_use]
    pub fn at(self, weights: &'a [[f64; LANES]]) -> Pass<'a> {
        Pass {
            network: self.network,
            precision: self.precision,
            inputs: self.inputs,
            weights,
        }
    }
}
