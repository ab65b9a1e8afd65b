//! Weighted means, errors, variances and quantiles of columns of draws.

use super::ess;
use super::estimate::Estimate;
use super::genealogy::Families;
use super::islands::{ratio_estimate, with_families};
use super::lineages::Lineages;
use super::rank::{map, weighted_quantiles};
use super::rhat::{mean, variance};
use crate::run::{Group, Run, Weights};

/// With fewer draws per chain, autocorrelations cannot be estimated well. If there are several chains, the standard error then
/// comes from the spread of the chains' means.
const SHORT: usize = 20;

/// The smallest number of draws from which the error of a single chain is estimated: 4 in each half.
const SINGLE: usize = 8;

/// Range of values whose squares and fourth powers neither vanish nor overflow.
const ORDINARY: std::ops::Range<f64> = 1e-60..1e60;

/// The weights and ancestry of a run, computed once for the statistics of all columns.
///
/// A column has one value per draw, group by group.
pub(crate) struct Estimator<'a> {
    run: &'a Run,
    weights: Weights,
    families: Vec<Option<Families>>,
    /// For each group the weights of its draws; `None` if the weights are equal.
    within: Vec<Option<Weights>>,
    /// The lineages of interacting islands; `None` if the groups are independent.
    lineages: Option<Lineages>,
}

impl<'a> Estimator<'a> {
    pub(crate) fn of(run: &'a Run) -> Self {
        let elements = run.layout.elements();
        let families = run
            .groups
            .iter()
            .map(|group| Families::of(group, group.len(elements)))
            .collect();
        let within = |group: &Group| {
            let draws = group.len(run.layout.elements());
            (!group.log_weights().is_empty()).then(|| group.weights(draws))
        };
        Self {
            run,
            weights: run.weights(),
            families,
            within: run.groups.iter().map(within).collect(),
            lineages: Lineages::of(run),
        }
    }

    /// Whether draws of one group have different weights.
    pub(crate) fn is_weighted(&self) -> bool {
        self.within.iter().any(Option::is_some)
    }

    /// The mean of the values of a group's draws.
    fn group_mean(&self, group: usize, values: &[f64]) -> f64 {
        match &self.within[group] {
            Some(weights) => weights.mean(values),
            None => mean(values),
        }
    }

    /// The means of a column, group by group.
    fn group_means(&self, column: &[Vec<f64>]) -> Vec<f64> {
        let groups = column.iter().enumerate();
        groups
            .map(|(g, values)| self.group_mean(g, values))
            .collect()
    }

