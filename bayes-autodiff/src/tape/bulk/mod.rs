//! Bulk operations: one operation on the tape with many outputs, each with its own adjoint.
//!
//! A new operation is one file here (its stored data, a method of [`Record`] that records it, and its sweep) and one
//! variant of [`Operation`].

mod cholesky;
mod network;
mod product;
mod softmax;

use super::linear_combination::LinearCombination;
use super::record::{Lane, Payload, Record};
use super::sweep::add;
use super::{Node, Tape};
use crate::real::Real;
use crate::simd::Simd;

/// A recorded operation. Each stores where its parents and numbers begin in the payload.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operation {
    MatrixVector(product::MatrixVector),
    Softmax(softmax::Softmax),
    Cholesky(cholesky::Cholesky),
    Solve(cholesky::Solve),
    Network(network::Outputs),
}

impl Operation {
    /// Propagates the adjoints of the outputs, from slot `first` on, to the parents.
    #[inline(always)]
    pub(super) fn sweep<S: Simd>(self, first: usize, adjoints: &mut [Lane], payload: &Payload) {
        let (below, own) = adjoints.split_at_mut(first);
        match self {
            Self::MatrixVector(operation) => operation.sweep::<S>(own, below, payload),
            Self::Softmax(operation) => operation.sweep::<S>(own, below, payload),
            Self::Cholesky(operation) => operation.sweep::<S>(own, below, payload),
            Self::Solve(operation) => operation.sweep::<S>(own, below, payload),
            Self::Network(operation) => operation.sweep::<S>(own, below, payload),
        }
    }
}

/// `adjoint[parent] += slope`.
#[inline(always)]
fn hand_down<S: Simd>(adjoints: &mut [Lane], parent: u32, slope: S::Float) {
    if parent != LinearCombination::CONSTANT.run.first {
        add::<S>(&mut adjoints[parent as usize], slope);
    }
}

impl Record {
    /// Stores the slots of the elements; returns where they begin, or `None` if no element depends on the inputs.
    #[inline(always)]
    fn keep_parents<S: Simd>(&mut self, elements: &[Real<Tape<S>>]) -> Option<usize> {
        let start = self.payload.parents.len();
        let mut depends = false;
        for x in elements {
            depends |= self.keep_parent(x.0.form);
        }
        if !depends {
            self.payload.parents.truncate(start);
        }
        depends.then_some(start)
    }

    /// Stores a number for each particle.
    #[inline(always)]
    fn keep_value<S: Simd>(&mut self, x: S::Float) {
        let mut lane = Lane::ZERO;
        S::store(x, &mut lane.0);
        self.payload.lanes.push(lane);
    }

    /// Stores the slot of a quantity; returns whether it depends on the inputs.
    #[inline(always)]
    fn keep_parent(&mut self, form: LinearCombination) -> bool {
        let mut slot = form.run.first;
        if !form.is_constant() {
            slot = self.slot_of(form);
        }
        self.payload.parents.push(slot);
        !form.is_constant()
    }
}

/// Output `i` of an operation whose first slot is `first`, or a constant if it has none.
#[inline(always)]
fn output<S: Simd>(value: S::Float, first: Option<u32>, i: usize) -> Real<Tape<S>> {
    let form = first.map_or(LinearCombination::CONSTANT, |first| {
        LinearCombination::slot(first + i as u32)
    });
    Real(Node::new(value, form))
}
