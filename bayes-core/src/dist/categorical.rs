//! Categorical distributions: one of `K` categories, numbered from 0.

use super::choice::{Choice, Scale};
use super::simplex::check_simplex;
use super::{ParameterError, Terms};
use bayes_autodiff::{Mode, Real, log_sum_exp};

/// Categorical distribution, parametrised by probabilities.
///
/// ```text
/// ln p(k) = ln p_k,    k = 0..K-1
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Categorical;

impl Categorical {
    /// `p`: a vector of probabilities that sum to one, or a matrix with one row for each observation.
    #[allow(clippy::new_ret_no_self)]
    pub fn new<P>(p: P) -> Choice<Self, P> {
        Choice::of(p)
    }
}

/// Categorical distribution, parametrised by logits (logarithms of unnormalised probabilities).
///
/// ```text
/// ln p(k) = logit_k - ln Σ_j e^logit_j,    k = 0..K-1
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CategoricalLogit;

impl CategoricalLogit {
    /// `logits`: a vector of finite numbers, or a matrix with one row for each observation.
    #[allow(clippy::new_ret_no_self)]
    pub fn new<P>(logits: P) -> Choice<Self, P> {
        Choice::of(logits)
    }
}

impl Scale for Categorical {
    const NAME: &'static str = "Categorical";
    const PARAMETER: &'static str = "p";
    #[inline(always)]
    fn log_normaliser<M: Mode>(_: &[Real<M>]) -> Real<M> {
        Real::constant(0.0)
    }
    #[inline(always)]
    fn log_score<M: Mode>(score: Real<M>) -> Real<M> {
        score.ln()
    }
    fn check(scores: &[f64], start: usize) -> Result<(), ParameterError> {
        check_simplex(Self::NAME, Self::PARAMETER, scores, start)
    }
}

impl Scale for CategoricalLogit {
    const NAME: &'static str = "CategoricalLogit";
    const PARAMETER: &'static str = "logits";
    const LOGITS: bool = true;
    #[inline(always)]
    fn log_normaliser<M: Mode>(scores: &[Real<M>]) -> Real<M> {
        -log_sum_exp(scores)
    }
    #[inline(always)]
    fn log_score<M: Mode>(score: Real<M>) -> Real<M> {
        score
    }
    #[inline(always)]
    fn add_choice<M: Mode, T: Terms<M>>(scores: &[Real<M>], chosen: usize, total: &mut T) {
        total.add_choice(scores, chosen);
    }
    fn check(scores: &[f64], start: usize) -> Result<(), ParameterError> {
        scores
            .iter()
            .position(|x| !x.is_finite())
            .map_or(Ok(()), |k| {
                Err(ParameterError::Value {
                    distribution: Self::NAME,
                    parameter: Self::PARAMETER,
                    index: Some(start + k),
                    value: scores[k],
                    allowed: "a finite number",
                })
            })
    }
}
