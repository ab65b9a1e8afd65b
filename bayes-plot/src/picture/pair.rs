//! Pairs of elements, with divergences marked.

use super::Plots;
use crate::axis::{Axis, range};
use crate::columns::{Column, Columns, is_chains};
use crate::figure::{Figure, Symbol};
use crate::kernel_density::{Sorted, View};
use crate::mark::{Shape, Style};
use crate::panel::Panel;
use crate::thin;
use bayes_core::Error;
use bayes_core::run::{Group, PictureError, Trajectories};

/// Number of elements shown by default.
const ELEMENTS: usize = 4;
/// Number of draws in each panel.
const DRAWS: usize = 600;

impl Plots<'_> {
    /// Scatter plots of all pairs of elements, with their densities on the diagonal. Crosses are the starting points of
    /// divergent trajectories: where they gather, the chains could not follow the posterior. Weighted draws are resampled by
    /// their weights.
    ///
    /// # Errors
    /// [`PictureError::TooFew`] for fewer than two elements; otherwise the errors of [`Plots::density`].
    pub fn pair(&self) -> Result<Figure, Error> {
        let columns = self.columns(ELEMENTS)?;
        let elements = columns.columns.len();
        if elements < 2 {
            return Err(PictureError::TooFew {
                picture: "pair",
                what: "elements",
                needed: 2,
                found: elements,
            }
            .into());
        }
        let kept = thin::resampled(&columns.weights, DRAWS);
        let starts = self.divergent_starts();
        let panels = self.pair_panels(&columns, &kept, &starts);
        let total = self.run.total_draws();
        let drawn = match (kept.len() == total, is_chains(self.run)) {
            (true, _) => String::new(),
            (_, true) => format!("{} of {total} draws are drawn.", kept.len()),
            _ => format!(
                "{} of {total} draws are drawn, chosen by their weights.",
                kept.len()
            ),
        };
        let mut figure = self.figure("Pairs", &columns).note(drawn);
        figure.panels = panels;
        if starts.is_empty() {
            return Ok(figure);
        }
        Ok(figure
            .key(Symbol::Dot, dots().opacity(1.0).width(6.0), "draw")
            .key(
                Symbol::Cross,
                divergent(),
                format!(
                    "start of a divergent trajectory (the first {} of a chain)",
                    Trajectories::KEPT
                ),
            ))
    }

    /// All values at the starting points of divergent trajectories.
    fn divergent_starts(&self) -> Vec<&[f64]> {
        let width = self.run.layout.elements().max(1);
        let trajectories = self.run.groups.iter().filter_map(Group::trajectories);
        trajectories
            .flat_map(|t| t.divergent_starts.chunks_exact(width))
            .collect()
    }

    fn pair_panels(&self, columns: &Columns, kept: &[usize], starts: &[&[f64]]) -> Vec<Panel> {
        let side = match columns.columns.len() {
            2 => [330.0, 260.0],
            3 => [290.0, 230.0],
            _ => [245.0, 200.0],
        };
        let mut panels = Vec::new();
        for (row, y) in columns.columns.iter().enumerate() {
            for (column, x) in columns.columns[..=row].iter().enumerate() {
                let panel = if row == column {
                    diagonal(x, &columns.weights)
                } else {
                    scatter(x, y, kept, starts)
                };
                panels.push(Panel {
                    cell: [column, row],
                    size: side,
                    ..panel
                });
            }
        }
        panels
    }
}

fn diagonal(column: &Column, weights: &[f64]) -> Panel {
    let sorted = Sorted::new(&column.all(), weights);
    let view = sorted.as_ref().map(View::of);
    let curve = view
        .zip(sorted.as_ref())
        .and_then(|(view, sorted)| view.density(sorted));
    let curve = curve.unwrap_or_default();
    let ends = view.map_or([0.0, 1.0], |view| view.ends);
    let height = curve.iter().map(|point| point[1]).fold(0.0, f64::max);
    let area = curve.iter().map(|[x, y]| [*x, 0.0, *y]).collect();
    let axis = Axis::linear(&column.name, ends, 3).without_grid();
    Panel::new("", axis, Axis::bare("density", [0.0, 1.08 * height]))
        .with(Style::series(0).opacity(0.22), Shape::Band(area))
        .with(Style::series(0), Shape::Line(curve))
}

fn scatter(x: &Column, y: &Column, kept: &[usize], starts: &[&[f64]]) -> Panel {
    let (all_x, all_y) = (x.all(), y.all());
    let points: Vec<[f64; 2]> = kept.iter().map(|i| [all_x[*i], all_y[*i]]).collect();
    let crosses: Vec<[f64; 2]> = starts
        .iter()
        .map(|s| [s[x.element], s[y.element]])
        .collect();
    let axis = |name: &str, place: usize| {
        let values = points.iter().chain(&crosses).map(|point| point[place]);
        Axis::linear(name, range(values, 0.05).unwrap_or([0.0, 1.0]), 3)
    };
    let mut panel = Panel::new("", axis(&x.name, 0), axis(&y.name, 1));
    panel.draw(dots(), Shape::Dots(points));
    if !crosses.is_empty() {
        panel.draw(divergent(), Shape::Crosses(crosses));
    }
    panel
}

fn dots() -> Style {
    Style::series(0).width(3.2).opacity(0.55).meaning("draws")
}

fn divergent() -> Style {
    Style::series(1).width(1.6).meaning("divergent")
}
