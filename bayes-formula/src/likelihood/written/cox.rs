//! Proportional hazards (Cox 1972) with a baseline hazard by splines.
//!
//! ```text
//! ln p(t) = ln h(t) + eta - H(t) exp(eta),    ln P(T > t) = -H(t) exp(eta)
//! ```
//!
//! Nothing is known of times after the end of the baseline: who survives it is recorded there, with the probability of survival.

use super::{Row, one};
use crate::baseline::Baseline;
use bayes::autodiff::PlainValue;
use bayes::prelude::*;
use bayes::rng::Stream;

/// The hazard of the baseline at a time, and its integral.
fn baseline<M: Mode>(row: &Row<'_, M>, t: f64) -> [Real<M>; 2] {
    let shares = row.others.baseline.elements();
    let Some(baseline) = row.baseline else {
        return [Real::constant(f64::NAN); 2];
    };
    [baseline.hazards(t), baseline.integrals(t)].map(|values| {
        let mut sum = Real::constant(0.0);
        // functions that are 0 there have no slope
        for (share, value) in shares.iter().zip(values).filter(|(_, value)| *value != 0.0) {
            sum += *share * value;
        }
        sum
    })
}

pub(super) fn log_density<M: Mode>(row: &Row<'_, M>, t: f64) -> Real<M> {
    let Some([low, high]) = row.baseline.map(Baseline::ends) else {
        return Real::constant(f64::NAN);
    };
    if t <= low || t > high {
        return Real::constant(f64::NEG_INFINITY);
    }
    let [hazard, integral] = baseline(row, t);
    if t == high {
        // where draws record those who survive; times of the first table are below
        return -integral * row.first.exp();
    }
    hazard.ln() + row.first - integral * row.first.exp()
}

/// The log probability of an event between two times. All who survive the upper end of the baseline are above every time.
pub(super) fn log_mass<M: Mode>(row: &Row<'_, M>, [low, high]: [f64; 2]) -> Real<M> {
    let [_, until_low] = baseline(row, low);
    let log_survival = -until_low * row.first.exp();
    if high == f64::INFINITY {
        return log_survival;
    }
    let [_, until_high] = baseline(row, high);
    log_survival + ((until_low - until_high) * row.first.exp()).log1m_exp()
}

/// A draw between two times; one that survives the upper end of the baseline is recorded there, since nothing is known of later times.
pub(super) fn draw<M: Mode>(row: &Row<'_, M>, [low, high]: [f64; 2], stream: &mut Stream) -> f64 {
    let Some(baseline) = row.baseline else {
        return f64::NAN;
    };
    let elements = row.others.baseline.elements();
    let shares: Vec<f64> = elements.iter().map(|x| x.plain_value()).collect();
    let ratio = row.first.plain_value().exp();
    let integral = |t: f64| -> f64 {
        let values = baseline.integrals(t).into_iter().zip(&shares);
        values.map(|(value, share)| value * share).sum()
    };
    let until_low = ratio * integral(low);
    // the probability of an event before the upper end, of those that survive the lower one
    let within = match high == f64::INFINITY {
        true => 1.0,
        false => -(until_low - ratio * integral(high)).exp_m1(),
    };
    let share = within * one(&Uniform::new(0.0, 1.0), stream);
    let value = (until_low - (-share).ln_1p()) / ratio;
    match value < 1.0 {
        true => baseline.time(&shares, value),
        false => baseline.ends()[1],
    }
}
