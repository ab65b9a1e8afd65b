//! Autocorrelations of chains.

use super::{PANELS, Plots};
use crate::axis::Axis;
use crate::columns::{Column, is_chains};
use crate::figure::{Figure, Symbol};
use crate::mark::{Colour, Shape, Style};
use crate::panel::Panel;
use bayes_core::Error;
use bayes_core::run::PictureError;

/// The largest lag, unless the chains are shorter.
const LAGS: usize = 50;
/// Number of draws that a chain must have.
const FEWEST: usize = 10;

impl Plots<'_> {
    /// The correlation of each chain with itself, lag by lag: the faster it falls, the more information a draw carries.
    ///
    /// # Errors
    /// [`PictureError::Lacks`] for particles and independent draws; [`PictureError::TooFew`] for chains of fewer than 10 draws;
    /// the errors of [`Plots::trace`] for unknown names.
    pub fn autocorrelation(&self) -> Result<Figure, Error> {
        if !is_chains(self.run) {
            return Err(self.lacks(
                "autocorrelation",
                "the draws of chains in their order",
                "use `ladder()` for particles: it shows how they moved",
            ));
        }
        let draws = self.run.draws_per_group();
        if draws < FEWEST {
            return Err(PictureError::TooFew {
                picture: "autocorrelation",
                what: "draws in each chain",
                needed: FEWEST,
                found: draws,
            }
            .into());
        }
        let columns = self.columns(PANELS)?;
        let lags = LAGS.min(draws / 2);
        let panel = |column: &Column| self.autocorrelation_panel(column, lags);
        let panels = columns.columns.iter().map(panel).collect();
        let figure = self.figure("Autocorrelation", &columns).of_alike(panels);
        Ok(self
            .with_groups(figure)
            .key(Symbol::Area, band(), "95% of independent draws"))
    }

    fn autocorrelation_panel(&self, column: &Column, lags: usize) -> Panel {
        let draws = self.run.draws_per_group() as f64;
        let reach = 1.96 / draws.sqrt();
        let curves: Vec<Vec<f64>> = column
            .groups
            .iter()
            .map(|chain| autocorrelation(chain, lags))
            .collect();
        let lowest = curves
            .iter()
            .flatten()
            .copied()
            .fold(-0.1_f64.max(reach), f64::min);
        let mut panel = Panel::new(
            &column.name,
            Axis::linear("lag, in draws", [0.0, lags as f64], 5).without_grid(),
            Axis::linear("correlation", [lowest.min(-1.2 * reach) - 0.02, 1.0], 4),
        )
        .with(band(), Shape::Bars(vec![[0.0, -reach, lags as f64, reach]]));
        for (k, curve) in curves.into_iter().enumerate() {
            let points = curve
                .into_iter()
                .enumerate()
                .map(|(lag, r)| [lag as f64, r]);
            panel.draw(
                self.group_style(k).width(1.4),
                Shape::Line(points.collect()),
            );
        }
        panel
    }
}

fn band() -> Style {
    Style::of(Colour::Muted).opacity(0.22)
}

/// Correlations at lags 0 to `lags`, with the divisor n at each lag; NaN for a constant chain.
fn autocorrelation(chain: &[f64], lags: usize) -> Vec<f64> {
    let mean = chain.iter().sum::<f64>() / chain.len() as f64;
    let centred: Vec<f64> = chain.iter().map(|x| x - mean).collect();
    let product = |lag: usize| -> f64 {
        centred
            .iter()
            .zip(&centred[lag..])
            .map(|(a, b)| a * b)
            .sum()
    };
    let variance = product(0);
    (0..=lags).map(|lag| product(lag) / variance).collect()
}

#[cfg(test)]
mod tests {
    use super::autocorrelation;

    #[test]
    fn an_alternating_chain_has_alternating_correlations() {
        let chain: Vec<f64> = (0..100).map(|i| f64::from(i % 2)).collect();
        let found = autocorrelation(&chain, 2);
        // (n - lag) / n with the sign of the lag
        for (r, expected) in found.iter().zip([1.0, -0.99, 0.98]) {
            assert!((r - expected).abs() < 1e-12, "{found:?}");
        }
        assert!(autocorrelation(&[2.0; 20], 1)[1].is_nan());
    }
}
