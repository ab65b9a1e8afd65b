//! Effective sample sizes: across the distribution of an element, and as draws accumulate.

use super::{PANELS, Plots};
use crate::axis::Axis;
use crate::columns::{Column, is_chains};
use crate::figure::{Figure, Symbol};
use crate::mark::{Colour, Shape, Style};
use crate::panel::Panel;
use bayes_core::Error;
use bayes_core::diagnose::ess;
use bayes_core::run::PictureError;

/// Number of intervals between quantiles.
const INTERVALS: usize = 20;
/// Numbers of draws at which chains are examined.
const POINTS: usize = 20;
/// Number of draws that a chain must have: 4 at the first point.
const FEWEST: usize = 4 * POINTS;
/// Recommended effective draws of a chain, for up to [`CHAINS`] chains (Vehtari et al. 2021).
const PER_CHAIN: f64 = 100.0;
const CHAINS: usize = 4;

impl Plots<'_> {
    /// The effective sample size of quantiles, and of the draws between two neighbouring quantiles (Vehtari et al. 2021, section 4.4). It
    /// shows where in its distribution an element is known well, and where islands or chains get stuck.
    ///
    /// # Errors
    /// [`PictureError::TooFew`] for chains of fewer than 80 draws; the errors of [`Plots::trace`] for unknown names.
    pub fn ess(&self) -> Result<Figure, Error> {
        self.long_enough("ess")?;
        let columns = self.columns(PANELS)?;
        let panel = |column: &Column| self.profile_panel(column);
        let panels = columns.columns.iter().map(panel).collect();
        let figure = self
            .figure("Effective sample size", &columns)
            .note("A dip: the draws there are few independent ones.")
            .of_alike(panels)
            .key(Symbol::Line, quantiles().width(2.0), "of the quantile")
            .key(
                Symbol::Line,
                intervals().width(2.0),
                "of the draws between two quantiles",
            );
        Ok(self.with_recommended(figure))
    }

    /// Bulk and tail effective sample size of the first draws of the chains (Vehtari et al. 2021, section 4.4). Both grow with the number
    /// of draws unless chains get stuck or an estimate has been lucky so far.
    ///
    /// # Errors
    /// [`PictureError::Lacks`] for particles and independent draws, which have no order; [`PictureError::TooFew`] for chains of fewer than
    /// 80 draws; the errors of [`Plots::trace`] for unknown names.
    pub fn ess_evolution(&self) -> Result<Figure, Error> {
        if !is_chains(self.run) {
            return Err(self.lacks(
                "ess_evolution",
                "the draws of chains in their order",
                "use `ess()`",
            ));
        }
        self.long_enough("ess_evolution")?;
        let columns = self.columns(PANELS)?;
        let panel = |column: &Column| self.evolution_panel(column);
        let panels = columns.columns.iter().map(panel).collect();
        let figure = self
            .figure("Effective sample size by number of draws", &columns)
            .note("Lines that level off or fall: chains have got stuck.")
            .of_alike(panels)
            .key(Symbol::Line, quantiles().width(2.0), "bulk")
            .key(Symbol::Line, intervals().width(2.0), "tail");
        Ok(self.with_recommended(figure))
    }

    fn long_enough(&self, picture: &'static str) -> Result<(), Error> {
        let found = self.run.draws_per_group();
        if !is_chains(self.run) || found >= FEWEST {
            return Ok(());
        }
        Err(PictureError::TooFew {
            picture,
            what: "draws in each chain",
            needed: FEWEST,
            found,
        }
        .into())
    }

    fn profile_panel(&self, column: &Column) -> Panel {
        let profile = self
            .run
            .ess_profile(|draw| draw.values()[column.element], INTERVALS);
        let of_quantiles = profile.probabilities.iter().zip(&profile.of_quantiles);
        let of_quantiles = of_quantiles.map(|(p, size)| [*p, *size]).collect();
        let middle = |k: usize| (k as f64 + 0.5) / INTERVALS as f64;
        let of_intervals = profile.of_intervals.iter().enumerate();
        let of_intervals = of_intervals.map(|(k, size)| [middle(k), *size]).collect();
        let x = Axis::linear("quantile", [0.0, 1.0], 5).without_grid();
        self.sizes_panel(column, x, [of_quantiles, of_intervals])
    }

    fn evolution_panel(&self, column: &Column) -> Panel {
        let evolution = ess::evolution(&column.groups, POINTS);
        let bulk = evolution.iter().map(|at| [at.draws as f64, at.bulk]);
        let tail = evolution.iter().map(|at| [at.draws as f64, at.tail]);
        let x = Axis::linear(
            "draws of all chains",
            [0.0, self.run.total_draws() as f64],
            4,
        );
        self.sizes_panel(column, x.without_grid(), [bulk.collect(), tail.collect()])
    }

    /// Two lines of sizes, and the recommended size.
    fn sizes_panel(&self, column: &Column, x: Axis, [first, second]: [Vec<[f64; 2]>; 2]) -> Panel {
        let sizes = first.iter().chain(&second).map(|point| point[1]);
        let most = sizes.filter(|size| size.is_finite());
        let most = most.fold(self.recommended().unwrap_or(1.0), f64::max);
        let ends = x.ends;
        let y = Axis::linear("effective sample size", [0.0, 1.06 * most], 4);
        let mut panel = Panel::new(&column.name, x, y);
        if let Some(size) = self.recommended() {
            let line = Shape::Segments(vec![[ends[0], size, ends[1], size]]);
            panel.draw(recommended(), line);
        }
        for (style, points) in [(intervals(), second), (quantiles(), first)] {
            panel.draw(style.width(1.4), Shape::Line(points.clone()));
            panel.draw(style.width(3.5), Shape::Dots(points));
        }
        panel
    }

    /// The recommended effective sample size of chains.
    fn recommended(&self) -> Option<f64> {
        is_chains(self.run).then(|| PER_CHAIN * self.run.groups.len().min(CHAINS) as f64)
    }

    fn with_recommended(&self, figure: Figure) -> Figure {
        match self.recommended() {
            Some(size) => figure.key(
                Symbol::Line,
                recommended(),
                format!("{size:.0}, recommended"),
            ),
            None => figure,
        }
    }
}

/// Style of the first line of a panel: quantiles, or the bulk.
fn quantiles() -> Style {
    Style::series(0).meaning("first")
}

/// Style of the second line of a panel: intervals, or the tails.
fn intervals() -> Style {
    Style::series(1).meaning("second")
}

fn recommended() -> Style {
    Style::of(Colour::Ink).width(1.0).dashed()
}
