//! What runs the statements of a model.

use crate::dist::{ContinuousDomain, Data, Discrete, Distribution, Gapped, Quantity, Separate};
use bayes_autodiff::fault::{Fault, raise};
use bayes_autodiff::{Mode, Real, Vector};
use std::fmt;

/// Interprets the statements of a model: draw, evaluate, validate, or collect values.
///
/// An interpreter must define [`Interpreter::random`], the value of a random quantity; all other methods do nothing by
/// default.
pub trait Interpreter<M: Mode> {
    /// A random quantity: continuous, or discrete where `D::Domain::DISCRETE`.
    fn random<D: Distribution<M>>(&mut self, distribution: D) -> D::Value;
    /// A continuous random quantity, as `#[model]` writes it; interpreters define [`Interpreter::random`].
    #[inline(always)]
    fn sample<D: Distribution<M>>(&mut self, distribution: D) -> D::Value
    where
        D::Domain: ContinuousDomain,
    {
        self.random(distribution)
    }
    /// A discrete random quantity, as `#[model]` writes it; interpreters define [`Interpreter::random`].
    #[inline(always)]
    fn sample_discrete<D: Distribution<M, Domain = Discrete>>(
        &mut self,
        distribution: D,
    ) -> D::Value {
        self.random(distribution)
    }
    /// A quantity that is learnt and not sampled. `start` is the distribution of an optimisation's starting point, and has no density. By
    /// default a param is treated like a random quantity.
    #[inline(always)]
    fn param<D: Distribution<M>>(&mut self, start: D) -> D::Value
    where
        D::Domain: ContinuousDomain,
    {
        self.random(start)
    }
    /// Sets the statement that runs next (its index in [`Model::statements`](super::Model::statements)).
    #[inline(always)]
    fn at(&mut self, _statement: usize) -> &mut Self {
        self
    }
    /// The indices of the data that are observed next, `[i, j]` of `observe(y[(i, j)], ..)`. `#[model]` writes them if they are counters
    /// of loops. They only name the observations.
    #[inline(always)]
    fn indexed(&mut self, _indices: &[&dyn fmt::Display]) -> &mut Self {
        self
    }
    /// The index of the first of the data that are observed next, `1` of `observe(&y[1..], ..)`. It only names the observations.
    #[inline(always)]
    fn sliced(&mut self, _first: usize) -> &mut Self {
        self
    }
    /// Observed data.
    ///
    /// The distribution comes first because rustc checks arguments from left to right. Since rustc knows the domain before it sees the
    /// data, it reports which data are expected instead of an obscure type mismatch.
    #[inline(always)]
    fn observe_under<D: Distribution<M>, T: Data<D::Domain>>(&mut self, distribution: D, data: T) {
        let _ = (distribution, data);
    }
    /// Data with gaps, as `#[model]` writes them: the known values are observed by the present statement, the missing ones are drawn by
    /// statement `missing`. Returns all values. Interpreters define [`Interpreter::observe_under`] and [`Interpreter::random`].
    #[inline(always)]
    fn impute<D: Separate<M>, T: Gapped>(
        &mut self,
        missing: usize,
        distribution: D,
        data: T,
    ) -> Vector<M>
    where
        Self: Sized,
    {
        super::impute::impute(self, missing, &distribution, &data)
    }
    /// A named quantity kept in the output.
    #[inline(always)]
    fn deterministic<Q: Quantity<M>>(&mut self, value: Q) -> Q {
        value
    }
    /// A term added to the log likelihood.
    #[inline(always)]
    fn factor(&mut self, log_weight: impl Into<Real<M>>) {
        let _ = log_weight;
    }
    /// Begins a sum over the values of a discrete quantity.
    ///
    /// # Panics
    /// By default: the terms inside the sum would be missing.
    fn begin_sum<D: Distribution<M, Domain = Discrete>>(&mut self, distribution: D) {
        raise(Fault::Sum {
            reason: format!(
                "the interpreter cannot sum over the values of {}",
                distribution.name()
            ),
        });
    }
    /// The value of the innermost sum for which the rest of its block runs next; `None` at the end of the sum.
    #[inline(always)]
    fn next_value(&mut self) -> Option<usize> {
        None
    }
    /// A discrete quantity that is summed out, as `#[model]` writes it: `rest` is the rest of its block. Interpreters define
    /// [`Interpreter::begin_sum`] and [`Interpreter::next_value`].
    #[inline(always)]
    fn sum_out<D: Distribution<M, Domain = Discrete>>(
        &mut self,
        distribution: D,
        rest: impl Fn(&mut Self, usize),
    ) where
        Self: Sized,
    {
        self.begin_sum(distribution);
        while let Some(value) = self.next_value() {
            rest(self, value);
        }
    }
    /// A quantity that is drawn after the run. NaN by default, because it has no value before; validation finds statements that use it.
    #[inline(always)]
    fn generate<D: Distribution<M>>(&mut self, distribution: D) -> D::Value {
        D::Value::from_fn(distribution.shape(), |_| Real::constant(f64::NAN))
    }
}
