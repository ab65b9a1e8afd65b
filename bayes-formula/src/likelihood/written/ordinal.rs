//! Grades with an order: cumulative, sequential, continuation ratio and adjacent category models (Bürkner & Vuorre 2019, appendix A).

use super::{Row, categorical, density};
use crate::family::Family;
use crate::link::Link;
use crate::moments::At;
use bayes::autodiff::{PlainValue, Value};
use bayes::dist::{OrderedLogistic, OrderedProbit};
use bayes::prelude::*;

/// The log probability of the grade `y`, from 1. The distance of the cutpoint `c_k` is `disc (c_k - eta)`.
pub(super) fn log_probability<M: Mode>(row: &Row<'_, M>, y: f64) -> Real<M> {
    let distance = |cut: &Real<M>| row.precision * (*cut - row.first);
    let distances: Vec<Real<M>> = row.cuts.iter().map(distance).collect();
    let below = y as usize - 1;
    match row.family {
        Family::SequentialRatio => stops(&distances, below, |x| row.link.log_shares(x)),
        Family::ContinuationRatio => stops(&distances, below, |x| {
            let [passes, stops] = row.link.log_shares(-x);
            [stops, passes]
        }),
        Family::AdjacentCategory => adjacent(row.link, &distances, y),
        _ => cumulative(row.link, distances, below),
    }
}

/// Grades are visited from the lowest one; at each cutpoint the response stops or passes, with these log probabilities.
fn stops<M: Mode>(
    distances: &[Real<M>],
    grade: usize,
    log_shares: impl Fn(Real<M>) -> [Real<M>; 2],
) -> Real<M> {
    let mut sum = Real::constant(0.0);
    for passed in &distances[..grade] {
        sum += log_shares(*passed)[1];
    }
    match distances.get(grade) {
        Some(own) => sum + log_shares(*own)[0],
        None => sum,
    }
}

/// Each grade has these log odds against the one below.
fn adjacent<M: Mode>(link: Link, distances: &[Real<M>], y: f64) -> Real<M> {
    let mut score = Real::constant(0.0);
    let mut scores = Vec::with_capacity(distances.len());
    for distance in distances {
        let [up, down] = link.log_shares(-*distance);
        score += up - down;
        scores.push(score);
    }
    categorical::log_probability(&scores, y)
}

/// The probability between two neighbouring cutpoints.
fn cumulative<M: Mode>(link: Link, distances: Vec<Real<M>>, below: usize) -> Real<M> {
    let (low, high) = (below.checked_sub(1), distances.get(below).copied());
    match link {
        Link::CLogLog => {
            // the probability of more than x is exp(-exp(x))
            match (low.map(|low| distances[low]), high) {
                (None, Some(high)) => (-high.exp()).log1m_exp(),
                (Some(low), Some(high)) => {
                    // exp(low) - exp(high); each by itself may be infinite
                    let log_ratio = high.exp() * (low - high).exp_m1();
                    log_ratio.log1m_exp() - low.exp()
                }
                (Some(low), None) => -low.exp(),
                (None, None) => Real::constant(0.0),
            }
        }
        Link::Probit => density(
            OrderedProbit::new(Real::constant(0.0), &Vector::from(distances)),
            below as f64,
        ),
        _ => density(
            OrderedLogistic::new(Real::constant(0.0), &Vector::from(distances)),
            below as f64,
        ),
    }
}

/// The probability of each grade or label, from 1, at a draw.
pub(crate) fn probabilities(family: Family, at: &At<'_>) -> Vec<f64> {
    let constants = |values: &[f64]| -> Vec<Real<Value>> {
        values.iter().map(|x| Real::constant(*x)).collect()
    };
    let cuts = constants(at.cutpoints);
    let none = Real::constant(f64::NAN);
    let row = Row {
        family,
        link: at.link,
        first: Real::constant(at.eta),
        second: none,
        scale: none,
        form: none,
        precision: Real::constant(at.auxiliaries.phi),
        zeros: none,
        ones: none,
        trials: 1,
        cuts: &cuts,
        levels: constants(at.levels),
    };
    let one = |y: usize| row.log_density(y as f64).plain_value().exp();
    (1..=row.outcomes()).map(one).collect()
}
