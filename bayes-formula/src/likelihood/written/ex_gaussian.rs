//! The sum of a normal and an exponential variable, by its mean.

use super::{Row, density, one};
use crate::class::Class;
use bayes::autodiff::PlainValue;
use bayes::dist::ExponentiallyModifiedNormal;
use bayes::prelude::*;
use bayes::rng::Stream;

/// The mean of the normal variable is the mean `first` less that of the exponential variable, `beta`.
pub(super) fn log_density<M: Mode>(row: &Row<'_, M>, y: f64) -> Real<M> {
    let [sigma, beta] = [Class::Sigma, Class::Beta].map(|class| row.parameter(class));
    density(
        ExponentiallyModifiedNormal::new(row.first - beta, sigma, beta.recip()),
        y,
    )
}

pub(super) fn draw<M: Mode>(row: &Row<'_, M>, stream: &mut Stream) -> f64 {
    let [sigma, beta] = [Class::Sigma, Class::Beta].map(|class| row.parameter(class));
    let [mean, sigma, beta] = [row.first, sigma, beta].map(PlainValue::plain_value);
    one(
        &ExponentiallyModifiedNormal::new(mean - beta, sigma, beta.recip()),
        stream,
    )
}
