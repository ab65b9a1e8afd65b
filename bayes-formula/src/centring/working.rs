//! Responses as numbers with normal errors on the scale of the linear predictor.

use crate::design::Margin;
use crate::family::{Family, Response};
use crate::link::Link;
use nalgebra::{DMatrix, DVector};

/// Responses on the scale of the linear predictor, without what the columns of the terms explain, and how much each of them says.
pub(crate) struct Working {
    /// `[rows]`.
    pub(crate) rest: Vec<f64>,
    /// The inverse variances of the errors, `[rows]`, up to a common factor unless `is_scaled`.
    pub(crate) weights: Vec<f64>,
    /// Whether the weights are inverse variances themselves.
    pub(crate) is_scaled: bool,
}

impl Working {
    /// The working responses of a table; `None` for families whose responses say nothing by themselves.
    pub(crate) fn of(margin: &Margin) -> Option<Self> {
        let response = margin.family.response();
        let mut working = match response {
            _ if margin.family == Family::Cox => return None,
            Response::Binary | Response::Trials => of_probabilities(margin)?,
            Response::Counts => of_counts(margin)?,
            Response::Real | Response::Positive | Response::Share => of_numbers(margin)?,
            _ => return None,
        };
        for (rest, offset) in working.rest.iter_mut().zip(&margin.lines[0].offset) {
            *rest -= offset;
        }
        for (weight, own) in working.weights.iter_mut().zip(&margin.adjustments.weights) {
            *weight *= own;
        }
        let all = working.rest.iter().chain(&working.weights);
        if !all.copied().all(f64::is_finite) {
            return None;
        }
        working.explain(&margin.lines[0].x);
        Some(working)
    }

    /// Subtracts the mean and the weighted least squares of the columns, unless they are nearly dependent.
    fn explain(&mut self, x: &DMatrix<f64>) {
        let total: f64 = self.weights.iter().sum();
        let weighted = |values: &[f64]| -> f64 {
            let products = values.iter().zip(&self.weights);
            products.map(|(value, weight)| value * weight).sum::<f64>() / total
        };
        let mean = weighted(&self.rest);
        let mut centred = x.clone();
        for mut column in centred.column_iter_mut() {
            let mean = weighted(column.as_slice());
            column.add_scalar_mut(-mean);
        }
        self.rest.iter_mut().for_each(|rest| *rest -= mean);
        if x.ncols() == 0 {
            return;
        }
        let mut scaled = centred.clone();
        for mut column in scaled.column_iter_mut() {
            column
                .iter_mut()
                .zip(&self.weights)
                .for_each(|(x, weight)| *x *= weight);
        }
        let right = scaled.tr_mul(&DVector::from_column_slice(&self.rest));
        if let Some(factor) = scaled.tr_mul(&centred).cholesky() {
            let explained = centred * factor.solve(&right);
            self.rest
                .iter_mut()
                .zip(explained.iter())
                .for_each(|(rest, one)| *rest -= one);
        }
    }
}

/// Successes among trials: a step of Newton's method from the share of all.
fn of_probabilities(margin: &Margin) -> Option<Working> {
    let trials = |row: usize| margin.trials.get(row).map_or(1.0, |trials| *trials as f64);
    let counts: Vec<f64> = margin.counts.iter().map(|count| count.0).collect();
    let all: f64 = (0..counts.len()).map(trials).sum();
    let share = counts.iter().sum::<f64>() / all;
    let step = 1e-4 * share * (1.0 - share);
    let slope = (margin.link.of(share + step) - margin.link.of(share - step)) / (2.0 * step);
    let (centre, weight) = (
        margin.link.of(share),
        1.0 / (share * (1.0 - share) * slope * slope),
    );
    let rest = counts
        .iter()
        .enumerate()
        .map(|(row, count)| match trials(row) {
            0.0 => centre,
            trials => centre + (count / trials - share) * slope,
        });
    Some(Working {
        rest: rest.collect(),
        weights: (0..counts.len()).map(|row| weight * trials(row)).collect(),
        is_scaled: true,
    })
}

/// Counts: their logarithms have the variance of one over the mean.
fn of_counts(margin: &Margin) -> Option<Working> {
    if margin.link != Link::Log {
        return None;
    }
    let counts: Vec<f64> = margin.counts.iter().map(|count| count.0 + 0.5).collect();
    Some(Working {
        rest: counts.iter().map(|count| count.ln()).collect(),
        weights: counts,
        is_scaled: false,
    })
}

/// Numbers, whose errors have one variance on the scale of the linear predictor, or a known one.
fn of_numbers(margin: &Margin) -> Option<Working> {
    let is_log = margin.family.is_of_logarithm();
    let one = |y: &f64| margin.link.of(if is_log { y.ln() } else { *y });
    let is_scaled = !margin.errors.is_empty() && !margin.adds_sigma;
    let weights = match is_scaled {
        true => margin
            .errors
            .iter()
            .map(|error| 1.0 / (error * error))
            .collect(),
        false => vec![1.0; margin.y.len()],
    };
    Some(Working {
        rest: margin.y.iter().map(one).collect(),
        weights,
        is_scaled,
    })
}
