//! Expected responses against a covariate.

use super::predictive::observed;
use crate::axis::{Axis, range};
use crate::figure::{Figure, Symbol};
use crate::mark::{Shape, Style};
use crate::panel::Panel;
use bayes_core::Error;
use bayes_core::run::PictureError;

/// If there are more curves than this, each has its own panel.
const TOGETHER: usize = 4;
/// With more data than this, their dots are small.
const MANY: usize = 200;
/// Width of a letter of a label, in pixels.
const LETTER: f64 = 6.8;
/// The width that the dots of a label take, and that all curves at a label share.
const WIDTH: f64 = 0.6;

/// Expected responses against a covariate, drawn by [`effects`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Effects {
    /// The title of the picture.
    pub title: String,
    /// Sentences that explain how to read the picture.
    pub notes: Vec<String>,
    /// The label of the horizontal axis.
    pub covariate: String,
    /// The label of the vertical axis.
    pub response: String,
    /// The labels at the places 0, 1, 2, .. of a covariate of labels; empty for a numerical covariate.
    pub labels: Vec<String>,
    /// A curve for each value of a second covariate, or a single curve.
    pub curves: Vec<EffectCurve>,
}

/// A curve of expected responses; dots and bars at labels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EffectCurve {
    /// The curve's name; empty for a single curve.
    pub name: String,
    /// Values of the covariate, in increasing order, with the quantiles 5%, 25%, 50%, 75% and 95% of the expected response.
    pub points: Vec<(f64, [f64; 5])>,
    /// The data: values of the covariate and of the response.
    pub data: Vec<[f64; 2]>,
}

/// Draws expected responses against a covariate: lines with bands, or dots with bars at labels, and the data as faint dots. Up to four
/// curves share a panel. More curves have one panel each, with the same axes.
///
/// The vertical axis shows the intervals in full, and the data except for the outermost 5%, which a note counts.
///
/// # Errors
/// [`PictureError::TooFew`] without curves, or if a curve over numbers has fewer than two points.
pub fn effects(effects: &Effects) -> Result<Figure, Error> {
    let is_of_labels = !effects.labels.is_empty();
    let fewest = effects.curves.iter().map(|curve| curve.points.len()).min();
    let needed = if is_of_labels { 1 } else { 2 };
    if fewest.unwrap_or(0) < needed {
        return Err(PictureError::TooFew {
            picture: "effects",
            what: "values of the covariate",
            needed,
            found: fewest.unwrap_or(0),
        }
        .into());
    }
    let y = ends(&effects.curves);
    let figure = Figure::new(&effects.title);
    let figure = effects
        .notes
        .iter()
        .fold(figure, |figure, note| figure.note(note));
    let figure = figure.note(hidden(&effects.curves, y));
    let is_together = effects.curves.len() <= TOGETHER;
    let figure = with_keys(figure, effects, is_together);
    if is_together {
        let mut panel = effects.panel("", [680.0, 380.0], y);
        for (k, curve) in effects.curves.iter().enumerate() {
            effects.draw(&mut panel, curve, (k, k));
        }
        return Ok(figure.in_columns(vec![panel], 1).whole());
    }
    let panel = |curve: &EffectCurve| {
        let mut panel = effects.panel(&curve.name, [340.0, 230.0], y);
        effects.draw(&mut panel, curve, (0, 0));
        panel
    };
    Ok(figure.of_alike(effects.curves.iter().map(panel).collect()))
}

impl Effects {
    fn panel(&self, title: &str, [width, height]: [f64; 2], y: [f64; 2]) -> Panel {
        let points = self.curves.iter().flat_map(|curve| &curve.points);
        let x = match self.labels.is_empty() {
            true => {
                let ends = range(points.map(|(x, _)| *x), 0.02).unwrap_or([0.0, 1.0]);
                Axis::linear(&self.covariate, ends, 6)
            }
            false => self.places(width),
        };
        Panel::new(title, x, Axis::linear(&self.response, y, 5)).size(width, height)
    }

    /// The axis of the labels: all labels, if there is room for them.
    fn places(&self, width: f64) -> Axis {
        let mut axis = Axis::places(&self.covariate, &self.labels);
        let longest = self.labels.iter().map(|label| label.chars().count()).max();
        let needed = (longest.unwrap_or(0) as f64 * LETTER + 10.0) * self.labels.len() as f64;
        if needed < width - 80.0 {
            let all = self.labels.iter().enumerate();
            axis.ticks = all.map(|(k, label)| (k as f64, label.clone())).collect();
        }
        axis
    }

