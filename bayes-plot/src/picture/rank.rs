//! Rank plots: whether islands or chains agree.

use super::{PANELS, Plots};
use crate::axis::Axis;
use crate::columns::{Column, is_chains};
use crate::figure::{Figure, Symbol};
use crate::mark::{Colour, Shape, Style};
use crate::panel::Panel;
use bayes_core::Error;
use bayes_core::diagnose::ess;
use bayes_core::run::PictureError;

const BINS: usize = 20;
/// 97.5% point of the standard normal distribution.
const Z: f64 = 1.96;

impl Plots<'_> {
    /// Histograms of the ranks of each island's or chain's draws among all draws (Vehtari et al. 2021, section 4.3), relative to the
    /// heights that equal distributions of all groups would give. Draws keep their weights within an island. Islands have equal
    /// weight, whatever their evidence.
    ///
    /// # Errors
    /// [`PictureError::TooFew`] for a single group; the errors of [`Plots::trace`] for unknown names.
    pub fn rank(&self) -> Result<Figure, Error> {
        let groups = self.run.groups.len();
        if groups < 2 {
            return Err(PictureError::TooFew {
                picture: "rank",
                what: "islands or chains",
                needed: 2,
                found: groups,
            }
            .into());
        }
        let columns = self.columns(PANELS)?;
        let panels = columns
            .columns
            .iter()
            .map(|column| self.rank_panel(column))
            .collect();
        let kind = self.run.kind.name();
        let figure = self
            .figure("Ranks", &columns)
            .note(format!(
                "Lines near 1 everywhere: the {kind}s agree. A slope: one has larger values; a valley or hill: a wider or narrower \
                 distribution."
            ))
            .of_alike(panels);
        Ok(self.with_groups(figure).key(
            Symbol::Area,
            band(),
            format!("where 95% lie if the {kind}s agree"),
        ))
    }

    fn rank_panel(&self, column: &Column) -> Panel {
        let weights: Vec<Vec<f64>> = self
            .run
            .groups
            .iter()
            .zip(&column.groups)
            .map(|(group, values)| group.weights(values.len()).as_slice().to_vec())
            .collect();
        let heights = relative_heights(&column.groups, &weights);
        let reach = Z * ((BINS as f64 - 1.0) / self.independent_draws(column)).sqrt();
        let all = || heights.iter().flatten().copied();
        let highest = all().fold(1.0 + 1.4 * reach, f64::max);
        let lowest = all().fold(1.0 - 1.4 * reach, f64::min).max(0.0);
        let mut panel = Panel::new(
            &column.name,
            Axis::linear("rank among all draws, 0 to 1", [0.0, 1.0], 4).without_grid(),
            Axis::linear(
                "relative frequency",
                [lowest, highest + 0.05 * (highest - lowest)],
                3,
            ),
        )
        .with(
            band(),
            Shape::Bars(vec![[0.0, (1.0 - reach).max(0.0), 1.0, 1.0 + reach]]),
        );
        for (k, heights) in heights.iter().enumerate() {
            let steps = heights.iter().enumerate().flat_map(|(bin, height)| {
                [bin, bin + 1].map(|edge| [edge as f64 / BINS as f64, *height])
            });
            panel.draw(self.group_style(k).width(1.3), Shape::Line(steps.collect()));
        }
        panel
    }

    /// The number of independent draws to which a group amounts: by its autocorrelation for a chain, the particles for an island.
    fn independent_draws(&self, column: &Column) -> f64 {
        if !is_chains(self.run) {
            return self.run.particles_per_group() as f64;
        }
        let sizes = column.groups.iter().map(|chain| {
            // the size is unknown for chains of a few draws, and may exceed their number for antithetic chains
            let size = ess::bulk(std::slice::from_ref(chain));
            let draws = chain.len() as f64;
            if size.is_finite() {
                size.min(draws)
            } else {
                draws
            }
        });
        sizes.sum::<f64>() / column.groups.len() as f64
    }
}

fn band() -> Style {
    Style::of(Colour::Muted).opacity(0.22)
}

/// For each group, the share of its mass in each bin of the ranks of all, times the number of bins: 1 if the groups agree.
fn relative_heights(groups: &[Vec<f64>], weights: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut all: Vec<(f64, f64, usize)> = Vec::new();
    for (k, (values, weights)) in groups.iter().zip(weights).enumerate() {
        all.extend(
            values
                .iter()
                .zip(weights)
                .map(|(value, weight)| (*value, *weight, k)),
        );
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total = groups.len() as f64;
    let mut heights = vec![vec![0.0; BINS]; groups.len()];
    let mut below = 0.0;
    for tied in all.chunk_by(|a, b| a.0 == b.0) {
        let mass: f64 = tied.iter().map(|draw| draw.1).sum::<f64>() / total;
        let (from, to) = (below, below + mass);
        below = to;
        if mass <= 0.0 {
            continue;
        }
        // equal values share their ranks
        let [first, last] = [from, to].map(|u| ((u * BINS as f64) as usize).min(BINS - 1));
        let share = |bin: usize| {
            let edges = [bin as f64, bin as f64 + 1.0].map(|edge| edge / BINS as f64);
            (to.min(edges[1]) - from.max(edges[0])).max(0.0) / mass
        };
        for (_, weight, k) in tied {
            let bins = heights[*k].iter_mut().enumerate();
            for (bin, height) in bins.take(last + 1).skip(first) {
                *height += weight * share(bin) * BINS as f64;
            }
        }
    }
    heights
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equal(n: usize) -> Vec<f64> {
        vec![1.0 / n as f64; n]
    }

    #[test]
    fn groups_that_agree_have_height_one_and_a_shift_has_a_slope() {
        let low: Vec<f64> = (0..100).map(f64::from).collect();
        let heights = relative_heights(&[low.clone(), low.clone()], &[equal(100), equal(100)]);
        assert!(
            heights.iter().flatten().all(|h| (h - 1.0).abs() < 1e-9),
            "{heights:?}"
        );
        let high: Vec<f64> = low.iter().map(|x| x + 100.0).collect();
        let heights = relative_heights(&[low, high], &[equal(100), equal(100)]);
        assert!((heights[0][0] - 2.0).abs() < 1e-9 && heights[0][BINS - 1].abs() < 1e-9);
        assert!(heights[1][0].abs() < 1e-9 && (heights[1][BINS - 1] - 2.0).abs() < 1e-9);
    }

    // without weights the second group would look higher than the first
    #[test]
    fn weights_within_a_group_count_and_ties_share_their_ranks() {
        let heights = relative_heights(
            &[vec![0.0, 1.0], vec![0.0, 1.0, 1.0]],
            &[vec![0.5, 0.5], vec![0.5, 0.25, 0.25]],
        );
        assert!(
            heights.iter().flatten().all(|h| (h - 1.0).abs() < 1e-9),
            "{heights:?}"
        );
    }
}
