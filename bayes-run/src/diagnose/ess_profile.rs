//! Effective sample sizes across the distribution of an element, and as draws accumulate.

use super::ess;
use super::estimator::Estimator;
use super::rank::weighted_quantiles;
use crate::run::{DrawView, Run};

/// Effective sample sizes across the distribution of a function of the draws (Vehtari et al. 2021, section 4.4).
#[derive(Clone, Debug, PartialEq)]
pub struct EssProfile {
    /// Probabilities of the quantiles, equally far apart: `1/k, 2/k, .., (k − 1)/k`.
    pub probabilities: Vec<f64>,
    /// Effective sample size of each quantile: of the share of draws up to the quantile, `[k − 1]`. NaN where this share is 1.
    pub of_quantiles: Vec<f64>,
    /// Local effective sample size, of the share of draws between two neighbouring quantiles, `[k]`. The first interval begins at the
    /// smallest draw.
    pub of_intervals: Vec<f64>,
}

/// Effective sample sizes of the first draws of chains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EssAt {
    /// Draws of all chains together.
    pub draws: usize,
    /// Bulk effective sample size.
    pub bulk: f64,
    /// Tail effective sample size.
    pub tail: f64,
}

impl Run {
    /// Effective sample sizes of k − 1 quantiles of a function of a draw, and of the k intervals between them. They show where in a
    /// distribution draws carry little information: an interval in which chains get stuck, or a tail that few chains reach.
    ///
    /// Chains use Stan's effective sample size, [`ess::of_quantile`] and [`ess::of_interval`]. Islands use the effective sample size
    /// from their weights and ancestry, as in the summary.
    ///
    /// ```text
    /// let profile = run.ess_profile(|draw| draw.scalar("tau"), 20);
    /// ```
    #[must_use]
    pub fn ess_profile(&self, function: impl Fn(DrawView<'_>) -> f64, k: usize) -> EssProfile {
        let (estimator, column) = (Estimator::of(self), self.map_draws(function));
        let (values, weights) = (column.concat(), self.draw_weights());
        let probabilities: Vec<f64> = (1..k).map(|i| i as f64 / k as f64).collect();
        let cut = |p: &f64| weighted_quantiles(&values, &weights, [*p])[0];
        let mut ends = vec![f64::NEG_INFINITY];
        ends.extend(probabilities.iter().map(cut));
        ends.push(f64::INFINITY);
        let size = |range: [f64; 2]| estimator.effective_size(&ess::within(&column, range));
        EssProfile {
            of_quantiles: ends[1..k.max(1)]
                .iter()
                .map(|end| size([f64::NEG_INFINITY, *end]))
                .collect(),
            of_intervals: ends
                .windows(2)
                .map(|pair| size([pair[0], pair[1]]))
                .collect(),
            probabilities,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::example::{chains, islands};

    #[test]
    fn the_profile_of_chains_is_that_of_their_quantiles() {
        let run = chains(4, 500);
        let profile = run.ess_profile(|draw| draw.scalar("mu"), 10);
        let column = run.column(0);
        assert_eq!(
            (profile.of_quantiles.len(), profile.of_intervals.len()),
            (9, 10)
        );
        for (p, found) in profile.probabilities.iter().zip(&profile.of_quantiles) {
            assert!((found / ess::of_quantile(&column, *p) - 1.0).abs() < 1e-9);
        }
        let wanted = ess::of_interval(&column, [0.3, 0.4]);
        assert!((profile.of_intervals[3] / wanted - 1.0).abs() < 1e-9);
    }

    // Islands of 64 particles in pairs with one ancestor: a draw counts about a half, if pairs are equal.
    #[test]
    fn the_profile_of_islands_knows_their_ancestry() {
        let mut run = islands(&[-3.0; 8], 400);
        for island in &mut run.groups {
            for pair in island.draws.chunks_exact_mut(6) {
                pair[3] = pair[0];
            }
        }
        let profile = run.ess_profile(|draw| draw.scalar("mu"), 4);
        // 3200 draws; the error of an ESS from 8 islands with families is below a third
        for size in &profile.of_quantiles {
            assert!((1000.0..2400.0).contains(size), "{profile:?}");
        }
    }

    #[test]
    fn one_interval_of_all_draws_has_no_size() {
        let profile = chains(2, 50).ess_profile(|draw| draw.scalar("mu"), 1);
        assert!(profile.of_quantiles.is_empty() && profile.of_intervals[0].is_nan());
        let none = chains(2, 50).ess_profile(|draw| draw.scalar("mu"), 0);
        assert!(none.probabilities.is_empty());
    }
}
