//! The categorical distribution: one of `K` categories, numbered from 0.

use super::ParameterError;
use super::choice::{Choice, Scale};
use super::simplex::check_simplex;
use bayes_autodiff::{Mode, Real};

/// Categorical distribution, parametrised by probabilities.
///
/// ```text
/// ln p(k) = ln p_k,    k = 0..K-1
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Categorical;

impl Categorical {
    /// `p`: a vector of probabilities that sum to one, or a matrix with one row for each observation.
    pub fn new<P>(p: P) -> Choice<Self, P> {
        Choice::of(p)
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