    pub(crate) fn run(&self) -> &'a Run {
        self.run
    }

    /// The mean of a column with its Monte Carlo error. The mean of a constant column is exactly the constant.
    pub(crate) fn mean(&self, column: &[Vec<f64>]) -> Estimate {
        if let Some(value) = constant(column.iter().flatten().copied()) {
            let estimate = self.ordinary_mean(&map(column, |_| 0.0));
            return Estimate {
                mean: value,
                ..estimate
            };
        }
        let Some(unit) = unit(column) else {
            return self.ordinary_mean(column);
        };
        let estimate = self.ordinary_mean(&map(column, |value| value / unit));
        Estimate {
            mean: estimate.mean * unit,
            se: estimate.se * unit,
            ..estimate
        }
    }

    /// The mean of a column of values whose squares neither vanish nor overflow.
    fn ordinary_mean(&self, column: &[Vec<f64>]) -> Estimate {
        if self.run.is_chains() {
            return of_chains(column);
        }
        if let Some(lineages) = &self.lineages {
            return lineages.mean(column);
        }
        let within: Vec<Option<Estimate>> =
            self.families.iter().zip(column).map(of_island).collect();
        match (column, within.as_slice()) {
            ([island], [within]) => {
                within.unwrap_or_else(|| Estimate::unknown(self.group_mean(0, island)))
            }
            (islands, _) => {
                let means = self.group_means(islands);
                let between = ratio_estimate(&self.weights, &means);
                with_families(between, &self.weights, &within)
            }
        }
    }

    /// The standard deviation of a column with its Monte Carlo error.
    ///
    /// The error is the error of the mean square `E(φ − φ̂)²`, by the delta method over twice the sd.
    pub(crate) fn sd(&self, column: &[Vec<f64>]) -> Estimate {
        let Some(unit) = unit(column) else {
            return self.ordinary_sd(column);
        };
        let estimate = self.ordinary_sd(&map(column, |value| value / unit));
        Estimate {
            mean: estimate.mean * unit,
            se: estimate.se * unit,
            ..estimate
        }
    }

    /// The standard deviation of a column, without its error.
    pub(crate) fn spread(&self, column: &[Vec<f64>]) -> f64 {
        match unit(column) {
            None => self.variance(column).sqrt(),
            Some(unit) => self.variance(&map(column, |value| value / unit)).sqrt() * unit,
        }
    }

    fn ordinary_sd(&self, column: &[Vec<f64>]) -> Estimate {
        let sd = self.variance(column).sqrt();
        let square = self.mean(&self.squares(column));
        Estimate {
            mean: sd,
            se: square.se / (2.0 * sd),
            ..square
        }
    }

    /// The weighted variance of a column, times `1 / (1 − Σ w²)` over the weights of all draws. For equal weights this factor is
    /// n / (n − 1).
    pub(crate) fn variance(&self, column: &[Vec<f64>]) -> f64 {
        // weights that do not sum exactly to 1 would leave a remainder
        let values = column.iter().flatten().copied();
        if values.clone().count() > 1 && constant(values).is_some() {
            return 0.0;
        }
        let square = self.weighted_mean(&self.squares(column));
        let shares = self.weights.as_slice().iter().zip(column).zip(&self.within);
        let squares: f64 = shares
            .map(|((weight, group), within)| {
                let draws = within
                    .as_ref()
                    .map_or(group.len() as f64, Weights::effective);
                weight * weight / draws
            })
            .sum();
        if squares < 1.0 {
            square / (1.0 - squares)
        } else {
            f64::NAN
        }
    }

    /// The number of independent draws that would give the same standard error: `variance / se²`.
    ///
    /// For chains this is the usual ESS, from which their standard error is computed. For islands it includes the effect of
    /// resampling, moves and weights. At most S log₁₀ S, as in Stan.
    pub(crate) fn effective_size(&self, column: &[Vec<f64>]) -> f64 {
        let variance = self.variance(column);
        let se = self.mean(column).se;
        let draws = self.run.total_draws() as f64;
        let size = variance / (se * se);
        if variance > 0.0 && !size.is_nan() {
            size.min(draws * draws.log10())
        } else {
            f64::NAN
        }
    }

    /// Quantiles of a column.
    pub(crate) fn quantiles<const Q: usize>(
        &self,
        column: &[Vec<f64>],
        probabilities: [f64; Q],
    ) -> [f64; Q] {
        weighted_quantiles(&column.concat(), &self.run.draw_weights(), probabilities)
    }

    fn squares(&self, column: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let centre = self.weighted_mean(column);
        map(column, |value| (value - centre).powi(2))
    }

    fn weighted_mean(&self, column: &[Vec<f64>]) -> f64 {
        self.weights.mean(&self.group_means(column))
    }
}

