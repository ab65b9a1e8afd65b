//! The outputs of a network as a distribution's parameter.

use crate::dist::{Data, Discrete, MatrixForm, Parameter, Shape};
use bayes_autodiff::network::Applied;
use bayes_autodiff::{Matrix, Mode, Real, Vector};
use std::cell::OnceCell;

/// The outputs of a network for every row of its inputs, `[rows, outputs]`, computed where they are needed.
#[derive(Clone, Debug)]
pub struct Forward<'a, M: Mode> {
    applied: Applied<'a>,
    weights: &'a Vector<M>,
    outputs: OnceCell<Matrix<M>>,
}

impl<'a, M: Mode> Forward<'a, M> {
    #[inline(always)]
    pub(super) fn new(applied: Applied<'a>, weights: &'a Vector<M>) -> Self {
        Self {
            applied,
            weights,
            outputs: OnceCell::new(),
        }
    }

    /// The outputs as numbers, `[rows, outputs]`.
    #[inline(always)]
    #[must_use]
    pub fn matrix(self) -> Matrix<M> {
        match self.outputs.into_inner() {
            Some(outputs) => outputs,
            None => M::network(self.applied, self.weights),
        }
    }

    /// Output `k` for every row, `[rows]`.
    ///
    /// # Panics
    /// If there is no such output.
    #[inline(always)]
    #[must_use]
    pub fn column(self, k: usize) -> Vector<M> {
        self.matrix().column(k)
    }
}

impl<M: Mode> Parameter<M> for Forward<'_, M> {
    type Form = MatrixForm;
    const DATA: bool = false;

    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape::Matrix(self.applied.inputs.rows, self.applied.network.outputs())
    }
    #[inline(always)]
    fn at(&self, i: usize) -> Real<M> {
        let outputs = || M::network(self.applied, self.weights);
        self.outputs.get_or_init(outputs).elements()[i]
    }
    #[inline(always)]
    fn add_choices<T: Data<Discrete> + ?Sized>(&self, data: &T, total: &mut Real<M>) -> bool {
        if self.outputs.get().is_some() {
            // the check of the parameter, or another statement, has computed the outputs
            return false;
        }
        M::add_network_choices(
            total,
            self.applied,
            self.weights,
            #[inline(always)]
            |row| data.at(row) as usize,
        );
        true
    }
}
