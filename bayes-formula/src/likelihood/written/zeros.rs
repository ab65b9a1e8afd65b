//! Families with zeros, or zeros and ones, of their own probability.

use super::{Row, density, one};
use crate::family::Family;
use bayes::autodiff::PlainValue;
use bayes::dist::{Beta, BetaBinomial, BinomialLogit, Gamma, LogNormal};
use bayes::prelude::*;
use bayes::rng::Stream;

/// The distribution beside the zeros.
#[derive(Clone, Copy)]
pub(super) enum Part {
    Gamma,
    LogNormal,
    Binomial,
    BetaBinomial,
    Beta,
}

/// The log density; for a hurdle and for shares the probability of an end that is a mass of its own, for counts of trials
/// `ln(zi + (1 - zi) p(0))` at 0.
pub(super) fn log_density<M: Mode>(row: &Row<'_, M>, part: Part, y: f64) -> Real<M> {
    let (zeros, rest) = (row.zeros, (-row.zeros).ln_1p());
    let is_one_inflated = row.family == Family::ZeroOneInflatedBeta;
    match part {
        Part::Binomial | Part::BetaBinomial => {
            let counted = rest + inner(row, part, y);
            match y == 0.0 {
                true => zeros.ln().log_add_exp(counted),
                false => counted,
            }
        }
        Part::Beta if is_one_inflated && y == 0.0 => zeros.ln() + (-row.ones).ln_1p(),
        Part::Beta if is_one_inflated && y == 1.0 => zeros.ln() + row.ones.ln(),
        Part::Beta | Part::Gamma | Part::LogNormal if y == 0.0 => zeros.ln(),
        Part::Beta | Part::Gamma | Part::LogNormal => rest + inner(row, part, y),
    }
}

/// The log density of the part without inflated ends.
fn inner<M: Mode>(row: &Row<'_, M>, part: Part, y: f64) -> Real<M> {
    let Row {
        first,
        second,
        scale,
        form,
        trials,
        ..
    } = *row;
    match part {
        Part::LogNormal => density(LogNormal::new(first, scale), y),
        Part::Gamma => density(Gamma::new(form, first), y),
        Part::Binomial => density(BinomialLogit::new(trials, first), y),
        Part::BetaBinomial => density(BetaBinomial::new(trials, first, second), y),
        Part::Beta => density(Beta::new(first, second), y),
    }
}

pub(super) fn draw<M: Mode>(row: &Row<'_, M>, part: Part, stream: &mut Stream) -> f64 {
    let [first, second, scale, form, zeros, ones] = [
        row.first, row.second, row.scale, row.form, row.zeros, row.ones,
    ]
    .map(PlainValue::plain_value);
    if one(&Bernoulli::new(zeros), stream) == 1.0 {
        return match row.family == Family::ZeroOneInflatedBeta {
            true => one(&Bernoulli::new(ones), stream),
            false => 0.0,
        };
    }
    match part {
        Part::LogNormal => one(&LogNormal::new(first, scale), stream),
        Part::Gamma => one(&Gamma::new(form, first), stream),
        Part::Binomial => one(&BinomialLogit::new(row.trials, first), stream),
        Part::BetaBinomial => one(&BetaBinomial::new(row.trials, first, second), stream),
        Part::Beta => one(&Beta::new(first, second), stream),
    }
}
