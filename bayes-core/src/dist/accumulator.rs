//! Accumulators for the terms of a log density.

use bayes_autodiff::network::Applied;
use bayes_autodiff::{Mode, Real};

/// An accumulator for terms of a log density.
pub trait Accumulator<M: Mode> {
    /// Adds a term.
    fn add(&mut self, term: Real<M>);
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

/// A part of a model's log density.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogDensitySum<M: Mode> {
    /// The sum so far.
    pub sum: Real<M>,
}

impl<M: Mode> Accumulator<M> for LogDensitySum<M> {
    #[inline(always)]
    fn add(&mut self, term: Real<M>) {
        M::accumulate(&mut self.sum.0, term.0);
    }
    #[inline(always)]
    fn add_logits(
        &mut self,
        len: usize,
        outcome: impl Fn(usize) -> f64,
        logit: impl Fn(usize) -> Real<M>,
    ) {
        M::add_logit_terms(&mut self.sum.0, len, outcome, logit);
    }
    #[inline(always)]
    fn add_normals(
        &mut self,
        len: usize,
        x: impl Fn(usize) -> Real<M>,
        mean: impl Fn(usize) -> Real<M>,
        sd: impl Fn(usize) -> Real<M>,
    ) {
        M::add_normal_terms(&mut self.sum.0, len, x, mean, sd);
    }
    #[inline(always)]
    fn add_choice(&mut self, scores: &[Real<M>], chosen: usize) {
        M::add_choice_term(&mut self.sum.0, scores, chosen);
    }
    #[inline(always)]
    fn add_network_choices(
        &mut self,
        applied: Applied<'_>,
        weights: &[Real<M>],
        chosen: impl Fn(usize) -> usize,
    ) {
        M::add_network_choices(&mut self.sum.0, applied, weights, chosen);
    }
}
