//! Families with zeros, or zeros and ones, of their own probability.

use super::{Row, density, one};
use crate::class::Class;
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

/// The class of the probability of zeros, or of an end.
fn class_of_zeros(family: Family) -> Class {
    match family {
        Family::HurdleGamma | Family::HurdleLogNormal => Class::Hurdle,
        Family::ZeroOneInflatedBeta => Class::Ends,
        _ => Class::ZeroInflation,
    }
}

/// The log density; for a hurdle and for shares the probability of an end that is a mass of its own, for counts of trials
/// `ln(zi + (1 - zi) p(0))` at 0.
pub(super) fn log_density<M: Mode>(row: &Row<'_, M>, part: Part, y: f64) -> Real<M> {
    let zeros = row.parameter(class_of_zeros(row.family));
    let rest = (-zeros).ln_1p();
    let is_one_inflated = row.family == Family::ZeroOneInflatedBeta;
    match part {
        Part::Binomial | Part::BetaBinomial => {
            let counted = rest + inner(row, part, y);
            match y == 0.0 {
                true => zeros.ln().log_add_exp(counted),
                false => counted,
            }
        }
        Part::Beta if is_one_inflated && y == 0.0 => {
            zeros.ln() + (-row.parameter(Class::Ones)).ln_1p()
        }
        Part::Beta if is_one_inflated && y == 1.0 => zeros.ln() + row.parameter(Class::Ones).ln(),
        Part::Beta | Part::Gamma | Part::LogNormal if y == 0.0 => zeros.ln(),
        Part::Beta | Part::Gamma | Part::LogNormal => rest + inner(row, part, y),
    }
}

/// The log density of the part without inflated ends.
fn inner<M: Mode>(row: &Row<'_, M>, part: Part, y: f64) -> Real<M> {
    let Row {
        first,
        second,
        trials,
        ..
    } = *row;
    let [sigma, shape] = [Class::Sigma, Class::Shape].map(|class| row.parameter(class));
    match part {
        Part::LogNormal => density(LogNormal::new(first, sigma), y),
        Part::Gamma => density(Gamma::new(shape, first), y),
        Part::Binomial => density(BinomialLogit::new(trials, first), y),
        Part::BetaBinomial => density(BetaBinomial::new(trials, first, second), y),
        Part::Beta => density(Beta::new(first, second), y),
    }
}

pub(super) fn draw<M: Mode>(row: &Row<'_, M>, part: Part, stream: &mut Stream) -> f64 {
    let [first, second] = [row.first, row.second].map(PlainValue::plain_value);
    let parameter = |class| row.parameter(class).plain_value();
    let (sigma, shape) = (parameter(Class::Sigma), parameter(Class::Shape));
    let zeros = parameter(class_of_zeros(row.family));
    if one(&Bernoulli::new(zeros), stream) == 1.0 {
        return match row.family == Family::ZeroOneInflatedBeta {
            true => one(&Bernoulli::new(parameter(Class::Ones)), stream),
            false => 0.0,
        };
    }
    match part {
        Part::LogNormal => one(&LogNormal::new(first, sigma), stream),
        Part::Gamma => one(&Gamma::new(shape, first), stream),
        Part::Binomial => one(&BinomialLogit::new(row.trials, first), stream),
        Part::BetaBinomial => one(&BetaBinomial::new(row.trials, first, second), stream),
        Part::Beta => one(&Beta::new(first, second), stream),
    }
}
