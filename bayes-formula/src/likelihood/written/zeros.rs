//! Families with zeros, or zeros and ones, of their own probability.

use super::{Row, density, one};
use crate::family::Family;
use bayes::autodiff::PlainValue;
use bayes::dist::{Beta, BetaBinomial, BinomialLogit, Gamma, LogNormal};
use bayes::prelude::*;
use bayes::rng::Stream;

/// The log density; for a hurdle and for shares the probability of an end that is a mass of its own, for counts of trials
/// `ln(zi + (1 - zi) p(0))` at 0.
pub(super) fn log_density<M: Mode>(row: &Row<'_, M>, y: f64) -> Real<M> {
    let (zeros, rest) = (row.zeros, (-row.zeros).ln_1p());
    match row.family {
        Family::ZeroInflatedBinomial | Family::ZeroInflatedBetaBinomial => {
            let counted = rest + inner(row, y);
            match y == 0.0 {
                true => zeros.ln().log_add_exp(counted),
                false => counted,
            }
        }
        Family::ZeroOneInflatedBeta if y == 0.0 => zeros.ln() + (-row.ones).ln_1p(),
        Family::ZeroOneInflatedBeta if y == 1.0 => zeros.ln() + row.ones.ln(),
        _ if y == 0.0 => zeros.ln(),
        _ => rest + inner(row, y),
    }
}

/// The log density of the part without inflated ends.
fn inner<M: Mode>(row: &Row<'_, M>, y: f64) -> Real<M> {
    let Row {
        first,
        second,
        scale,
        form,
        trials,
        ..
    } = *row;
    match row.family {
        Family::HurdleLogNormal => density(LogNormal::new(first, scale), y),
        Family::HurdleGamma => density(Gamma::new(form, first), y),
        Family::ZeroInflatedBinomial => density(BinomialLogit::new(trials, first), y),
        Family::ZeroInflatedBetaBinomial => density(BetaBinomial::new(trials, first, second), y),
        _ => density(Beta::new(first, second), y),
    }
}

pub(super) fn draw<M: Mode>(row: &Row<'_, M>, stream: &mut Stream) -> f64 {
    let [first, second, scale, form, zeros, ones] = [
        row.first, row.second, row.scale, row.form, row.zeros, row.ones,
    ]
    .map(PlainValue::plain_value);
    if one(&Bernoulli::new(zeros), stream) == 1.0 {
        return match row.family {
            Family::ZeroOneInflatedBeta => one(&Bernoulli::new(ones), stream),
            _ => 0.0,
        };
    }
    match row.family {
        Family::HurdleLogNormal => one(&LogNormal::new(first, scale), stream),
        Family::HurdleGamma => one(&Gamma::new(form, first), stream),
        Family::ZeroInflatedBinomial => one(&BinomialLogit::new(row.trials, first), stream),
        Family::ZeroInflatedBetaBinomial => {
            one(&BetaBinomial::new(row.trials, first, second), stream)
        }
        _ => one(&Beta::new(first, second), stream),
    }
}
