//! Reliability diagrams of class probabilities.

use crate::axis::Axis;
use crate::figure::{Figure, Symbol};
use crate::label::{count, number};
use crate::mark::{Colour, Shape, Style};
use crate::panel::Panel;
use bayes_core::metrics::{Reliability, ReliabilityBin};

/// The reliability diagram: how often the most probable class is right, by its probability. Points on the diagonal are calibrated,
/// points below it overconfident. Bars are one standard error over data on each side; the area of a point is its number of
/// observations.
///
/// ```text
/// plot::reliability(&metrics::reliability(&probabilities, &labels, Bins::equal_width(10))?).save("calibration.svg")?;
/// ```
#[must_use]
pub fn reliability(reliability: &Reliability) -> Figure {
    let bins: Vec<&ReliabilityBin> = reliability
        .bins
        .iter()
        .filter(|bin| bin.count > 0)
        .collect();
    let observations: usize = bins.iter().map(|bin| bin.count).sum();
    let most = bins.iter().map(|bin| bin.count).max().unwrap_or(1) as f64;
    let lowest = bins
        .iter()
        .flat_map(|bin| [bin.confidence, bin.accuracy - bin.accuracy_se]);
    let low = (10.0 * lowest.fold(1.0, f64::min)).floor().max(0.0) / 10.0;
    let axis = |label: &str| Axis::linear(label, [low - 0.02, 1.03], 5);
    let bars = bins.iter().map(|bin| {
        let (x, y, se) = (bin.confidence, bin.accuracy, bin.accuracy_se);
        [x, y - se, x, y + se]
    });
    let points = bins.iter().map(|bin| {
        let radius = 10.0 * (bin.count as f64 / most).sqrt();
        [bin.confidence, bin.accuracy, radius.max(2.5)]
    });
    let style = Style::series(0).meaning("bin");
    let diagonal = Style::of(Colour::Muted).dashed();
    let panel = Panel::new(
        "",
        axis("probability of the predicted class"),
        axis("share that is right"),
    )
    .size(560.0, 480.0)
    .with(diagonal, Shape::Line(vec![[low, low], [1.0, 1.0]]))
    .with(style, Shape::Segments(bars.collect()))
    .with(style.opacity(0.75), Shape::Circles(points.collect()));
    let error = &reliability.calibration_error;
    Figure::new("Calibration")
        .note(format!(
            "{} in {}. Expected calibration error {}.",
            count(observations, "observation"),
            count(bins.len(), "bin"),
            number(error.value)
        ))
        .in_columns(vec![panel], 1)
        .key(Symbol::Line, diagonal, "calibrated")
        .key(
            Symbol::Dot,
            style.width(9.0),
            "bin, area by its observations; bar: one standard error",
        )
}
