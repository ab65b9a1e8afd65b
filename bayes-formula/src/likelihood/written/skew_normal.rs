//! The skew normal by its mean and its standard deviation.

use super::{Row, density, one};
use crate::class::Class;
use bayes::autodiff::PlainValue;
use bayes::dist::SkewNormal;
use bayes::prelude::*;
use bayes::rng::Stream;
use std::f64::consts::FRAC_2_PI;

/// Location and scale of a skew normal with the mean `first`, the standard deviation `sigma` and the shape `alpha` (Azzalini 1985).
fn location_and_scale<M: Mode>(row: &Row<'_, M>) -> [Real<M>; 2] {
    let [alpha, sigma] = [Class::Alpha, Class::Sigma].map(|class| row.parameter(class));
    let delta = alpha / (1.0 + alpha.square()).sqrt();
    let scale = sigma / (1.0 - FRAC_2_PI * delta.square()).sqrt();
    [row.first - scale * delta * FRAC_2_PI.sqrt(), scale]
}

pub(super) fn log_density<M: Mode>(row: &Row<'_, M>, y: f64) -> Real<M> {
    let [location, scale] = location_and_scale(row);
    density(
        SkewNormal::new(location, scale, row.parameter(Class::Alpha)),
        y,
    )
}

pub(super) fn draw<M: Mode>(row: &Row<'_, M>, stream: &mut Stream) -> f64 {
    let [location, scale] = location_and_scale(row).map(PlainValue::plain_value);
    let alpha = row.parameter(Class::Alpha).plain_value();
    one(&SkewNormal::new(location, scale, alpha), stream)
}
