//! Shapes drawn in a panel, and their style.

use crate::axis::Axis;
use crate::theme::COLOURS;
use std::fmt::Write;

/// A colour by its meaning; the theme defines it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Colour {
    Ink,
    Muted,
    /// A colour of the palette.
    Series(usize),
}

/// The style of a mark.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Style {
    pub(crate) colour: Colour,
    /// Its meaning, as a further class: `divergent`, `observed`. Readers of the file and tests find marks by
    /// this class.
    pub(crate) meaning: &'static str,
    /// Width of a stroke, or diameter of a dot, in pixels.
    pub(crate) width: f64,
    pub(crate) opacity: f64,
    pub(crate) is_dashed: bool,
}

impl Style {
    pub(crate) fn of(colour: Colour) -> Self {
        Self {
            colour,
            meaning: "",
            width: 1.5,
            opacity: 1.0,
            is_dashed: false,
        }
    }

    /// Colour `k` of the palette. After the last colour the palette begins again, dashed.
    pub(crate) fn series(k: usize) -> Self {
        Self {
            is_dashed: (k / COLOURS) % 2 == 1,
            ..Self::of(Colour::Series(k % COLOURS))
        }
    }

    pub(crate) fn meaning(self, meaning: &'static str) -> Self {
        Self { meaning, ..self }
    }

    pub(crate) fn width(self, width: f64) -> Self {
        Self { width, ..self }
    }

    pub(crate) fn opacity(self, opacity: f64) -> Self {
        Self { opacity, ..self }
    }

    pub(crate) fn dashed(self) -> Self {
        Self {
            is_dashed: true,
            ..self
        }
    }

    /// The attributes of an element of this kind: `l`ine, `d`ot or `a`rea.
    fn attributes(self, kind: char) -> String {
        let mut text = format!("class=\"{kind} {}", self.class());
        if !self.meaning.is_empty() {
            let _ = write!(text, " {}", self.meaning);
        }
        text.push('"');
        if kind != 'a' {
            let _ = write!(text, " stroke-width=\"{}\"", self.width);
        }
        if self.opacity < 1.0 {
            let _ = write!(text, " opacity=\"{}\"", self.opacity);
        }
        if self.is_dashed {
            text.push_str(" stroke-dasharray=\"5 3\"");
        }
        text
    }

    fn class(self) -> String {
        match self.colour {
            Colour::Ink => "ink".to_owned(),
            Colour::Muted => "muted".to_owned(),
            Colour::Series(k) => format!("s{k}"),
        }
    }
}

/// A shape in the coordinates of the axes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    /// A line through points `[x, y]`, interrupted where they are not finite.
    Line(Vec<[f64; 2]>),
    /// Separate lines `[x0, y0, x1, y1]`.
    Segments(Vec<[f64; 4]>),
    /// The area between two lines, points `[x, low, high]`.
    Band(Vec<[f64; 3]>),
    /// Rectangles `[x0, y0, x1, y1]`.
    Bars(Vec<[f64; 4]>),
    /// Dots at `[x, y]`.
    Dots(Vec<[f64; 2]>),
    /// Crosses at `[x, y]`.
    Crosses(Vec<[f64; 2]>),
    /// Circles `[x, y, radius]`, the radius in pixels.
    Circles(Vec<[f64; 3]>),
}

/// A shape and its style.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mark {
    pub(crate) shape: Shape,
    pub(crate) style: Style,
}

/// Maps the coordinates of a panel's axes to pixels.
pub(crate) struct Place<'a> {
    pub(crate) x: &'a Axis,
    pub(crate) y: &'a Axis,
    pub(crate) size: [f64; 2],
}

impl Place<'_> {
    /// The pixel of a point. A point far outside of the panel is moved near to it, so that no number is huge.
    pub(crate) fn of(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let [width, height] = self.size;
        let inside = |share: f64| share.clamp(-2.0, 3.0);
        [
            width * inside(self.x.place(x)),
            height * (1.0 - inside(self.y.place(y))),
        ]
    }
}

impl Mark {
    pub(crate) fn new(style: Style, shape: Shape) -> Self {
        Self { shape, style }
    }

    /// The horizontal (0) or vertical (1) coordinates of all points.
    pub(crate) fn coordinates(&self, axis: usize) -> Vec<f64> {
        match &self.shape {
            Shape::Line(points) | Shape::Dots(points) | Shape::Crosses(points) => {
                points.iter().map(|point| point[axis]).collect()
            }
            Shape::Segments(ends) | Shape::Bars(ends) => ends
                .iter()
                .flat_map(|end| [end[axis], end[axis + 2]])
                .collect(),
            Shape::Band(points) if axis == 0 => points.iter().map(|point| point[0]).collect(),
            Shape::Band(points) => points
                .iter()
                .flat_map(|point| [point[1], point[2]])
                .collect(),
            Shape::Circles(circles) => circles.iter().map(|circle| circle[axis]).collect(),
        }
    }

