//! The sum of a normal and an exponential variable, by its mean.

use super::{Row, density, one};
use bayes::autodiff::PlainValue;
use bayes::dist::ExponentiallyModifiedNormal;
use bayes::prelude::*;
use bayes::rng::Stream;

/// The mean of the normal variable is the mean `first` less that of the exponential variable, `beta`.
pub(super) fn log_density<M: Mode>(row: &Row<'_, M>, y: f64) -> Real<M> {
    let (mean, beta) = (row.first, row.form);
    density(
        ExponentiallyModifiedNormal::new(mean - beta, row.scale, beta.recip()),
        y,
    )
}

pub(super) fn draw<M: Mode>(row: &Row<'_, M>, stream: &mut Stream) -> f64 {
    let [mean, sigma, beta] = [row.first, row.scale, row.form].map(PlainValue::plain_value);
    one(
        &ExponentiallyModifiedNormal::new(mean - beta, sigma, beta.recip()),
        stream,
    )
}
