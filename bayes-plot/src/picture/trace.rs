//! The values of chains, draw by draw.

use super::{PANELS, Plots};
use crate::axis::{Axis, range};
use crate::columns::{Column, is_chains};
use crate::figure::{Figure, Symbol};
use crate::mark::{Colour, Shape, Style};
use crate::panel::Panel;
use crate::thin;
use bayes_core::Error;

/// Number of draws of a chain that are shown.
const DRAWS: usize = 400;

/// The style of marks for divergent transitions.
fn divergent() -> Style {
    Style::of(Colour::Ink).meaning("divergent").width(1.2)
}

impl Plots<'_> {
    /// The value of each element draw by draw, a line for each chain. Converged chains look alike and do not drift. Marks at the
    /// lower edge are divergent transitions.
    ///
    /// # Errors
    /// [`PictureError::Lacks`](bayes_core::run::PictureError::Lacks) for particles and independent draws, which have no order;
    /// [`RunError::UnknownName`](bayes_core::run::RunError::UnknownName) and
    /// [`PictureError::Element`](bayes_core::run::PictureError::Element) for names that the model does not have.
    pub fn trace(&self) -> Result<Figure, Error> {
        if !is_chains(self.run) {
            return Err(self.lacks(
                "trace",
                "the draws of chains in their order",
                "use `rank()` or `density()`",
            ));
        }
        let columns = self.columns(PANELS)?;
        let stride = thin::stride(self.run.draws_per_group(), DRAWS);
        let panel = |column: &Column| self.trace_panel(column, stride);
        let panels = columns.columns.iter().map(panel).collect();
        let figure = self
            .figure("Trace", &columns)
            .note(thin::note(stride, "draw"))
            .of_alike(panels);
        let figure = self.with_groups(figure);
        let diverges = |group: &bayes_core::run::Group| group.statistics.divergent.contains(&true);
        Ok(if self.run.groups.iter().any(diverges) {
            figure.key(Symbol::Line, divergent(), "divergent transition")
        } else {
            figure
        })
    }

    fn trace_panel(&self, column: &Column, stride: usize) -> Panel {
        let draws = self.run.draws_per_group().max(1) as f64;
        let values = column.groups.iter().flatten().copied();
        let [low, high] = range(values, 0.06).unwrap_or([0.0, 1.0]);
        let mut panel = Panel::new(
            &column.name,
            Axis::linear("draw", [0.0, draws], 4).without_grid(),
            Axis::linear("", [low, high], 4),
        );
        for (k, values) in column.groups.iter().enumerate() {
            let kept = values.iter().enumerate().step_by(stride);
            let points = kept.map(|(i, value)| [i as f64, *value]).collect();
            let style = self.group_style(k);
            panel.draw(style.opacity(0.8 * style.opacity), Shape::Line(points));
        }
        let tip = low + 0.06 * (high - low);
        let ticks = self.run.groups.iter().flat_map(|group| {
            let all = group.statistics.divergent.iter().enumerate();
            all.filter(|(_, diverged)| **diverged)
                .map(|(i, _)| [i as f64, low, i as f64, tip])
        });
        let ticks: Vec<[f64; 4]> = ticks.collect();
        if !ticks.is_empty() {
            panel.draw(divergent(), Shape::Segments(ticks));
        }
        panel
    }
}
