//! Forest plots: intervals of many elements side by side.

use super::Plots;
use crate::axis::{Axis, range};
use crate::columns::{Columns, source};
use crate::figure::{Figure, Symbol};
use crate::mark::{Shape, Style};
use crate::panel::Panel;
use bayes_core::Error;
use bayes_core::run::{PictureError, Run};

/// Elements that are shown unless told which.
const ROWS: usize = 40;
/// Height of a row with one run, in pixels.
const ROW: f64 = 22.0;
/// Height of a further run in a row.
const FURTHER: f64 = 9.0;

/// The quantiles 5%, 25%, 50%, 75% and 95% of a row.
type Interval = (f64, [f64; 5]);

impl Plots<'_> {
    /// Medians with their 50% and 90% intervals, an element to a row; the quantiles are those of [`Run::summary`].
    ///
    /// # Errors
    /// As [`Plots::density`].
    pub fn forest(&self) -> Result<Figure, Error> {
        let columns = self.columns(ROWS)?;
        let figure = self.figure("Posterior intervals", &columns);
        Ok(drawn(
            figure,
            &columns,
            &[("", intervals(&columns, self.run, 0.0)?)],
        ))
    }
}

/// The elements of several runs side by side, each run in its colour: do two engines agree, or two models?
///
/// Elements are those of the first run, up to 40; a run without one of them leaves its place empty.
///
/// # Errors
/// [`PictureError::TooFew`] without runs; otherwise as [`Plots::density`].
pub fn forest<'a>(runs: impl IntoIterator<Item = (&'a str, &'a Run)>) -> Result<Figure, Error> {
    let runs: Vec<(&str, &Run)> = runs.into_iter().collect();
    let Some((_, first)) = runs.first() else {
        return Err(PictureError::TooFew {
            picture: "forest",
            what: "runs",
            needed: 1,
            found: 0,
        }
        .into());
    };
    let columns = Columns::of(first, &[], ROWS)?;
    let figure = Figure::new("Posterior intervals, run by run");
    let figure = runs.iter().fold(figure, |figure, (name, run)| {
        figure.note(format!("{name}: {}", source(run)))
    });
    let mut rows = Vec::new();
    for (k, (name, run)) in runs.iter().enumerate() {
        let offset = (k as f64 - 0.5 * (runs.len() as f64 - 1.0)) * 0.7 / runs.len() as f64;
        rows.push((*name, intervals(&columns, run, offset)?));
    }
    Ok(drawn(figure.note(&columns.note), &columns, &rows))
}

/// The intervals of a run at the rows of `columns`, for those elements that it has.
fn intervals(columns: &Columns, run: &Run, offset: f64) -> Result<Vec<Interval>, Error> {
    let known = run.layout.element_names();
    let mut found = Vec::new();
    for (row, column) in columns.columns.iter().enumerate() {
        if !known.contains(&column.name) {
            continue;
        }
        let own = Columns::of(run, std::slice::from_ref(&column.name), 1)?;
        for column in &own.columns {
            let quantiles = column.quantiles(&own.weights, [0.05, 0.25, 0.5, 0.75, 0.95])?;
            found.push((row as f64 + offset, quantiles));
        }
    }
    Ok(found)
}

fn drawn(figure: Figure, columns: &Columns, runs: &[(&str, Vec<Interval>)]) -> Figure {
    let names: Vec<String> = columns
        .columns
        .iter()
        .map(|column| column.name.clone())
        .collect();
    let ends = runs
        .iter()
        .flat_map(|(_, rows)| rows)
        .flat_map(|(_, q)| [q[0], q[4]]);
    let height = names.len() as f64 * (ROW + FURTHER * (runs.len() as f64 - 1.0)) + 60.0;
    let mut panel = Panel::new(
        "",
        Axis::linear("value", range(ends, 0.04).unwrap_or([0.0, 1.0]), 6),
        Axis::names(&names),
    )
    .size(680.0, height);
    panel.y.has_grid = false;
    for (k, (_, rows)) in runs.iter().enumerate() {
        let lines = |from: usize, to: usize| {
            let line = |(y, q): &Interval| [q[from], *y, q[to], *y];
            Shape::Segments(rows.iter().map(line).collect())
        };
        panel.draw(
            Style::series(k).width(1.5).meaning("interval90"),
            lines(0, 4),
        );
        panel.draw(
            Style::series(k).width(4.0).meaning("interval50"),
            lines(1, 3),
        );
        let medians = rows.iter().map(|(y, q)| [q[2], *y]).collect();
        panel.draw(
            Style::series(k).width(8.0).meaning("median"),
            Shape::Dots(medians),
        );
    }
    let figure = figure.note("Dot: median; thick line: 25% to 75%; thin line: 5% to 95%.");
    let figure = figure.in_columns(vec![panel], 1);
    let figure = figure.whole();
    if runs.len() < 2 {
        return figure;
    }
    let named = runs.iter().enumerate();
    named.fold(figure, |figure, (k, (name, _))| {
        figure.key(Symbol::Dot, Style::series(k).width(8.0), *name)
    })
}
