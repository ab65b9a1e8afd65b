//! How firmly the data of a group bind its effects.

use super::working::Working;
use super::{KNOWN, LEAST, STEPS};
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
#[derive(Clone, Debug)]
pub(crate) struct Estimate {
    /// Of each level.
    pub(crate) shares: Vec<f64>,
    /// The standard deviation of the effects.
    pub(crate) scale: f64,
    /// The number of the same coefficient of the smallest groups that hold the groups of this one.
    pub(crate) within: Option<usize>,
}

impl Estimate {
    /// The mean share.
    pub(crate) fn mean(&self) -> f64 {
        self.shares.iter().sum::<f64>() / self.shares.len().max(1) as f64
    }

    /// Whether the standard deviation is far from 0 in all of the posterior.
    pub(crate) fn is_bound(&self) -> bool {
        let squares: f64 = self.shares.iter().map(|share| share * share).sum();
        self.mean() >= LEAST || squares >= KNOWN
    }
}

/// For each coefficient of the response that varies by groups the standard deviation of its effects, and as the share of each level
///
/// ```text
/// sd² / (sd² + v)
/// ```
///
/// with `v` the variance of an estimate of the effect from the rows of the level alone, as far as other groups do not explain them. The effects of the larger
/// groups on the chain of `within` are no error, because they are a part of the location. The share is 0 of correlated coefficients, and of families without
/// working responses. The variances come from a mean-field approximation of the working responses, by expectation and maximisation.
pub(crate) fn estimates(design: &Design) -> Vec<Estimate> {
    let groups = &design.first().lines[0].groups;
    let count: usize = groups.iter().map(|group| group.columns.len()).sum();
    let Some(working) = (count > 0).then(|| Working::of(design.first())).flatten() else {
        let levels = groups.iter().flat_map(|group| {
            let levels = group.levels.len();
            group.columns.iter().map(move |_| levels)
        });
        let nothing = |levels: usize| Estimate {
            shares: vec![0.0; levels],
            scale: 1.0,
            within: None,
        };
        return levels.map(nothing).collect();
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
    let within = |k: usize| {
        let holds = |j: &usize| is_alone(&columns[*j]) && columns[*j].holds(&columns[k]);
        (0..columns.len())
            .filter(holds)
            .max_by_key(|j| columns[*j].means.len())
    };
    let others = |k: usize| {
        let chain: Vec<usize> = std::iter::successors(within(k), |outer| within(*outer)).collect();
        let all = columns.iter().enumerate();
        let others = all.filter(|(j, other)| other.group != columns[k].group && !chain.contains(j));
        others.map(|(_, other)| other).collect::<Vec<_>>()
    };
    let estimate = |k: usize| {
        let column = &columns[k];
        match is_alone(column) {
            true => Estimate {
                shares: shares(column, &others(k), noise, &working.weights),
                scale: rounded(column.variance.sqrt()),
                within: within(k),
            },
            false => Estimate {
                shares: vec![0.0; column.means.len()],
                scale: rounded(column.variance.sqrt()),
                within: None,
            },
        }
    };
    (0..columns.len()).map(estimate).collect()
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
    /// Whether this is the same coefficient of larger groups: each group of the other one is in one of them.
    fn holds(&self, other: &Self) -> bool {
        if self.x != other.x || self.means.len() >= other.means.len() {
            return false;
        }
        let mut outer = vec![None; other.means.len()];
        let mut pairs = other.of.iter().zip(self.of);
        pairs.all(|(level, own)| *outer[*level].get_or_insert(*own) == *own)
    }

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

/// The share of each level of one coefficient, in multiples of one over [`STEPS`]; the effects of `others` are errors.
fn shares(column: &Column<'_>, others: &[&Column<'_>], noise: f64, weights: &[f64]) -> Vec<f64> {
    let mut variances: Vec<f64> = column
        .information
        .iter()
        .map(|information| noise / information)
        .collect();
    for other in others {
        let own = overlaps(column, other, weights);
        variances
            .iter_mut()
            .zip(own)
            .for_each(|(sum, own)| *sum += other.variance * own);
    }
    let share = |variance: &f64| {
        let share = column.variance / (column.variance + variance);
        match share.is_finite() {
            true => (STEPS * share).round() / STEPS,
            false => 0.0,
        }
    };
    variances.iter().map(share).collect()
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
