//! Models compared by their predictions.

use crate::axis::{Axis, range};
use crate::figure::{Figure, Symbol};

use crate::mark::{Colour, Shape, Style};
use crate::panel::Panel;
use bayes_core::comparison::{Comparison, ComparisonRow};

/// The expected log predictive density of each model, and how much lower it is than the best model's, both with one standard error
/// on each side. A difference below about two of its errors, or below 4, does not distinguish the models.
#[must_use]
pub fn comparison(comparison: &Comparison) -> Figure {
    let rows = &comparison.rows;
    let names: Vec<String> = rows.iter().map(|row| row.name.clone()).collect();
    let bare = vec![String::new(); rows.len()];
    let height = 70.0 + 34.0 * rows.len() as f64;
    let elpd = |row: &ComparisonRow| [row.elpd, row.se];
    let difference = |row: &ComparisonRow| [-row.difference, row.difference_se];
    let mut left = panel("elpd, in nats", &names, rows, elpd).size(400.0, height);
    left.title = "Expected log predictive density".to_owned();
    let mut right = panel("difference from the best, in nats", &bare, rows, difference);
    right.title = "Difference".to_owned();
    let zero = Style::of(Colour::Muted).dashed();
    let [bottom, top] = right.y.ends;
    right.marks.insert(
        0,
        crate::mark::Mark::new(zero, Shape::Line(vec![[0.0, bottom], [0.0, top]])),
    );
    let figure = Figure::new("Comparison of models")
        .note(format!(
            "By {}; higher is better. The weights make the best mixture of the predictions (stacking).",
            comparison.method.name()
        ))
        .in_columns(vec![left, right.size(300.0, height), weights(rows, &bare, height)], 3)
        .key(Symbol::Dot, style().width(8.0), "estimate")
        .key(Symbol::Line, style(), "one standard error on each side");
    figure.whole()
}

/// Stacking weights, one bar per row.
fn weights(rows: &[ComparisonRow], names: &[String], height: f64) -> Panel {
    let bars = rows.iter().enumerate().map(|(row, model)| {
        let y = row as f64;
        [0.0, y - 0.25, model.stacking, y + 0.25]
    });
    let axis = Axis::linear("weight", [0.0, 1.03], 3);
    let mut panel = Panel::new("Stacking", axis, Axis::names(names))
        .size(220.0, height)
        .with(
            style().opacity(0.6).meaning("weight"),
            Shape::Bars(bars.collect()),
        );
    panel.y.has_grid = false;
    panel
}

/// Estimates with their errors, one model per row.
fn panel(
    label: &str,
    names: &[String],
    rows: &[ComparisonRow],
    value: fn(&ComparisonRow) -> [f64; 2],
) -> Panel {
    let all: Vec<[f64; 2]> = rows.iter().map(value).collect();
    let ends = all
        .iter()
        .flat_map(|[mean, se]| [mean - se, mean + se, *mean]);
    let mut panel = Panel::new(
        "",
        Axis::linear(label, range(ends, 0.08).unwrap_or([0.0, 1.0]), 4),
        Axis::names(names),
    );
    panel.y.has_grid = false;
    let places = || {
        all.iter()
            .enumerate()
            .map(|(row, value)| (row as f64, value))
    };
    let lines = places()
        .map(|(y, [mean, se])| [mean - se, y, mean + se, y])
        .collect();
    let dots = places().map(|(y, [mean, _])| [*mean, y]).collect();
    panel.draw(style(), Shape::Segments(lines));
    panel.draw(style().width(8.0).meaning("model"), Shape::Dots(dots));
    panel
}

fn style() -> Style {
    Style::series(0).width(2.0)
}
