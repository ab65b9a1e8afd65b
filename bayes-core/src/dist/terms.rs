//! Accumulators for the terms of a log density.

use bayes_autodiff::network::{Applied, Rows};
use bayes_autodiff::{ARGUMENTS, Local, Mode, Part, Real};

/// An accumulator for terms of a log density.
pub trait Terms<M: Mode> {
    /// Adds a term.
    fn add(&mut self, term: Real<M>);
    /// Adds a function of a few arguments; `random` marks the arguments that may depend on random values.
    fn add_local<F: Local>(
        &mut self,
        arguments: [Real<M>; ARGUMENTS],
        random: [bool; ARGUMENTS],
        term: &F,
    );
    /// Adds the log masses of `len` Bernoulli variables `outcome(i)`, 0 or 1, with log odds `logit(i)`.
    fn add_logits(
        &mut self,
        len: usize,
        outcome: impl Fn(usize) -> f64,
        logit: impl Fn(usize) -> Real<M>,
    );
    /// Adds `scores[chosen] - ln Σ e^scores`.
    fn add_choice(&mut self, scores: &[Real<M>], chosen: usize);
    /// Adds the terms that `rows` compute from a network's outputs at `weights`.
    fn add_network<R: Rows>(&mut self, applied: Applied<'_>, weights: &[Real<M>], rows: &mut R);
}

/// A part of a model's log density. It is used nowhere else, so reverse mode knows the adjoint of every term as
/// soon as it is added.
#[derive(Clone, Copy, Debug)]
pub struct Total<M: Mode> {
    /// The sum so far.
    pub sum: Real<M>,
    part: Part,
}

impl<M: Mode> Total<M> {
    /// Zero.
    #[inline(always)]
    #[must_use]
    pub fn new(part: Part) -> Self {
        let sum = Real::constant(0.0);
        Self { sum, part }
    }
}

impl<M: Mode> Terms<M> for Total<M> {
    #[inline(always)]
    fn add(&mut self, term: Real<M>) {
        M::absorb(&mut self.sum.0, term.0, self.part);
    }
    #[inline(always)]
    fn add_local<F: Local>(
        &mut self,
        arguments: [Real<M>; ARGUMENTS],
        random: [bool; ARGUMENTS],
        term: &F,
    ) {
        M::absorb_local(&mut self.sum.0, arguments, random, term, self.part);
    }
    #[inline(always)]
    fn add_logits(
        &mut self,
        len: usize,
        outcome: impl Fn(usize) -> f64,
        logit: impl Fn(usize) -> Real<M>,
    ) {
        M::absorb_logits(&mut self.sum.0, len, outcome, logit, self.part);
    }
    #[inline(always)]
    fn add_choice(&mut self, scores: &[Real<M>], chosen: usize) {
        M::absorb_choice(&mut self.sum.0, scores, chosen, self.part);
    }
    #[inline(always)]
    fn add_network<R: Rows>(&mut self, applied: Applied<'_>, weights: &[Real<M>], rows: &mut R) {
        M::absorb_network(&mut self.sum.0, applied, weights, rows, self.part);
    }
}
