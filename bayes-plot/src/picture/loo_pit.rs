//! Leave-one-out probability integral transforms.

use crate::axis::Axis;
use crate::figure::{Figure, Symbol};
use crate::label::count;
use crate::mark::{Colour, Shape, Style};
use crate::panel::Panel;
use bayes_core::Error;
use bayes_core::run::PictureError;

/// The 95% point of Kolmogorov's distribution: the band contains the whole curve with this probability.
const BAND: f64 = 1.358;

/// Shows whether predictions are calibrated: the distribution function of the transforms from
/// [`Run::loo_pit`](bayes_core::run::Run::loo_pit), minus the uniform distribution function. A curve within the band agrees with
/// calibrated predictions. A curve that rises first and then falls means data that are mostly lower than predicted; an S shape means
/// predictions that are too narrow or too wide.
///
/// ```text
/// plot::loo_pit(&run.loo_pit(&model, "y")?, "y")?.save("pit.svg")?;
/// ```
///
/// # Errors
/// [`PictureError::TooFew`] without values.
pub fn loo_pit(values: &[f64], name: &str) -> Result<Figure, Error> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|u| u.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    if sorted.is_empty() {
        return Err(PictureError::TooFew {
            picture: "loo_pit",
            what: "values",
            needed: 1,
            found: 0,
        }
        .into());
    }
    let n = sorted.len() as f64;
    let mut curve = vec![[0.0, 0.0]];
    for (i, u) in sorted.iter().enumerate() {
        curve.extend([i, i + 1].map(|k| [*u, k as f64 / n - u]));
    }
    curve.push([1.0, 0.0]);
    let band = BAND / n.sqrt();
    let reach = curve.iter().map(|point| point[1].abs()).fold(0.0, f64::max);
    // room around the band, so that it is recognised as a band
    let reach = (1.1 * reach).max(1.5 * band);
    let grey = Style::of(Colour::Muted).opacity(0.22);
    let line = Style::series(0).width(2.0).meaning("pit");
    let panel = Panel::new(
        "",
        Axis::linear(format!("LOO-PIT of {name}"), [0.0, 1.0], 5).without_grid(),
        Axis::linear("distribution minus uniform", [-reach, reach], 5),
    )
    .size(680.0, 320.0)
    .with(grey, Shape::Bars(vec![[0.0, -band, 1.0, band]]))
    .with(line, Shape::Line(curve));
    Ok(Figure::new(format!("Leave-one-out calibration of {name}"))
        .note(format!(
            "{}. Within the band: the data look like predictions that have not seen them.",
            count(sorted.len(), "observation")
        ))
        .in_columns(vec![panel], 1)
        .key(Symbol::Line, line, "distribution of the transforms")
        .key(Symbol::Area, grey, "95% of calibrated predictions"))
}