    /// Number of points, lines or bars.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        match &self.shape {
            Shape::Line(points) | Shape::Dots(points) | Shape::Crosses(points) => points.len(),
            Shape::Segments(ends) | Shape::Bars(ends) => ends.len(),
            Shape::Band(points) | Shape::Circles(points) => points.len(),
        }
    }

    /// Writes it as SVG.
    pub(crate) fn write(&self, out: &mut String, place: &Place<'_>) {
        let (kind, path) = match &self.shape {
            Shape::Line(points) => ('l', line(points, place)),
            Shape::Segments(ends) => ('l', segments(ends, place)),
            Shape::Band(points) => ('a', band(points, place)),
            Shape::Bars(bars) => ('a', rectangles(bars, place)),
            Shape::Dots(points) => ('d', dots(points, place)),
            Shape::Crosses(points) => ('l', crosses(points, place)),
            Shape::Circles(circles) => return self.write_circles(out, circles, place),
        };
        if !path.is_empty() {
            let attributes = self.style.attributes(kind);
            let _ = write!(out, "<path {attributes} d=\"{path}\"/>");
        }
    }

    fn write_circles(&self, out: &mut String, circles: &[[f64; 3]], place: &Place<'_>) {
        let attributes = self.style.attributes('a');
        for [x, y, radius] in circles {
            if x.is_finite() && y.is_finite() {
                let [x, y] = place.of([*x, *y]);
                let _ = write!(
                    out,
                    "<circle {attributes} cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"/>"
                );
            }
        }
    }
}

fn is_finite(point: &[f64]) -> bool {
    point.iter().all(|coordinate| coordinate.is_finite())
}

fn line(points: &[[f64; 2]], place: &Place<'_>) -> String {
    let mut path = String::new();
    let mut is_drawing = false;
    for point in points {
        if !is_finite(point) {
            is_drawing = false;
            continue;
        }
        let [x, y] = place.of(*point);
        let command = if is_drawing { 'L' } else { 'M' };
        let _ = write!(path, "{command}{x:.1} {y:.1}");
        is_drawing = true;
    }
    path
}

fn segments(ends: &[[f64; 4]], place: &Place<'_>) -> String {
    let mut path = String::new();
    for [x0, y0, x1, y1] in ends.iter().filter(|ends| is_finite(*ends)) {
        let ([x0, y0], [x1, y1]) = (place.of([*x0, *y0]), place.of([*x1, *y1]));
        let _ = write!(path, "M{x0:.1} {y0:.1}L{x1:.1} {y1:.1}");
    }
    path
}

fn band(points: &[[f64; 3]], place: &Place<'_>) -> String {
    let finite = || points.iter().filter(|point| is_finite(*point));
    let upper = finite().map(|[x, _, high]| [*x, *high]);
    let lower = finite().rev().map(|[x, low, _]| [*x, *low]);
    let outline = line(&upper.chain(lower).collect::<Vec<_>>(), place);
    if outline.is_empty() {
        outline
    } else {
        outline + "Z"
    }
}

fn rectangles(bars: &[[f64; 4]], place: &Place<'_>) -> String {
    let mut path = String::new();
    for [x0, y0, x1, y1] in bars.iter().filter(|bar| is_finite(*bar)) {
        let ([x0, y0], [x1, y1]) = (place.of([*x0, *y0]), place.of([*x1, *y1]));
        let _ = write!(path, "M{x0:.1} {y0:.1}H{x1:.1}V{y1:.1}H{x0:.1}Z");
    }
    path
}

/// Lines without length, whose round ends are the dots: a tenth of the bytes of circles.
fn dots(points: &[[f64; 2]], place: &Place<'_>) -> String {
    let mut path = String::new();
    for point in points.iter().filter(|point| is_finite(*point)) {
        let [x, y] = place.of(*point);
        let _ = write!(path, "M{x:.1} {y:.1}h0");
    }
    path
}

fn crosses(points: &[[f64; 2]], place: &Place<'_>) -> String {
    let mut path = String::new();
    for point in points.iter().filter(|point| is_finite(*point)) {
        let [x, y] = place.of(*point);
        let (left, top) = (x - 3.0, y - 3.0);
        let _ = write!(path, "M{left:.1} {top:.1}l6 6m0-6l-6 6");
    }
    path
}
