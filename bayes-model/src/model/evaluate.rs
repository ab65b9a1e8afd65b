//! The density of a model: log prior and log likelihood at a point.

use super::Interpreter;
use super::sum_out::{OpenSum, are_excluded};
use crate::dist::{Data, Discrete, Distribution, Quantity};
use bayes_autodiff::{Mode, Real, Task};

/// What a recording keeps beside the densities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// The values of the quantities.
    Values,
    /// The terms of each sum over a discrete quantity that is in no other sum: the log probability of a value, and the log likelihood at it.
    SumTerms,
}

/// Evaluates the model at given unconstrained coordinates.
pub struct Evaluate<'a, M: Mode> {
    coordinates: &'a [Real<M>],
    /// Whether the log prior includes the log Jacobian of the transforms.
    jacobian: bool,
    kept: Kept,
    /// Log prior, usually with the log Jacobian.
    log_prior: Real<M>,
    /// Sum of `observe` and `factor` terms; inside a sum, only the terms of the present value.
    log_likelihood: Real<M>,
    /// The sums around the present place, outermost first, each with the log likelihood before it.
    sums: Vec<(OpenSum<Real<M>>, Real<M>)>,
}

impl<'a, M: Mode> Evaluate<'a, M> {
    /// An evaluation at `coordinates`, `[dim]`.
    #[inline(always)]
    pub fn new(coordinates: &'a [Real<M>]) -> Self {
        Self {
            coordinates,
            jacobian: true,
            kept: Kept::Values,
            log_prior: Real::default(),
            log_likelihood: Real::default(),
            sums: Vec::new(),
        }
    }

    /// Whether the log prior includes the log Jacobian of the transforms, as by default. With it, the result is
    /// the density of the coordinates; without it, the density of the values.
    #[inline(always)]
    #[must_use]
    pub fn jacobian(self, jacobian: bool) -> Self {
        Self { jacobian, ..self }
    }

    /// What is kept, the values by default.
    #[inline(always)]
    #[must_use]
    pub fn keeping(self, kept: Kept) -> Self {
        Self { kept, ..self }
    }

    /// Keeps the elements of a quantity.
    #[inline(always)]
    fn keep(&self, elements: &[Real<M>]) {
        if self.kept == Kept::Values {
            M::keep(elements);
        }
    }

    /// `[log_prior, log_likelihood]`, the log prior with the log Jacobian of the transforms unless it was left out.
    #[inline(always)]
    #[must_use]
    pub fn densities(&self) -> [Real<M>; 2] {
        [self.log_prior, self.log_likelihood]
    }
}

/// A random quantity at its coordinates, and its prior.
struct Score<'a, M: Mode, D> {
    distribution: &'a D,
    coordinates: &'a [Real<M>],
    jacobian: bool,
    log_prior: &'a mut Real<M>,
}

impl<M: Mode, D: Distribution<M>> Task for Score<'_, M, D> {
    type Output = D::Value;
    #[inline(always)]
    fn run(self) -> D::Value {
        // a local copy stays in a register while terms are added
        let mut log_prior = *self.log_prior;
        let value = self
            .distribution
            .add_sample(self.coordinates, self.jacobian, &mut log_prior);
        *self.log_prior = log_prior;
        value
    }
}

/// Observations under a distribution.
struct Observe<'a, M: Mode, T, D> {
    data: T,
    distribution: D,
    log_likelihood: &'a mut Real<M>,
}

impl<M: Mode, T: Data<D::Domain>, D: Distribution<M>> Task for Observe<'_, M, T, D> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        self.distribution
            .add_likelihood(&self.data, self.log_likelihood);
    }
}

impl<M: Mode> Interpreter<M> for Evaluate<'_, M> {
    #[inline(always)]
    fn at(&mut self, statement: usize) -> &mut Self {
        M::statement(statement);
        self
    }
    #[inline(always)]
    fn random<D: Distribution<M>>(&mut self, distribution: D) -> D::Value {
        let (coordinates, rest) = self.coordinates.split_at(distribution.dim());
        self.coordinates = rest;
        let task = Score {
            distribution: &distribution,
            coordinates,
            jacobian: self.jacobian,
            log_prior: &mut self.log_prior,
        };
        let value = M::call(task);
        self.keep(value.elements());
        value
    }
    #[inline(always)]
    fn param<D: Distribution<M>>(&mut self, start: D) -> D::Value {
        let (coordinates, rest) = self.coordinates.split_at(start.dim());
        self.coordinates = rest;
        let (value, _) = start.constrain(coordinates);
        self.keep(value.elements());
        value
    }
    #[inline(always)]
    fn deterministic<Q: Quantity<M>>(&mut self, value: Q) -> Q {
        self.keep(value.elements());
        value
    }
    #[inline(always)]
    fn observe_under<D: Distribution<M>, T: Data<D::Domain>>(&mut self, distribution: D, data: T) {
        if !self.sums.is_empty() && are_excluded(&distribution, &data) {
            self.log_likelihood += f64::NEG_INFINITY;
            return;
        }
        let task = Observe {
            data,
            distribution,
            log_likelihood: &mut self.log_likelihood,
        };
        T::run::<M, _>(task);
    }
    #[inline(always)]
    fn factor(&mut self, log_weight: impl Into<Real<M>>) {
        self.log_likelihood += log_weight.into();
    }
    #[inline(always)]
    fn begin_sum<D: Distribution<M, Domain = Discrete>>(&mut self, distribution: D) {
        let sum = OpenSum::over(&distribution);
        self.sums.push((sum, self.log_likelihood));
    }
    #[inline(always)]
    fn next_value(&mut self) -> Option<usize> {
        let is_outermost = self.sums.len() == 1;
        let (sum, before) = self.sums.last_mut()?;
        let next = sum.next(self.log_likelihood);
        if next.is_none() && is_outermost && self.kept == Kept::SumTerms {
            M::keep(sum.terms());
        }
        self.log_likelihood = match next {
            Some(_) => Real::default(),
            None => *before + M::log_sum_exp(sum.terms()),
        };
        if next.is_none() {
            self.sums.pop();
        }
        next
    }
}
