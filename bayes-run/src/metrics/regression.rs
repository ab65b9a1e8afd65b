//! Scores of predicted numbers: CRPS, coverage of intervals, root mean square error.

use super::blocks::{blocks, jackknife};
use super::classification::write_scores;
use super::probabilities::check_weights;
use super::score::{Score, mean, standard_error};
use super::share_inside::error_of_share;
use crate::diagnose::weighted_quantiles;
use crate::error::MetricsError;
use crate::order;
use crate::parallel;
use crate::run::Draws;
use std::fmt;

/// Predicted numbers and the data: for each observation its draws and its datum.
pub(super) struct Predicted<'a> {
    draws: &'a Draws,
    /// `[elements][draws]`.
    columns: Vec<Vec<f64>>,
    data: &'a [f64],
}

impl<'a> Predicted<'a> {
    fn new(draws: &'a Draws, data: &'a [f64]) -> Result<Self, MetricsError> {
        check_weights(&draws.weights)?;
        MetricsError::same_length("data", data.len(), draws.elements)?;
        if data.is_empty() {
            return Err(MetricsError::Empty {
                what: "observations",
            });
        }
        let wanted = draws.elements * draws.weights.len();
        MetricsError::same_length("predicted numbers", draws.values.len(), wanted)?;
        MetricsError::same_length(
            "draws in groups",
            draws.groups.iter().sum(),
            draws.weights.len(),
        )?;
        MetricsError::finite("datum", data)?;
        let column = |i: usize| draws.rows().map(|row| row[i]).collect();
        Ok(Self {
            draws,
            columns: (0..draws.elements).map(column).collect(),
            data,
        })
    }

    /// The weights of the draws with one block left out at a time. They sum to one.
    fn without(&self) -> Vec<Vec<f64>> {
        let weights = &self.draws.weights;
        let without = |block: std::ops::Range<usize>| {
            let left_out: f64 = weights[block.clone()].iter().sum();
            let rest = 1.0 - left_out;
            let weight = |(i, w): (usize, &f64)| if block.contains(&i) { 0.0 } else { w / rest };
            (left_out > 0.0 && rest > 1e-12)
                .then(|| weights.iter().enumerate().map(weight).collect())
        };
        blocks(&self.draws.groups)
            .into_iter()
            .filter_map(without)
            .collect()
    }

    /// The mean over observations of a term, for the weights of all draws and with each block left out:
    /// `[1 + blocks][observations]`. A term takes an observation's draws in increasing order, their weights and its datum.
    pub(super) fn terms(&self, term: impl Fn(&[f64], &[f64], f64) -> f64 + Sync) -> Vec<Vec<f64>> {
        let mut weightings = vec![self.draws.weights.clone()];
        weightings.extend(self.without());
        let of_observation = |(column, datum): (&Vec<f64>, &f64)| -> Vec<f64> {
            let order = order::ascending(column);
            let sorted: Vec<f64> = order.iter().map(|i| column[*i]).collect();
            let of = |weights: &Vec<f64>| {
                let weights: Vec<f64> = order.iter().map(|i| weights[*i]).collect();
                term(&sorted, &weights, *datum)
            };
            weightings.iter().map(of).collect()
        };
        let pairs = self.columns.iter().zip(self.data);
        let terms: Vec<Vec<f64>> = parallel::map(pairs, of_observation);
        let of = |weighting: usize| terms.iter().map(|t| t[weighting]).collect();
        (0..weightings.len()).map(of).collect()
    }

    /// The mean over observations of a term.
    fn score(&self, term: impl Fn(&[f64], &[f64], f64) -> f64 + Sync) -> Score {
        let terms = self.terms(term);
        let means: Vec<f64> = terms.iter().map(|terms| mean(terms)).collect();
        Score {
            value: means[0],
            se_data: standard_error(&terms[0]),
            se_draws: jackknife(&means[1..]),
        }
    }
}

/// Continuous ranked probability score (Matheson and Winkler 1976), the mean over observations, in the units of the data. For a single
/// draw it is the mean absolute error.
///
/// ```text
/// CRPS = Σ w |x − y| − ½ ΣΣ w w' |x − x'|        Gneiting and Raftery 2007, eq. 21
/// ```
///
/// # Errors
/// [`MetricsError`] if the lengths do not fit, the weights do not sum to one, or a datum is not finite.
pub fn crps(draws: &Draws, data: &[f64]) -> Result<Score, MetricsError> {
    Ok(Predicted::new(draws, data)?.score(crps_of))
}

