//! How firmly the data of a group bind its effects.

use super::working::Working;
use crate::design::{Design, Group};
use crate::scale::rounded;
use std::collections::BTreeMap;

/// Passes over all coefficients. The shares need two digits, and change little after a few.
const PASSES: usize = 30;

/// A coefficient that varies by groups.
struct Column<'a> {
    group: usize,
    of: &'a [usize],
    x: &'a [f64],
    /// Of each level: the sum of weights times squares of `x`.
    information: Vec<f64>,
    means: Vec<f64>,
    /// The variance of the effects.
    variance: f64,
}

/// What the data say about a coefficient that varies by groups.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Estimate {
    pub(crate) share: f64,
    /// The standard deviation of the effects.
    pub(crate) scale: f64,
}

/// For each coefficient of the response that varies by groups the standard deviation of its effects, and as the share the mean over its levels of
///
/// ```text
/// sd² / (sd² + v)
/// ```
///
/// with `v` the variance of an estimate of the effect from the rows of the level alone, as far as other groups do not explain them. It is 0 of correlated
/// coefficients, and of families without working responses. The variances are those of a mean-field approximation of the working responses, by expectation
/// and maximisation.
pub(crate) fn estimates(design: &Design) -> Vec<Estimate> {
    let groups = &design.first().lines[0].groups;
    let count = groups.iter().map(|group| group.columns.len()).sum();
    let Some(working) = (count > 0).then(|| Working::of(design.first())).flatten() else {
        let nothing = Estimate {
            share: 0.0,
            scale: 1.0,
        };
        return vec![nothing; count];
    };
    let mut columns = columns(groups, &working.weights);
    let noise = fit(
        &mut columns,
        working.rest,
        &working.weights,
        working.is_scaled,
    );
    let is_alone = |column: &Column<'_>| {
        let group = &groups[column.group];
        group.columns.len() == 1 && group.id.is_none() || !group.correlated
    };
    let estimate = |column: &Column<'_>| Estimate {
        share: match is_alone(column) {
            true => share(column, &columns, noise, &working.weights),
            false => 0.0,
        },
        scale: rounded(column.variance.sqrt()),
    };
    columns.iter().map(estimate).collect()
}

fn columns<'a>(groups: &'a [Group], weights: &[f64]) -> Vec<Column<'a>> {
    let mut all = Vec::new();
    for (k, group) in groups.iter().enumerate() {
        for (_, x) in &group.columns {
            let mut information = vec![0.0; group.levels.len()];
            for ((level, x), weight) in group.of.iter().zip(x).zip(weights) {
                information[*level] += weight * x * x;
            }
            all.push(Column {
                group: k,
                of: &group.of,
                x,
                means: vec![0.0; information.len()],
                information,
                variance: 0.0,
            });
        }
    }
    all
}

/// The variances of all coefficients; returns that of an error with the weight 1.
fn fit(columns: &mut [Column<'_>], mut rest: Vec<f64>, weights: &[f64], is_scaled: bool) -> f64 {
    let rows = rest.len() as f64;
    let squares = |rest: &[f64]| -> f64 {
        let all = rest.iter().zip(weights);
        all.map(|(rest, weight)| weight * rest * rest).sum()
    };
    let parts = columns.len() as f64 + 1.0;
    let start = squares(&rest) / parts;
    let mut noise = if is_scaled { 1.0 } else { start / rows };
    for column in columns.iter_mut() {
        column.variance = start / column.information.iter().sum::<f64>();
    }
    for _ in 0..PASSES {
        let mut uncertain = 0.0;
        for column in columns.iter_mut() {
            uncertain += column.update(&mut rest, weights, noise);
        }
        if !is_scaled {
            noise = (squares(&rest) + uncertain) / rows;
        }
    }
    noise
}

impl Column<'_> {
    /// Moves the effects to their means given the rest, and the variance to theirs; returns what their variances add to the sum of squares.
    fn update(&mut self, rest: &mut [f64], weights: &[f64], noise: f64) -> f64 {
        let mut sums: Vec<f64> = self
            .means
            .iter()
            .zip(&self.information)
            .map(|(mean, information)| mean * information)
            .collect();
        for (row, level) in self.of.iter().enumerate() {
            sums[*level] += weights[row] * self.x[row] * rest[row];
        }
        let (mut squares, mut uncertain) = (0.0, 0.0);
        let mut changes = vec![0.0; sums.len()];
        for (level, sum) in sums.iter().enumerate() {
            let variance = 1.0 / (self.information[level] / noise + 1.0 / self.variance);
            let mean = variance * sum / noise;
            changes[level] = mean - self.means[level];
            self.means[level] = mean;
            squares += mean * mean + variance;
            uncertain += variance * self.information[level];
        }
        for (row, level) in self.of.iter().enumerate() {
            rest[row] -= self.x[row] * changes[*level];
        }
        self.variance = (squares / sums.len() as f64).max(f64::MIN_POSITIVE);
        uncertain
    }
}

/// The share of one coefficient, in hundredths.
fn share(column: &Column<'_>, all: &[Column<'_>], noise: f64, weights: &[f64]) -> f64 {
    let mut variances: Vec<f64> = column
        .information
        .iter()
        .map(|information| noise / information)
        .collect();
    for other in all.iter().filter(|other| other.group != column.group) {
        let own = overlaps(column, other, weights);
        variances
            .iter_mut()
            .zip(own)
            .for_each(|(sum, own)| *sum += other.variance * own);
    }
    let shares = variances
        .iter()
        .map(|variance| column.variance / (column.variance + variance));
    let mean = shares.sum::<f64>() / variances.len() as f64;
    if mean.is_finite() {
        (100.0 * mean).round() / 100.0
    } else {
        0.0
    }
}

/// For each level of a coefficient the sum of squares of the parts that the levels of another one have in its estimate, less their parts in all rows, which
/// all levels have in common.
fn overlaps(column: &Column<'_>, other: &Column<'_>, weights: &[f64]) -> Vec<f64> {
    let mut parts: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    let mut common = vec![0.0; other.information.len()];
    let total: f64 = column.information.iter().sum();
    for (row, (level, other_level)) in column.of.iter().zip(other.of).enumerate() {
        let product = weights[row] * column.x[row] * other.x[row];
        *parts.entry((*level, *other_level)).or_default() += product / column.information[*level];
        common[*other_level] += product / total;
    }
    let elsewhere: f64 = common.iter().map(|part| part * part).sum();
    let mut sums = vec![elsewhere; column.information.len()];
    for ((level, other_level), part) in parts {
        let common = common[other_level];
        sums[level] += (part - common).powi(2) - common * common;
    }
    sums
}
