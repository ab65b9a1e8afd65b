//! Grades with an order: cumulative, sequential, continuation ratio and adjacent category models (Bürkner & Vuorre 2019, appendix A).

use super::{Row, categorical, density};
use crate::class::Class;
use crate::family::Family;
use crate::likelihood::Others;
use crate::link::Link;
use crate::moments::At;
use bayes::autodiff::{Buffer, PlainValue, Value};
use bayes::dist::{OrderedLogistic, OrderedProbit};
use bayes::prelude::*;

/// The log probability of the grade `y`, from 1. The distance of the cutpoint `c_k` is `disc (c_k - eta)`.
pub(super) fn log_probability<M: Mode>(row: &Row<'_, M>, y: f64) -> Real<M> {
    let disc = row.parameter(Class::Discrimination);
    let distance = |cut: &Real<M>| disc * (*cut - row.first);
    let below = y as usize - 1;
    match row.family {
        Family::SequentialRatio => {
            stops(row.cuts(), below, |cut| row.link.log_shares(distance(cut)))
        }
        Family::ContinuationRatio => stops(row.cuts(), below, |cut| {
            let [passes, stops] = row.link.log_shares(-distance(cut));
            [stops, passes]
        }),
        Family::AdjacentCategory => adjacent(row, distance, y),
        _ => {
            let low = below.checked_sub(1).map(|k| distance(&row.cuts()[k]));
            cumulative(row.link, low, row.cuts().get(below).map(distance))
        }
    }
}

/// Grades are visited from the lowest one; at each cutpoint the response stops or passes, with these log probabilities.
fn stops<M: Mode>(
    cuts: &[Real<M>],
    grade: usize,
    log_shares: impl Fn(&Real<M>) -> [Real<M>; 2],
) -> Real<M> {
    let mut sum = Real::constant(0.0);
    for passed in &cuts[..grade] {
        sum += log_shares(passed)[1];
    }
    match cuts.get(grade) {
        Some(own) => sum + log_shares(own)[0],
        None => sum,
    }
}

/// Each grade has these log odds against the one below.
fn adjacent<M: Mode>(row: &Row<'_, M>, distance: impl Fn(&Real<M>) -> Real<M>, y: f64) -> Real<M> {
    let mut score = Real::constant(0.0);
    let mut scores = Buffer::with_capacity(row.cuts().len() + 1);
    scores.push(score);
    for cut in row.cuts() {
        score += row.link.log_odds_of_grade(-distance(cut));
        scores.push(score);
    }
    categorical::log_probability(&scores, y)
}

/// The probability between two neighbouring cutpoints, by their distances; the lowest grade has none below, and the highest none above.
fn cumulative<M: Mode>(link: Link, low: Option<Real<M>>, high: Option<Real<M>>) -> Real<M> {
    let (low, high) = match (low, high) {
        (None, None) => return Real::constant(0.0),
        (None, Some(high)) => return link.log_shares(high)[0],
        (Some(low), None) => return link.log_shares(low)[1],
        (Some(low), Some(high)) => (low, high),
    };
    let between = || Vector::from_fn(2, |k| if k == 0 { low } else { high });
    match link {
        Link::CLogLog => {
            // exp(low) - exp(high); each by itself may be infinite, and the probability of more than x is exp(-exp(x))
            let log_ratio = high.exp() * (low - high).exp_m1();
            log_ratio.log1m_exp() - low.exp()
        }
        Link::Probit => density(OrderedProbit::new(Real::constant(0.0), &between()), 1.0),
        _ => density(OrderedLogistic::new(Real::constant(0.0), &between()), 1.0),
    }
}

/// The expected response at a draw for each grade, label or column, from the first one: its probability, times the number of trials.
pub(crate) fn probabilities(family: Family, at: &At<'_>) -> Vec<f64> {
    let constants = |values: &[f64]| -> Vec<Real<Value>> {
        values.iter().map(|x| Real::constant(*x)).collect()
    };
    let mut others = Others::of_row(family, at.auxiliaries.all().map(Real::constant));
    let below = constants(&[f64::NEG_INFINITY]);
    others.cuts = Vector::from([below, constants(at.cutpoints)].concat());
    let levels = at.levels.iter().map(|eta| Vector::constant(&[*eta]));
    let levels: Vec<Vector<Value>> = levels.collect();
    let row = Row {
        family: if family.has_columns() {
            Family::Categorical
        } else {
            family
        },
        link: at.link,
        i: 0,
        first: Real::constant(at.eta),
        second: Real::constant(f64::NAN),
        others: &others,
        trials: 1,
        levels: &levels,
        baseline: None,
    };
    let times = if family.has_columns() { at.trials } else { 1.0 };
    let one = |y: usize| times * row.log_density(y as f64).plain_value().exp();
    (1..=row.outcomes()).map(one).collect()
}