/// The share of the data inside the central interval of probability `level`: from the 1/2 − level/2 to the 1/2 + level/2 quantile of their
/// draws, ends included. Near `level` if the predictions are calibrated.
///
/// New data may equal the datum with some probability, such as counts, and censored data at their limits. The interval then contains more
/// than `level` of them, and the share is above `level` without any fault: [`Run::loo_pit`](crate::run::Run::loo_pit) spreads ties.
///
/// Leaving out a block of draws rarely moves an end over a datum, so the jackknife of this share is 0 for many draws. The error over draws
/// comes from the ranks of the data among the draws instead: their errors say which data near an end could be on the other side.
///
/// # Errors
/// The errors of [`crps`]; [`MetricsError`] also unless `0 < level < 1`.
pub fn coverage(draws: &Draws, data: &[f64], level: f64) -> Result<Score, MetricsError> {
    if !(level > 0.0 && level < 1.0) {
        return Err(MetricsError::Option {
            option: "level",
            value: level.to_string(),
            allowed: "above 0 and below 1",
        });
    }
    let predicted = Predicted::new(draws, data)?;
    let ends = [0.5 - 0.5 * level, 0.5 + 0.5 * level];
    let inside = |column: &[f64], weights: &[f64], y: f64| {
        let [low, high] = weighted_quantiles(column, weights, ends);
        f64::from((low..=high).contains(&y))
    };
    Ok(Score {
        se_draws: error_of_share(&predicted, ends),
        ..predicted.score(inside)
    })
}

/// Root mean square error of the predictive means, in the units of the data.
///
/// # Errors
/// The errors of [`crps`].
pub fn rmse(draws: &Draws, data: &[f64]) -> Result<Score, MetricsError> {
    let square = |column: &[f64], weights: &[f64], y: f64| {
        (positive(column, weights).map(|(x, w)| w * x).sum::<f64>() - y).powi(2)
    };
    let terms = Predicted::new(draws, data)?.terms(square);
    let roots: Vec<f64> = terms.iter().map(|squares| mean(squares).sqrt()).collect();
    Ok(Score {
        value: roots[0],
        // the delta method
        se_data: standard_error(&terms[0]) / (2.0 * roots[0]),
        se_draws: jackknife(&roots[1..]),
    })
}

/// The draws with positive weight.
fn positive<'a>(column: &'a [f64], weights: &'a [f64]) -> impl Iterator<Item = (f64, f64)> {
    let pairs = column.iter().copied().zip(weights.iter().copied());
    pairs.filter(|(_, weight)| *weight > 0.0)
}

/// The CRPS of draws in increasing order.
fn crps_of(column: &[f64], weights: &[f64], y: f64) -> f64 {
    let total: f64 = positive(column, weights).map(|pair| pair.1).sum();
    let (mut below, mut distance, mut spread) = (0.0, 0.0, 0.0);
    for (x, weight) in positive(column, weights) {
        let weight = weight / total;
        distance += weight * (x - y).abs();
        // relative to the datum, so that large values do not cancel
        spread += weight * (x - y) * (2.0 * below + weight - 1.0);
        below += weight;
    }
    distance - spread
}

/// The usual scores of predicted numbers; printing it shows them as a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Regression {
    /// Root mean square error of the predictive means.
    pub rmse: Score,
    /// Continuous ranked probability score.
    pub crps: Score,
    /// Share of the data inside their central 50% intervals.
    pub coverage_50: Score,
    /// Share of the data inside their central 90% intervals.
    pub coverage_90: Score,
}

/// The usual scores of predicted numbers.
///
/// # Errors
/// The errors of [`crps`].
pub fn regression(draws: &Draws, data: &[f64]) -> Result<Regression, MetricsError> {
    Ok(Regression {
        rmse: rmse(draws, data)?,
        crps: crps(draws, data)?,
        coverage_50: coverage(draws, data, 0.5)?,
        coverage_90: coverage(draws, data, 0.9)?,
    })
}

impl fmt::Display for Regression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scores = [
            ("root mean square error", Some(self.rmse)),
            ("CRPS", Some(self.crps)),
            ("coverage of 50% intervals", Some(self.coverage_50)),
            ("coverage of 90% intervals", Some(self.coverage_90)),
        ];
        write_scores(f, &scores)
    }
}
