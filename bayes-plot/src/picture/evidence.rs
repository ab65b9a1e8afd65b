//! The evidence, island by island.

use super::Plots;
use crate::axis::{Axis, range};
use crate::columns::{is_chains, source};
use crate::figure::{Figure, Symbol};
use crate::label;
use crate::mark::{Colour, Shape, Style};
use crate::panel::Panel;
use bayes_core::Error;

/// Radius of the circle of an island with the mean weight, in pixels.
const RADIUS: f64 = 6.0;

impl Plots<'_> {
    /// The log evidence of each island, or of each chain of parallel tempering, with the estimate of the run and its 95% interval.
    /// The area of a circle is the island's weight in the posterior. Circles use the weights alone, without control variates and without integration
    /// around the mode; a note says how the estimate is made.
    ///
    /// # Errors
    /// [`PictureError::Lacks`](bayes_core::run::PictureError::Lacks) for a run without an evidence.
    pub fn evidence(&self) -> Result<Figure, Error> {
        let Some(estimate) = self.run.log_evidence_estimate() else {
            return Err(self.lacks(
                "evidence",
                "estimates of the log evidence",
                "use `Inference::psmc()` or `Inference::tempering()`",
            ));
        };
        let groups = &self.run.groups;
        let logs: Vec<f64> = groups
            .iter()
            .map(|g| g.log_evidence_estimate().unwrap_or(f64::NAN))
            .collect();
        let interval = self.run.log_evidence_interval(0.95);
        let ends = interval.map_or([f64::NAN; 2], |(low, high)| [low, high]);
        let reach = range(
            logs.iter().copied().chain(ends).chain([estimate.mean]),
            0.08,
        );
        let kind = self.run.kind.name();
        let names: Vec<String> = groups.iter().map(|group| group.index.to_string()).collect();
        let x = Axis::places(kind, &names);
        let [left, right] = x.ends;
        let y = Axis::linear("log evidence, in nats", reach.unwrap_or([0.0, 1.0]), 5);
        let mut panel = Panel::new("", x, y).size(680.0, 320.0);
        if interval.is_some() {
            panel.draw(band(), Shape::Bars(vec![[left, ends[0], right, ends[1]]]));
        }
        panel.draw(
            mean(),
            Shape::Line(vec![[left, estimate.mean], [right, estimate.mean]]),
        );
        let weights = self.run.weights();
        let share = |weight: f64| (weight * groups.len() as f64).sqrt();
        let radius = |weight: f64| (RADIUS * share(weight)).clamp(1.5, 30.0);
        let circles = logs.iter().zip(weights.as_slice()).enumerate();
        let circles = circles.map(|(k, (log, weight))| [k as f64, *log, radius(*weight)]);
        let style = Style::series(0).opacity(0.7).meaning("island");
        panel.draw(style, Shape::Circles(circles.collect()));
        let dead = logs.iter().filter(|log| !log.is_finite()).count();

        let made = self.run.log_evidence_in_words(&label::estimate);
        let made =
            made.map(|words| format!("It is {words}. Islands are shown by their weights alone."));
        let figure = Figure::new("Log evidence")
            .note(source(self.run))
            .note(format!("Log evidence {}.", label::estimate(&estimate)))
            .note(made.unwrap_or_default())
            .note(match dead {
                0 => String::new(),
                n => format!("{n} without particles of positive density are not shown."),
            })
            .in_columns(vec![panel], 1)
            .key(Symbol::Line, mean(), "estimate of the run")
            .key(Symbol::Area, band(), "95% interval");
        Ok(if is_chains(self.run) {
            figure.key(Symbol::Dot, style.width(9.0), kind)
        } else {
            figure.key(Symbol::Dot, style.width(9.0), "island, area by its weight")
        })
    }
}

fn mean() -> Style {
    Style::of(Colour::Ink).width(1.5).meaning("estimate")
}

fn band() -> Style {
    Style::of(Colour::Muted).opacity(0.22)
}
