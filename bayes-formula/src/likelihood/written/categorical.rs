//! Labels without an order.

use bayes::prelude::*;

/// The log probability of the label `y`, from 1, at the linear predictors of all labels: the logarithm of `exp(eta_y) / sum_k exp(eta_k)`.
pub(super) fn log_probability<M: Mode>(scores: &[Real<M>], y: f64) -> Real<M> {
    scores[y as usize - 1] - M::log_sum_exp(scores)
}
