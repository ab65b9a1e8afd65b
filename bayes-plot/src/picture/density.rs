//! Densities of the posterior.

use super::{PANELS, Plots};
use crate::axis::Axis;
use crate::columns::{Column, is_chains};
use crate::figure::{Figure, Symbol};
use crate::kernel_density::{Sorted, View, shares};
use crate::label;
use crate::mark::{Colour, Shape, Style};
use crate::panel::Panel;
use bayes_core::Error;

/// The line of a group is cut off above this many times the height of the curve of all draws.
const HIGHEST: f64 = 1.7;

impl Plots<'_> {
    /// The posterior density of each element by a kernel estimate, or the probabilities of a discrete element, with its mean and its 90%
    /// interval. Islands are weighted by their evidence, draws by their weights. A line for each island or chain shows whether they
    /// agree.
    ///
    /// # Errors
    /// The errors of [`Plots::trace`] for unknown names; [`PictureError::NotFinite`](bayes_core::run::PictureError::NotFinite) for an
    /// element without finite draws.
    pub fn density(&self) -> Result<Figure, Error> {
        let columns = self.columns(PANELS)?;
        let mut is_cut = false;
        let mut panels = Vec::new();
        for column in &columns.columns {
            let (panel, cut) = self.density_panel(column, &columns.weights)?;
            is_cut |= cut;
            panels.push(panel);
        }
        let weighted = if is_chains(self.run) {
            ""
        } else {
            ", weighted"
        };
        let figure = self
            .figure("Posterior densities", &columns)
            .note(if is_cut {
                "Long tails are cut: less than 1% of the draws lie outside."
            } else {
                ""
            })
            .of_alike(panels)
            .key(
                Symbol::Area,
                all().opacity(0.3),
                format!("all draws{weighted}"),
            )
            .key(Symbol::Line, interval(), "5% to 95%, dot: mean");
        Ok(match self.run.groups.len() {
            0 | 1 => figure,
            _ => figure.key(
                Symbol::Line,
                each().opacity(0.8),
                format!("each {}", self.run.kind.name()),
            ),
        })
    }

    /// The panel of an element, and whether its tails are cut.
    fn density_panel(&self, column: &Column, weights: &[f64]) -> Result<(Panel, bool), Error> {
        let [low, high] = column.quantiles(weights, [0.05, 0.95])?;
        let values = column.all();
        let pairs = values
            .iter()
            .zip(weights)
            .filter(|(_, weight)| **weight > 0.0);
        let mean: f64 = pairs.map(|(value, weight)| value * weight).sum();
        let note = [mean, low, high].map(|value| label::within(value, high - low));
        let note = format!("mean {}, 90% from {} to {}", note[0], note[1], note[2]);
        let (panel, height, is_cut) = if column.is_discrete {
            let (panel, height) = probabilities(column, weights);
            (panel, height, false)
        } else {
            self.curves(column, weights)
        };
        let mut panel = panel.note(note);
        let base = 0.04 * height;
        panel.draw(interval(), Shape::Line(vec![[low, base], [high, base]]));
        panel.draw(
            interval().width(7.0).meaning("mean"),
            Shape::Dots(vec![[mean, base]]),
        );
        Ok((panel, is_cut))
    }

    /// The curves of all draws and of each group, their height, and whether the tails are cut.
    fn curves(&self, column: &Column, weights: &[f64]) -> (Panel, f64, bool) {
        let empty = || {
            Panel::new(
                &column.name,
                Axis::linear(&column.name, [0.0, 1.0], 4),
                Axis::bare("density", [0.0, 1.0]),
            )
        };
        let Some(sorted) = Sorted::new(&column.all(), weights) else {
            return (empty(), 1.0, false);
        };
        let view = View::of(&sorted);
        let axis = Axis::linear(&column.name, view.ends, 4).without_grid();
        let Some(curve) = view.density(&sorted) else {
            let panel = Panel::new(&column.name, axis, Axis::bare("density", [0.0, 1.0]));
            let line = Shape::Segments(vec![[view.ends[0], 0.0, view.ends[0], 1.0]]);
            return (panel.with(all(), line), 1.0, false);
        };
        let each_curve = self.group_curves(column, view);
        let highest = |curve: &[[f64; 2]]| curve.iter().map(|point| point[1]).fold(0.0, f64::max);
        let all_draws = highest(&curve);
        let any = each_curve
            .iter()
            .map(|curve| highest(curve))
            .fold(all_draws, f64::max);
        // the spike of a stuck chain must not flatten all other curves
        let height = 1.05 * any.min(HIGHEST * all_draws);
        let mut panel = Panel::new(&column.name, axis, Axis::bare("density", [0.0, height]));
        let area = curve.iter().map(|[x, y]| [*x, 0.0, *y]).collect();
        panel.draw(all().opacity(0.22), Shape::Band(area));
        for curve in each_curve {
            panel.draw(each(), Shape::Line(curve));
        }
        panel.draw(all().width(2.0), Shape::Line(curve));
        (panel, height, view.is_cut())
    }

    /// The curve of each chain, or of each island with weight.
    fn group_curves(&self, column: &Column, view: View) -> Vec<Vec<[f64; 2]>> {
        if self.run.groups.len() < 2 {
            return Vec::new();
        }
        let weights = self.run.weights();
        let groups = self
            .run
            .groups
            .iter()
            .zip(&column.groups)
            .zip(weights.as_slice());
        let curve = |((group, values), weight): ((&bayes_core::run::Group, &Vec<f64>), &f64)| {
            let within = group.weights(values.len());
            let sorted = Sorted::new(values, within.as_slice()).filter(|_| *weight > 0.0)?;
            view.density(&sorted)
        };
        groups.filter_map(curve).collect()
    }
}

/// Bars of the probabilities of a discrete element, and their height.
fn probabilities(column: &Column, weights: &[f64]) -> (Panel, f64) {
    let shares = shares(&column.all(), weights);
    let height = 1.05 * shares.iter().map(|share| share[1]).fold(0.0, f64::max);
    let first = shares.first().map_or(0.0, |share| share[0]);
    let last = shares.last().map_or(1.0, |share| share[0]);
    let bars = shares
        .iter()
        .map(|[value, share]| [value - 0.4, 0.0, value + 0.4, *share]);
    let panel = Panel::new(
        &column.name,
        Axis::whole(&column.name, [first, last], 4).without_grid(),
        Axis::linear("probability", [0.0, height], 3),
    )
    .with(all().opacity(0.5), Shape::Bars(bars.collect()));
    (panel, height)
}

fn all() -> Style {
    Style::series(0)
}

fn each() -> Style {
    Style::of(Colour::Muted)
        .width(0.8)
        .opacity(0.6)
        .meaning("each")
}

fn interval() -> Style {
    Style::of(Colour::Ink).width(2.5).meaning("interval")
}
