//! Accumulators for the terms of a log density.

use bayes_autodiff::network::Applied;
use bayes_autodiff::{MAX_ARGUMENTS, Mode, Part, Real, ScalarFunction};

/// An accumulator for terms of a log density.
pub trait Accumulator<M: Mode> {
    /// Adds a term.
    fn add(&mut self, term: Real<M>);
    /// Adds a function of a few arguments; `random` marks the arguments that may depend on random values.
    fn add_function<F: ScalarFunction>(
        &mut self,
        arguments: [Real<M>; MAX_ARGUMENTS],
        random: [bool; MAX_ARGUMENTS],
        term: &F,
    );
    /// Adds the log masses of `len` Bernoulli variables `outcome(i)`, 0 or 1, with log odds `logit(i)`.
    fn add_logits(
        &mut self,
        len: usize,
        outcome: impl Fn(usize) -> f64,
        logit: impl Fn(usize) -> Real<M>,
    );
    /// Adds `-½ ((x(i) - mean(i)) / sd(i))²` for `len` normal variables.
    fn add_normals(
        &mut self,
        len: usize,
        x: impl Fn(usize) -> Real<M>,
        mean: impl Fn(usize) -> Real<M>,
        sd: impl Fn(usize) -> Real<M>,
    );
    /// Adds `scores[chosen] - ln Σ e^scores`.
    fn add_choice(&mut self, scores: &[Real<M>], chosen: usize);
    /// Adds the terms that `rows` compute from a network's outputs at `weights`.
    fn add_network_choices(
        &mut self,
        applied: Applied<'_>,
        weights: &[Real<M>],
        chosen: impl Fn(usize) -> usize,
    );
}

/// A part of a model's log density. It is used nowhere else, so reverse mode knows the adjoint of every term as
/// soon as it is added.
#[derive(Clone, Copy, Debug)]
pub struct LogDensitySum<M: Mode> {
    /// The sum so far.
    pub sum: Real<M>,
    part: Part,
}

impl<M: Mode> LogDensitySum<M> {
    /// Zero.
    #[inline(always)]
    #[must_use]
    pub fn new(part: Part) -> Self {
        let sum = Real::constant(0.0);
        Self { sum, part }
    }
}

impl<M: Mode> Accumulator<M> for LogDensitySum<M> {
    #[inline(always)]
    fn add(&mut self, term: Real<M>) {
        M::add_term(&mut self.sum.0, term.0, self.part);
    }
    #[inline(always)]
    fn add_function<F: ScalarFunction>(
        &mut self,
        arguments: [Real<M>; MAX_ARGUMENTS],
        random: [bool; MAX_ARGUMENTS],
        term: &F,
    ) {
        M::add_function_term(&mut self.sum.0, arguments, random, term, self.part);
    }
    #[inline(always)]
    fn add_logits(
        &mut self,
        len: usize,
        outcome: impl Fn(usize) -> f64,
        logit: impl Fn(usize) -> Real<M>,
    ) {
        M::add_logit_terms(&mut self.sum.0, len, outcome, logit, self.part);
    }
    #[inline(always)]
    fn add_normals(
        &mut self,
        len: usize,
        x: impl Fn(usize) -> Real<M>,
        mean: impl Fn(usize) -> Real<M>,
        sd: impl Fn(usize) -> Real<M>,
    ) {
        M::add_normal_terms(&mut self.sum.0, len, x, mean, sd, self.part);
    }
    #[inline(always)]
    fn add_choice(&mut self, scores: &[Real<M>], chosen: usize) {
        M::add_choice_term(&mut self.sum.0, scores, chosen, self.part);
    }
    #[inline(always)]
    fn add_network_choices(
        &mut self,
        applied: Applied<'_>,
        weights: &[Real<M>],
        chosen: impl Fn(usize) -> usize,
    ) {
        M::add_network_choices(&mut self.sum.0, applied, weights, chosen, self.part);
    }
}