/// The common value, if all values are equal.
pub(crate) fn constant(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values = values.into_iter();
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

/// The largest absolute value as a power of two, if squares of the values would vanish or overflow. The values are then divided
/// by it.
fn unit(column: &[Vec<f64>]) -> Option<f64> {
    let values = column.iter().flatten().map(|value| value.abs());
    let largest = values.fold(0.0, f64::max);
    let is_ordinary = ORDINARY.contains(&largest) || largest == 0.0 || largest == f64::INFINITY;
    (!is_ordinary).then(|| largest.log2().floor().clamp(-1022.0, 1022.0).exp2())
}

fn of_island((families, island): (&Option<Families>, &Vec<f64>)) -> Option<Estimate> {
    families.as_ref().map(|families| families.estimate(island))
}

fn of_chains(chains: &[Vec<f64>]) -> Estimate {
    let all = chains.concat();
    let shortest = chains.iter().map(Vec::len).min().unwrap_or(0);
    let (se, degrees) = if chains.len() > 1 && shortest < SHORT {
        let means: Vec<f64> = chains.iter().map(|chain| mean(chain)).collect();
        let count = means.len() as f64;
        ((variance(&means) / count).sqrt(), count - 1.0)
    } else if shortest < SINGLE {
        return Estimate::unknown(mean(&all));
    } else {
        let size = ess::of_mean(chains);
        ((variance(&all) / size).sqrt(), size - 1.0)
    };
    Estimate {
        mean: mean(&all),
        se,
        degrees_of_freedom: degrees.max(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::example::{islands, of_island};

    /// An island whose draws weigh 1, 2 or 3, and the same island with every draw repeated that many times.
    fn weighted_and_repeated() -> [Run; 2] {
        let mut weighted = islands(&[-1.0], 60);
        let mut repeated = weighted.clone();
        let group = &mut weighted.groups[0];
        let times = |draw: usize| 1 + draw % 3;
        of_island(group).ancestors = (0..60).collect();
        of_island(group).log_weights = (0..60)
            .map(|draw| (times(draw) as f64).ln() - 7.0)
            .collect();
        let long = &mut repeated.groups[0];
        let again: Vec<usize> = (0..60).flat_map(|draw| vec![draw; times(draw)]).collect();
        let rows = |values: &[f64], width: usize| -> Vec<f64> {
            again
                .iter()
                .flat_map(|draw| &values[draw * width..][..width])
                .copied()
                .collect()
        };
        (long.draws, long.positions) = (rows(&group.draws, 3), rows(&group.positions, 3));
        long.log_prior = rows(&group.log_prior, 1);
        long.log_likelihood = rows(&group.log_likelihood, 1);
        of_island(long).ancestors = again.iter().map(|draw| *draw as u32).collect();
        [weighted, repeated]
    }

    #[test]
    fn values_whose_squares_vanish_or_overflow_have_errors() {
        let run = islands(&[-1.0, -1.2], 60);
        let estimator = Estimator::of(&run);
        let column = run.column(1);
        let (mean, sd) = (estimator.mean(&column), estimator.sd(&column));
        for size in [1e-300, 1e300] {
            let column = map(&column, |value| value * size);
            let close = |found: f64, wanted: f64| (found / wanted / size - 1.0).abs() < 1e-10;
            assert!(close(estimator.mean(&column).mean, mean.mean));
            assert!(close(estimator.mean(&column).se, mean.se));
            assert!(close(estimator.sd(&column).mean, sd.mean));
            assert!(close(estimator.sd(&column).se, sd.se));
            assert!(close(estimator.spread(&column), sd.mean));
        }
    }

    #[test]
    fn weights_within_a_group_count_as_repeated_draws() {
        let [weighted, repeated] = weighted_and_repeated();
        let (a, b) = (Estimator::of(&weighted), Estimator::of(&repeated));
        for element in 0..3 {
            let (x, y) = (weighted.column(element), repeated.column(element));
            let (found, wanted) = (a.mean(&x), b.mean(&y));
            assert!((found.mean - wanted.mean).abs() < 1e-12);
            assert!((found.se / wanted.se - 1.0).abs() < 1e-12);
            // a quantile lies between two draws: the weight below it differs by at most the weight of one draw
            let [median] = a.quantiles(&x, [0.5]);
            let weights = weighted.draw_weights();
            let below = x[0]
                .iter()
                .zip(&weights)
                .filter(|(value, _)| **value <= median);
            let below: f64 = below.map(|(_, weight)| weight).sum();
            assert!((below - 0.5).abs() <= 3.0 / 120.0, "{below}");
            // the variance has another divisor, because the number of draws differs
            let square =
                |e: &Estimator<'_>, column: &[Vec<f64>]| e.weighted_mean(&e.squares(column));
            assert!((square(&a, &x) / square(&b, &y) - 1.0).abs() < 1e-12);
        }
        let csv = |run: &Run| {
            let mut bytes = Vec::new();
            run.to_csv(&mut bytes).expect("memory takes all");
            String::from_utf8(bytes).expect("it is text")
        };
        let weight = |line: &str| line.split(',').nth(2).and_then(|w| w.parse::<f64>().ok());
        let weights: Vec<f64> = csv(&weighted).lines().skip(1).filter_map(weight).collect();
        let total: f64 = weights.iter().map(|w| w.exp()).sum();
        assert!((total - 1.0).abs() < 1e-12 && (weights[2] - weights[0] - 3f64.ln()).abs() < 1e-12);
        assert!(weighted.summary().rows[0].r_hat.is_nan());
    }

    #[test]
    fn a_constant_is_exact_whatever_the_weights() {
        let mut run = islands(&[-1.0, -1.3, -2.7], 60);
        for (group, step) in run.groups.iter_mut().zip([0.3, 0.7, 0.9]) {
            let weights = (0..60).map(|draw| -step * f64::from(draw % 7));
            of_island(group).log_weights = weights.collect();
        }
        let mut equal = islands(&[-1.0, -1.3, -2.7], 60);
        of_island(&mut equal.groups[2]).log_evidence = Some(-1.1);
        for mut run in [run, equal] {
            for group in &mut run.groups {
                group.draws.chunks_exact_mut(3).for_each(|row| row[1] = 0.1);
            }
            let row = run.summary().rows[1].clone();
            assert_eq!((row.mean, row.sd, row.q5, row.q95), (0.1, 0.0, 0.1, 0.1));
            assert!(row.mcse == 0.0 && row.ess_bulk.is_nan() && row.ess_tail.is_nan());
            assert!(row.r_hat.is_nan());
            assert_eq!(run.draws("beta").expect("beta").mean()[0], 0.1);
            let text = run.to_string();
            assert!(text.contains("beta[0] never varies"), "{text}");
        }
    }

    #[test]
    fn a_draw_without_weight_does_not_count_whatever_its_value() {
        let [mut run, _] = weighted_and_repeated();
        let group = &mut run.groups[0];
        group.draws[21] = f64::NAN;
        of_island(group).log_weights[7] = f64::NEG_INFINITY;
        let found = Estimator::of(&run).mean(&run.column(0));
        assert!(found.mean.is_finite() && found.se.is_finite(), "{found:?}");
    }
}
