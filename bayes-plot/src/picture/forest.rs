//! Forest plots: intervals of many elements side by side.

use super::Plots;
use crate::axis::{Axis, range};
use crate::columns::{Columns, source};
use crate::figure::{Figure, Symbol};
use crate::mark::{Shape, Style};
use crate::panel::Panel;
use bayes_core::Error;
use bayes_core::run::{PictureError, Run};

/// Number of elements shown by default.
const ROWS: usize = 40;
/// Height of a row with one run, in pixels.
const ROW: f64 = 22.0;
/// Height of a further run in a row.
const FURTHER: f64 = 9.0;

/// The quantiles 5%, 25%, 50%, 75% and 95% of a row.
type Interval = (f64, [f64; 5]);

impl Plots<'_> {
    /// Medians with their 50% and 90% intervals, one element per row; the quantiles equal the ones of [`Run::summary`].
    ///
    /// # Errors
    /// The errors of [`Plots::density`].
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

/// Several named runs whose quantities are drawn side by side, made by [`runs`].
#[derive(Clone, Debug)]
pub struct SideBySide<'a> {
    runs: Vec<(&'a str, &'a Run)>,
    /// Quantities or elements; empty for as many as fit.
    wanted: Vec<String>,
}

/// The pictures of several runs side by side: `run.plot()` for more than one run.
///
/// ```no_run
/// # use bayes_core::{Error, run::Run};
/// # use bayes_plot as plot;
/// # fn pictures(nuts: &Run, psmc: &Run) -> Result<(), Error> {
/// plot::runs([("nuts", nuts), ("psmc", psmc)]).of(["mu", "theta[3]"]).forest()?.save("engines.svg")?;
/// # Ok(())
/// # }
/// ```
pub fn runs<'a>(runs: impl IntoIterator<Item = (&'a str, &'a Run)>) -> SideBySide<'a> {
    SideBySide {
        runs: runs.into_iter().collect(),
        wanted: Vec::new(),
    }
}

impl SideBySide<'_> {
    /// Chooses what is shown, like [`Plots::of`]: quantities with all of their elements, or single elements. A chosen quantity may be
    /// missing in some of the runs.
    #[must_use]
    pub fn of<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.wanted = names.into_iter().map(Into::into).collect();
        self
    }

    /// The intervals of each element run by run, each run in its colour, to compare two engines or two models.
    ///
    /// Unless [`of`](Self::of) chooses them, the elements are the first run's, up to 40. A run without one of them leaves its place empty.
    ///
    /// # Errors
    /// [`PictureError::TooFew`] without runs; the errors of [`Plots::density`] for names that no run has.
    pub fn forest(&self) -> Result<Figure, Error> {
        let columns = self.columns()?;
        let figure = Figure::new("Posterior intervals, run by run");
        let figure = self.runs.iter().fold(figure, |figure, (name, run)| {
            figure.note(format!("{name}: {}", source(run)))
        });
        let mut rows = Vec::new();
        for (k, (name, run)) in self.runs.iter().enumerate() {
            let middle = 0.5 * (self.runs.len() as f64 - 1.0);
            let offset = (k as f64 - middle) * 0.7 / self.runs.len() as f64;
            rows.push((*name, intervals(&columns, run, offset)?));
        }
        let advice = match columns.note.as_str() {
            "" => "",
            _ => "`plot::runs([..]).of([..]).forest()` shows others.",
        };
        let figure = figure.note(&columns.note).advice(advice);
        Ok(drawn(figure, &columns, &rows))
    }

    /// The rows. For each requested name, the elements of the first run that has it; by default, as many elements of the first run as fit.
    fn columns(&self) -> Result<Columns, Error> {
        let Some((_, first)) = self.runs.first() else {
            return Err(PictureError::TooFew {
                picture: "forest",
                what: "runs",
                needed: 1,
                found: 0,
            }
            .into());
        };
        let mut columns = Columns::of(first, &[], ROWS)?;
        if self.wanted.is_empty() {
            return Ok(columns);
        }
        (columns.columns, columns.note) = (Vec::new(), String::new());
        for name in &self.wanted {
            let name = std::slice::from_ref(name);
            let mut found = self
                .runs
                .iter()
                .map(|(_, run)| Columns::of(run, name, ROWS));
            let known = found.find_map(Result::ok);
            // the error of the first run lists what exists
            let own = known.map_or_else(|| Columns::of(first, name, ROWS), Ok)?;
            columns.columns.extend(own.columns);
        }
        Ok(columns)
    }
}

/// The intervals of a run at the rows of `columns`, for the elements that the run has.
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