    /// Draws a curve in a colour; at labels, beside the other curves of the panel.
    fn draw(&self, panel: &mut Panel, curve: &EffectCurve, (colour, place): (usize, usize)) {
        let style = Style::series(colour);
        if self.labels.is_empty() {
            panel.draw(self.dots(colour), Shape::Dots(curve.data.clone()));
            let between = |low: usize, high: usize| {
                let points = curve.points.iter();
                Shape::Band(points.map(|(x, q)| [*x, q[low], q[high]]).collect())
            };
            panel.draw(style.opacity(0.18).meaning("interval90"), between(0, 4));
            panel.draw(style.opacity(0.28).meaning("interval50"), between(1, 3));
            let medians = curve.points.iter().map(|(x, q)| [*x, q[2]]).collect();
            panel.draw(style.width(2.0).meaning("median"), Shape::Line(medians));
            return;
        }
        let together = if self.curves.len() <= TOGETHER {
            self.curves.len()
        } else {
            1
        };
        let share = WIDTH / together as f64;
        let aside = (place as f64 - 0.5 * (together as f64 - 1.0)) * share;
        let scattered = curve.data.iter().enumerate().map(|(k, [x, y])| {
            // spread evenly, without random numbers
            let part = (k as f64 * 0.618_033_988_749_894_9).fract() - 0.5;
            [x + aside + 0.7 * share * part, *y]
        });
        panel.draw(self.dots(colour), Shape::Dots(scattered.collect()));
        let lines = |low: usize, high: usize| {
            let line = |(x, q): &(f64, [f64; 5])| [x + aside, q[low], x + aside, q[high]];
            Shape::Segments(curve.points.iter().map(line).collect())
        };
        panel.draw(style.width(1.5).meaning("interval90"), lines(0, 4));
        panel.draw(style.width(4.0).meaning("interval50"), lines(1, 3));
        let medians = curve
            .points
            .iter()
            .map(|(x, q)| [x + aside, q[2]])
            .collect();
        panel.draw(style.width(8.0).meaning("median"), Shape::Dots(medians));
    }

    /// The style of the data's dots: in the colour of their curve if several curves share a panel.
    fn dots(&self, colour: usize) -> Style {
        let style = match self.curves.len() {
            2..=TOGETHER => Style::series(colour).meaning("observed"),
            _ => observed(),
        };
        match self.data() {
            0..=MANY => style.width(4.0).opacity(0.35),
            _ => style.width(2.5).opacity(0.25),
        }
    }

    /// The number of data.
    fn data(&self) -> usize {
        self.curves.iter().map(|curve| curve.data.len()).sum()
    }
}

/// The ends of the vertical axis: all intervals, and the data between their quantiles 2.5% and 97.5%.
fn ends(curves: &[EffectCurve]) -> [f64; 2] {
    let intervals = curves.iter().flat_map(|curve| &curve.points);
    let intervals = intervals.flat_map(|(_, q)| [q[0], q[4]]);
    let mut data: Vec<f64> = responses(curves).collect();
    data.sort_by(f64::total_cmp);
    let out = data.len() / 40;
    let inner = data[out.min(data.len())..data.len() - out].iter().copied();
    range(intervals.chain(inner), 0.04).unwrap_or([0.0, 1.0])
}

/// The number of data that are not shown, in words.
fn hidden(curves: &[EffectCurve], [low, high]: [f64; 2]) -> String {
    let outside = |y: &f64| *y < low || *y > high;
    match responses(curves).filter(outside).count() {
        0 => String::new(),
        1 => "1 observation lies outside of the picture.".to_owned(),
        count => format!("{count} observations lie outside of the picture."),
    }
}

fn responses(curves: &[EffectCurve]) -> impl Iterator<Item = f64> {
    let data = curves.iter().flat_map(|curve| &curve.data);
    data.map(|[_, y]| *y).filter(|y| y.is_finite())
}

fn with_keys(figure: Figure, effects: &Effects, is_together: bool) -> Figure {
    let is_of_labels = !effects.labels.is_empty();
    let symbol = if is_of_labels {
        Symbol::Dot
    } else {
        Symbol::Line
    };
    let width = if is_of_labels { 8.0 } else { 2.0 };
    let named = effects.curves.iter().enumerate();
    let named = named.filter(|(_, curve)| is_together && !curve.name.is_empty());
    let figure = named.fold(figure, |figure, (k, curve)| {
        figure.key(symbol, Style::series(k).width(width), &curve.name)
    });
    let figure = match is_of_labels {
        true => figure.note("Dot: median; thick line: 25% to 75%; thin line: 5% to 95%."),
        false => figure.note("Line: median; dark band: 25% to 75%; light band: 5% to 95%."),
    };
    match effects.data() {
        0 => figure,
        _ => figure.key(Symbol::Dot, observed().width(4.0).opacity(0.5), "observed"),
    }
}
