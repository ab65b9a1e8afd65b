//! Labels without an order.

use bayes::prelude::*;

/// The log probability of the label `y`, from 1, at the linear predictors of all labels but the first one, whose own is 0: the logarithm of
/// `exp(eta_y) / (1 + sum_k exp(eta_k))`.
pub(super) fn log_probability<M: Mode>(levels: &[Real<M>], y: f64) -> Real<M> {
    let mut all: Vec<Real<M>> = vec![Real::constant(0.0)];
    all.extend(levels);
    all[y as usize - 1] - M::log_sum_exp(&all)
}
