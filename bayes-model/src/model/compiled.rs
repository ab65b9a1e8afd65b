//! The program of a model without the model's type.
//!
//! A program is compiled twice: over plain numbers, for everything that computes values, and for the mode that records, for derivatives.
//! All else takes `&dyn Compiled`, and is compiled once for all models. InDualNumbers mode derives the operations of a recording at each
//! position, unless the text of the model asks for a program in dual numbers.

use super::evaluate::Kept;
use super::plain::PlainInterpreter;
use super::{Evaluate, Model, PlainDensities};
use bayes_autodiff::batch::Batch;
use bayes_autodiff::gradient::{WIDTH, derivative_of, gradient_of};
use bayes_autodiff::trace::{AtPosition, Recorded, Trace, Tracer, Untraceable};
use bayes_autodiff::{Dual, Real};
use std::fmt;

/// A model, without its type. Every method here is compiled for every model, even if a program does not call it.
pub trait Compiled: Model {
    /// Runs the program over plain numbers.
    fn plain(&self, interpreter: &mut dyn PlainInterpreter);

    /// Log prior and log likelihood in the mode that records. The log prior includes the log Jacobian of the transforms if `jacobian`.
    fn traced(&self, jacobian: bool, kept: Kept, coordinates: &[Real<Tracer>])
    -> [Real<Tracer>; 2];
}

impl<Mo: Model> Compiled for Mo {
    fn plain(&self, interpreter: &mut dyn PlainInterpreter) {
        self.run_plain(interpreter);
    }

    fn traced(
        &self,
        jacobian: bool,
        kept: Kept,
        coordinates: &[Real<Tracer>],
    ) -> [Real<Tracer>; 2] {
        let evaluation = Evaluate::new(coordinates).jacobian(jacobian);
        let mut evaluation = evaluation.keeping(kept);
        self.run_traced(&mut evaluation);
        evaluation.densities()
    }
}

/// A model whose program is also compiled for dual numbers: `#[model(forward)]`.
pub trait InDualNumbers {
    /// Log prior and log likelihood in dual numbers. The log prior includes the log Jacobian of the transforms if `jacobian`.
    fn densities(&self, jacobian: bool, coordinates: &[Real<Width>]) -> [Real<Width>; 2];
}

/// The arithmetic of [`InDualNumbers`].
type Width = Dual<WIDTH>;

impl<Mo: Model> InDualNumbers for Mo {
    fn densities(&self, jacobian: bool, coordinates: &[Real<Width>]) -> [Real<Width>; 2] {
        let mut evaluation = Evaluate::new(coordinates).jacobian(jacobian);
        self.program(&mut evaluation);
        evaluation.densities()
    }
}

impl dyn Compiled + '_ {
    /// The numbers that a model owns or borrows.
    fn own_numbers(&self) -> Vec<&[f64]> {
        let mut data = Vec::new();
        self.numbers(&mut |numbers| data.push(numbers));
        data
    }

    /// Fills the log priors and log likelihoods of a batch, one particle after the other.
    ///
    /// # Panics
    /// If the lengths do not match.
    pub(crate) fn values(&self, jacobian: bool, batch: Batch<'_>) {
        batch.fill(|position| {
            let mut densities = PlainDensities::new(position, jacobian);
            self.plain(&mut densities);
            densities.densities()
        });
    }

    /// The operations of the densities at a position, for forward mode at this position.
    pub(crate) fn at_position(&self, jacobian: bool, position: &[f64]) -> AtPosition<'_> {
        let program =
            |coordinates: &[Real<Tracer>]| self.traced(jacobian, Kept::Values, coordinates);
        AtPosition::of(&program, &self.own_numbers(), position)
    }

    /// The densities at a position in forward mode; writes the gradient of `weights[0] log_prior + weights[1] log_likelihood` into
    /// `slopes`, `[dim]`.
    pub(crate) fn forward_gradient(
        &self,
        jacobian: bool,
        position: &[f64],
        weights: [f64; 2],
        slopes: &mut [f64],
    ) -> [f64; 2] {
        match self.forward() {
            Some(forward) => {
                let program =
                    |coordinates: &[Real<Width>]| forward.densities(jacobian, coordinates);
                gradient_of(&program, position, weights, slopes)
            }
            None => self
                .at_position(jacobian, position)
                .gradient(position, weights, slopes),
        }
    }

    /// The derivative of the log posterior density at a position in a direction, in forward mode.
    pub(crate) fn directional_derivative(&self, position: &[f64], direction: &[f64]) -> f64 {
        match self.forward() {
            Some(forward) => {
                let program = |coordinates: &[Real<Width>]| forward.densities(true, coordinates);
                derivative_of(&program, position, [1.0; 2], direction)
            }
            None => {
                let recorded = self.at_position(true, position);
                recorded.directional_derivative(position, [1.0; 2], direction)
            }
        }
    }

    /// The Hessian of the log posterior density at a position, `[dim, dim]`, in forward mode.
    pub(crate) fn hessian(&self, position: &[f64], entries: &mut [f64]) {
        self.at_position(true, position)
            .hessian(position, [1.0; 2], entries);
    }

    /// Records the densities at some positions. The coordinates in `shared`, `[dim]` or empty, are equal for all particles.
    pub(crate) fn record(
        &self,
        jacobian: bool,
        shared: &[bool],
        positions: &[&[f64]],
    ) -> Result<Recorded, Untraceable> {
        let program =
            |coordinates: &[Real<Tracer>]| self.traced(jacobian, Kept::Values, coordinates);
        Recorded::of(&program, &self.own_numbers(), shared, positions)
    }

    /// The trace of the terms of the sums over discrete quantities, [`Kept::SumTerms`], recorded at some positions.
    pub(crate) fn trace_of_sum_terms(
        &self,
        positions: &[&[f64]],
    ) -> Result<Trace<'_>, Untraceable> {
        let program = |coordinates: &[Real<Tracer>]| {
            let kept = Kept::SumTerms;
            self.traced(true, kept, coordinates)
        };
        let recorded = Recorded::of(&program, &self.own_numbers(), &[], positions)?;
        Ok(self.trace(&recorded))
    }

    /// Records the densities with the data of this model, reusing the recording of another model with as many rows.
    pub(crate) fn record_again(
        &self,
        jacobian: bool,
        recorded: Recorded,
        position: &[f64],
    ) -> Result<Recorded, Untraceable> {
        let program =
            |coordinates: &[Real<Tracer>]| self.traced(jacobian, Kept::Values, coordinates);
        recorded.again(&program, &self.own_numbers(), position)
    }

    /// The trace of a recording of this model.
    pub(crate) fn trace(&self, recorded: &Recorded) -> Trace<'_> {
        recorded.trace(&self.own_numbers())
    }
}

impl fmt::Debug for dyn Compiled + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
