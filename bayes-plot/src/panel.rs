//! A panel: two axes and the marks between them.

use crate::axis::Axis;
use crate::label::{escaped, shortened};
use crate::mark::{Mark, Place, Shape, Style};
use std::fmt::Write;

/// Mean width of a letter of the ticks, in pixels; the widths of a reader's fonts are unknown.
const LETTER: f64 = 6.8;
/// Space to the right of the plot, for half of the last tick's label.
const RIGHT: f64 = 18.0;

/// A panel of a picture.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Panel {
    pub(crate) title: String,
    /// A line below the title.
    pub(crate) note: String,
    /// Width and height with axes and title, in pixels.
    pub(crate) size: [f64; 2],
    /// Column and row of the picture.
    pub(crate) cell: [usize; 2],
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) marks: Vec<Mark>,
}

/// Space around the plot, in pixels.
struct Margins {
    left: f64,
    top: f64,
    bottom: f64,
}

impl Panel {
    pub(crate) fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        Self {
            title: title.into(),
            note: String::new(),
            size: [340.0, 230.0],
            cell: [0, 0],
            x,
            y,
            marks: Vec::new(),
        }
    }

    pub(crate) fn note(self, note: impl Into<String>) -> Self {
        Self {
            note: note.into(),
            ..self
        }
    }

    pub(crate) fn size(self, width: f64, height: f64) -> Self {
        Self {
            size: [width, height],
            ..self
        }
    }

    pub(crate) fn with(mut self, style: Style, shape: Shape) -> Self {
        self.marks.push(Mark::new(style, shape));
        self
    }

    pub(crate) fn draw(&mut self, style: Style, shape: Shape) {
        self.marks.push(Mark::new(style, shape));
    }

    fn margins(&self) -> Margins {
        let ticks = self.y.ticks.iter();
        let longest = ticks.map(|(_, text)| text.chars().count().min(Self::LONGEST));
        let ticks = longest.max().unwrap_or(0) as f64 * LETTER;
        let label = if self.y.label.is_empty() { 4.0 } else { 22.0 };
        let title = if self.title.is_empty() { 8.0 } else { 26.0 };
        let x_label = if self.x.label.is_empty() { 0.0 } else { 18.0 };
        Margins {
            left: label + ticks + 8.0,
            top: title + if self.note.is_empty() { 0.0 } else { 17.0 },
            bottom: x_label + if self.x.ticks.is_empty() { 6.0 } else { 22.0 },
        }
    }

    /// Maximum number of letters of a tick's label.
    const LONGEST: usize = 28;

    /// Writes the panel with its upper left corner at `at`.
    pub(crate) fn write(&self, out: &mut String, at: [f64; 2]) {
        let margins = self.margins();
        let [width, height] = [
            self.size[0] - margins.left - RIGHT,
            self.size[1] - margins.top - margins.bottom,
        ];
        // writing to a string cannot fail
        let _ = write!(out, "<g transform=\"translate({} {})\">", at[0], at[1]);
        self.write_title(out, margins.left);
        let _ = write!(
            out,
            "<g transform=\"translate({:.1} {:.1})\">",
            margins.left, margins.top
        );
        let place = Place {
            x: &self.x,
            y: &self.y,
            size: [width, height],
        };
        self.write_axes(out, &place, &margins);
        // an inner picture clips without an identifier, which would have to be unique in a page
        let _ = write!(
            out,
            "<svg width=\"{width:.1}\" height=\"{height:.1}\" overflow=\"hidden\">"
        );
        for mark in &self.marks {
            mark.write(out, &place);
        }
        out.push_str("</svg></g></g>");
    }

    fn write_title(&self, out: &mut String, left: f64) {
        if !self.title.is_empty() {
            let letters = ((self.size[0] - left) / (LETTER + 0.6)) as usize;
            let title = escaped(&shortened(&self.title, letters));
            let _ = write!(
                out,
                "<text class=\"ink b\" x=\"{left:.1}\" y=\"16\">{title}</text>"
            );
        }
        if !self.note.is_empty() {
            let note = escaped(&self.note);
            let _ = write!(
                out,
                "<text class=\"muted\" x=\"{left:.1}\" y=\"33\">{note}</text>"
            );
        }
    }

    fn write_axes(&self, out: &mut String, place: &Place<'_>, margins: &Margins) {
        let [width, height] = place.size;
        let mut grid = String::new();
        for (value, text) in &self.x.ticks {
            let [x, _] = place.of([*value, 0.0]);
            if self.x.has_grid {
                let _ = write!(grid, "M{x:.1} 0V{height:.1}");
            }
            let (y, text) = (height + 16.0, escaped(text));
            let _ = write!(
                out,
                "<text class=\"muted c\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>"
            );
        }
        for (value, text) in &self.y.ticks {
            let [_, y] = place.of([0.0, *value]);
            if self.y.has_grid {
                let _ = write!(grid, "M0 {y:.1}H{width:.1}");
            }
            let (y, text) = (y + 4.0, escaped(&shortened(text, Self::LONGEST)));
            let _ = write!(
                out,
                "<text class=\"muted e\" x=\"-7\" y=\"{y:.1}\">{text}</text>"
            );
        }
        if !grid.is_empty() {
            let _ = write!(
                out,
                "<path class=\"l grid\" stroke-width=\"1\" d=\"{grid}\"/>"
            );
        }
        let _ = write!(
            out,
            "<path class=\"l muted\" stroke-width=\"1\" d=\"M0 {height:.1}H{width:.1}\"/>"
        );
        let (middle, below) = (0.5 * width, height + margins.bottom - 4.0);
        if !self.x.label.is_empty() {
            let label = escaped(&shortened(&self.x.label, (width / LETTER) as usize));
            let _ = write!(
                out,
                "<text class=\"ink c\" x=\"{middle:.1}\" y=\"{below:.1}\">{label}</text>"
            );
        }
        if !self.y.label.is_empty() {
            let (x, y) = (14.0 - margins.left, 0.5 * height);
            let label = escaped(&shortened(&self.y.label, (height / LETTER) as usize));
            let _ = write!(
                out,
                "<text class=\"ink c\" transform=\"translate({x:.1} {y:.1}) rotate(-90)\">{label}</text>"
            );
        }
    }
}
