//! The functions of a model that validation and densities need, as a trait object.
//!
//! A model's program is compiled once for each arithmetic and interpreter. Everything around it takes `&dyn Compiled`, and is
//! compiled once for all models: this saves half of the work of compiling a small model.

use super::plain::PlainInterpreter;
use super::{Evaluate, Model};
use bayes_autodiff::batch::{self, Batch};
use bayes_autodiff::gradient::{Program, directional_derivative, gradient};
use bayes_autodiff::trace::{Recorded, Trace, Untraceable};
use bayes_autodiff::{Mode, Real};
use std::fmt;

/// A model, without its type. Every method here is compiled for every model, even if a program does not call it. Functions that few
/// programs need (second derivatives) therefore stay generic.
pub trait Compiled: Model {
    /// Runs the program over plain numbers.
    fn plain(&self, interpreter: &mut dyn PlainInterpreter);

    /// [`batch::values`] of the densities, one particle after the other.
    fn values(&self, jacobian: bool, batch: Batch<'_>);

    /// [`gradient`] of the densities, in forward mode.
    fn forward_gradient(
        &self,
        jacobian: bool,
        position: &[f64],
        weights: [f64; 2],
        slopes: &mut [f64],
    ) -> [f64; 2];

    /// [`directional_derivative`] of the log posterior density, in forward mode.
    fn directional_derivative(&self, position: &[f64], direction: &[f64]) -> f64;

    /// Records the densities at some positions. The coordinates in `shared`, `[dim]` or empty, are equal for all particles.
    fn record(
        &self,
        jacobian: bool,
        shared: &[bool],
        positions: &[&[f64]],
    ) -> Result<Recorded, Untraceable>;

    /// Records the densities with the data of this model, reusing the recording of another model with as many rows.
    fn record_again(
        &self,
        jacobian: bool,
        recorded: Recorded,
        position: &[f64],
    ) -> Result<Recorded, Untraceable>;
}

impl<Mo: Model> Compiled for Mo {
    fn plain(&self, interpreter: &mut dyn PlainInterpreter) {
        self.run_plain(interpreter);
    }

    fn values(&self, jacobian: bool, batch: Batch<'_>) {
        batch::values(&Densities::new(self, jacobian), batch);
    }

    fn forward_gradient(
        &self,
        jacobian: bool,
        position: &[f64],
        weights: [f64; 2],
        slopes: &mut [f64],
    ) -> [f64; 2] {
        gradient(&Densities::new(self, jacobian), position, weights, slopes)
    }

    fn directional_derivative(&self, position: &[f64], direction: &[f64]) -> f64 {
        let program = Densities::new(self, true);
        directional_derivative(&program, position, [1.0; 2], direction)
    }

    fn record(
        &self,
        jacobian: bool,
        shared: &[bool],
        positions: &[&[f64]],
    ) -> Result<Recorded, Untraceable> {
        let program = Densities::new(self, jacobian);
        Recorded::sharing(&program, &data(self), shared, positions)
    }

    fn record_again(
        &self,
        jacobian: bool,
        recorded: Recorded,
        position: &[f64],
    ) -> Result<Recorded, Untraceable> {
        recorded.on(&Densities::new(self, jacobian), &data(self), position)
    }
}

/// The numbers that a model owns or borrows.
fn data<Mo: Model + ?Sized>(model: &Mo) -> Vec<&[f64]> {
    let mut data = Vec::new();
    model.numbers(&mut |numbers| data.push(numbers));
    data
}

impl dyn Compiled + '_ {
    /// The trace of a recording of this model.
    pub(crate) fn trace(&self, recorded: &Recorded) -> Trace<'_> {
        recorded.trace(&data(self))
    }
}

impl fmt::Debug for dyn Compiled + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Log prior and log likelihood of a model as one program for the differentiation modes.
pub(crate) struct Densities<'a, Mo> {
    model: &'a Mo,
    jacobian: bool,
}

impl<'a, Mo: Model> Densities<'a, Mo> {
    /// The log prior includes the log Jacobian of the transforms if `jacobian`.
    pub(crate) fn new(model: &'a Mo, jacobian: bool) -> Self {
        Self { model, jacobian }
    }
}

impl<Mo: Model> Program for Densities<'_, Mo> {
    #[inline(always)]
    fn evaluate<M: Mode>(&self, coordinates: &[Real<M>]) -> [Real<M>; 2] {
        let mut evaluation = Evaluate::new(coordinates).jacobian(self.jacobian);
        self.model.program(&mut evaluation);
        evaluation.densities()
    }

    fn data<'a>(&'a self, show: &mut dyn FnMut(&'a [f64])) {
        self.model.numbers(show);
    }
}
