//! The categorical distribution given its logits: one of `K` categories, numbered from 0.

use super::ParameterError;
use super::choice::{Choice, Scale};
use bayes_autodiff::{Mode, Real, log_sum_exp};

/// Categorical distribution, parametrised by logits (logarithms of unnormalised probabilities).
///
/// ```text
/// ln p(k) = logit_k - ln Σ_j e^logit_j,    k = 0..K-1
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CategoricalLogit;

impl CategoricalLogit {
    /// `logits`: a vector of finite numbers, or a matrix with one row for each observation.
    pub fn new<P>(logits: P) -> Choice<Self, P> {
        Choice::of(logits)
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
    fn add_choice<M: Mode>(scores: &[Real<M>], chosen: usize, total: &mut Real<M>) {
        *total += scores[chosen] - M::log_sum_exp(scores);
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
