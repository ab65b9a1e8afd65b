//! A picture as a value, and its SVG.

mod adjusted;

use crate::axis::Axis;
use crate::label::{escaped, wrapped};
use crate::mark::{Mark, Place, Shape, Style};
use crate::panel::Panel;
use crate::theme::Theme;
use bayes_core::Error;
use bayes_core::run::{FileError, PictureError};
use std::fmt::{self, Write};
use std::path::Path;

/// Space around the picture and between its panels, in pixels.
const SPACE: f64 = 16.0;
/// Height of a line of notes.
const LINE: f64 = 17.0;
/// Width of a letter of the notes.
const LETTER: f64 = 6.4;
/// Width of the symbol of a legend's entry, with the space behind it.
const SYMBOL: f64 = 28.0;
/// Minimum width of a picture with a single panel, so that its title and notes have room.
const NARROWEST: f64 = 560.0;

/// An entry of the legend.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Key {
    pub(crate) symbol: Symbol,
    pub(crate) style: Style,
    pub(crate) text: String,
}

/// The symbol of a legend entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symbol {
    Line,
    Dot,
    Cross,
    Area,
}

/// A picture: panels with named axes, a legend and notes.
///
/// ```text
/// let figure = run.plot().trace()?;
/// figure.save("trace.svg")?;
/// figure.with_title("All chains").size(900.0, 500.0).theme(Theme::Dark).save("trace-dark.svg")?;
/// ```
#[derive(Clone, PartialEq)]
pub struct Figure {
    pub(crate) title: String,
    /// Sentences that explain how to read the picture.
    pub(crate) notes: Vec<String>,
    /// Advice for the author of the program, below the notes. A report leaves it out, because its readers have no program.
    pub(crate) advice: String,
    pub(crate) legend: Vec<Key>,
    pub(crate) panels: Vec<Panel>,
    /// Whether the panels may be arranged in another number of columns, as on a phone.
    pub(crate) can_flow: bool,
    theme: Theme,
}

impl Figure {
    pub(crate) fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            notes: Vec::new(),
            advice: String::new(),
            legend: Vec::new(),
            panels: Vec::new(),
            can_flow: false,
            theme: Theme::Light,
        }
    }

    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        let note = note.into();
        if !note.is_empty() {
            self.notes.push(note);
        }
        self
    }

    pub(crate) fn advice(self, advice: impl Into<String>) -> Self {
        Self {
            advice: advice.into(),
            ..self
        }
    }

    pub(crate) fn key(mut self, symbol: Symbol, style: Style, text: impl Into<String>) -> Self {
        let text = text.into();
        self.legend.push(Key {
            symbol,
            style,
            text,
        });
        self
    }

    /// The panels row by row.
    pub(crate) fn in_columns(mut self, panels: Vec<Panel>, columns: usize) -> Self {
        self.panels = panels;
        for (k, panel) in self.panels.iter_mut().enumerate() {
            panel.cell = [k % columns, k / columns];
        }
        self.can_flow = true;
        self
    }

    /// One panel, or several panels whose arrangement matters.
    pub(crate) fn whole(self) -> Self {
        Self {
            can_flow: false,
            ..self
        }
    }

    /// Panels that all look alike, three in a row; up to four panels are larger.
    pub(crate) fn of_alike(self, panels: Vec<Panel>) -> Self {
        let columns = match panels.len() {
            1 => 1,
            2 | 4 => 2,
            _ => 3,
        };
        let size = match panels.len() {
            1 => [680.0, 320.0],
            2 | 4 => [440.0, 260.0],
            _ => [340.0, 230.0],
        };
        let sized = panels.into_iter().map(|panel| Panel { size, ..panel });
        self.in_columns(sized.collect(), columns)
    }

    /// The same picture for another background; the default is [`Theme::Light`].
    #[must_use]
    pub fn theme(self, theme: Theme) -> Self {
        Self { theme, ..self }
    }

    /// The picture's title.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// What the picture shows and how to read it, in sentences: the text below the title, which screen readers read out in place of the
    /// picture.
    #[must_use]
    pub fn description(&self) -> String {
        self.lines().collect::<Vec<_>>().join(" ")
    }

    /// The notes, then the advice.
    fn lines(&self) -> impl Iterator<Item = &str> {
        let all = self.notes.iter().chain([&self.advice]);
        all.map(String::as_str).filter(|line| !line.is_empty())
    }

    /// The picture as self-contained SVG.
    #[must_use]
    pub fn svg(&self) -> String {
        let [panels_width, panels_height] = self.extent();
        let width = panels_width.max(NARROWEST) + 2.0 * SPACE;
        let letters = ((width - 2.0 * SPACE) / LETTER) as usize;
        let notes: Vec<String> = self.lines().flat_map(|n| wrapped(n, letters)).collect();
        let legend_lines = self.legend_lines(width - 2.0 * SPACE);
        let head = 34.0 + LINE * notes.len() as f64 + 22.0 * legend_lines.len() as f64 + 10.0;
        let height = head + panels_height + SPACE;
        let mut out = String::new();
        // writing to a string cannot fail
        let _ = write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"bayes\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" aria-label=\"{}\"><style>{}</style>\
             <rect class=\"ground\" width=\"100%\" height=\"100%\"/>\
             <text class=\"ink b\" style=\"font-size:16px\" x=\"{SPACE}\" y=\"28\">{}</text>",
            escaped(&format!("{}. {}", self.title, self.description())),
            self.theme.css(),
            escaped(&self.title),
        );
        for (k, note) in notes.iter().enumerate() {
            let (y, note) = (34.0 + LINE * (k as f64 + 0.75), escaped(note));
            let _ = write!(
                out,
                "<text class=\"muted\" x=\"{SPACE}\" y=\"{y:.1}\">{note}</text>"
            );
        }
        let first = 34.0 + LINE * notes.len() as f64 + 4.0;
        for (k, line) in legend_lines.iter().enumerate() {
            for (x, key) in line {
                let at = [SPACE + x, first + 22.0 * k as f64];
                key.write(&mut out, at);
            }
        }
        self.write_panels(&mut out, [SPACE, head]);
        out.push_str("</svg>\n");
        out
    }

    /// Writes [`Figure::svg`] to a file whose name ends in `.svg`. With the feature `png`, a name that ends in `.png` gives a picture in
    /// pixels, two for each unit of the SVG. Its texts are in a font of the system, and [`Theme::Automatic`] becomes light.
    ///
    /// # Errors
    /// [`PictureError::Format`] for another ending; [`PictureError::Pixels`] if the system has no font; [`FileError`] with the system's
    /// error.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        self.save_at(path.as_ref())
    }

    fn save_at(&self, path: &Path) -> Result<(), Error> {
        let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
        match ending.to_str() {
            Some("svg") => write_file(path, self.svg().as_bytes()),
            #[cfg(feature = "png")]
            Some("png") => crate::png::save(&self.in_one_theme().svg(), path),
            _ => Err(PictureError::Format {
                path: path.display().to_string(),
            }
            .into()),
        }
    }

    /// The same picture with a theme that does not ask the reader's system.
    #[cfg(feature = "png")]
    fn in_one_theme(&self) -> Self {
        let theme = match self.theme {
            Theme::Automatic => Theme::Light,
            theme => theme,
        };
        self.clone().theme(theme)
    }

    /// The panels alone as one element for a page that has the style sheet.
    pub(crate) fn inline_panels(&self) -> String {
        let [width, height] = self.extent();
        let mut out = inline_start(width, height, &self.title);
        self.write_panels(&mut out, [0.0, 0.0]);
        out + "</svg>"
    }

    /// The widths of the columns and the heights of the rows.
    fn grid(&self) -> [Vec<f64>; 2] {
        let mut sizes = [Vec::new(), Vec::new()];
        for panel in &self.panels {
            for (axis, sizes) in sizes.iter_mut().enumerate() {
                let place = panel.cell[axis];
                if sizes.len() <= place {
                    sizes.resize(place + 1, 0.0);
                }
                sizes[place] = f64::max(sizes[place], panel.size[axis]);
            }
        }
        sizes
    }

    fn extent(&self) -> [f64; 2] {
        self.grid().map(|sizes| sizes.iter().sum())
    }

    fn write_panels(&self, out: &mut String, at: [f64; 2]) {
        let [widths, heights] = self.grid();
        for panel in &self.panels {
            let [column, row] = panel.cell;
            let x: f64 = widths[..column].iter().sum();
            let y: f64 = heights[..row].iter().sum();
            panel.write(out, [at[0] + x, at[1] + y]);
        }
    }

    /// The entries of the legend with their places, line by line.
    fn legend_lines(&self, width: f64) -> Vec<Vec<(f64, &Key)>> {
        let mut lines: Vec<Vec<(f64, &Key)>> = Vec::new();
        let mut next = f64::INFINITY;
        for key in &self.legend {
            let own = SYMBOL + LETTER * key.text.chars().count() as f64 + 20.0;
            if next + own > width {
                lines.push(Vec::new());
                next = 0.0;
            }
            if let Some(line) = lines.last_mut() {
                line.push((next, key));
            }
            next += own;
        }
        lines
    }
}

/// The figure's title and contents in numbers: its SVG would be too long.
impl fmt::Debug for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Figure")
            .field("title", &self.title)
            .field("panels", &self.panels.len())
            .field("theme", &self.theme)
            .finish_non_exhaustive()
    }
}

impl Key {
    fn write(&self, out: &mut String, at: [f64; 2]) {
        let _ = write!(
            out,
            "<g transform=\"translate({:.1} {:.1})\">",
            at[0], at[1]
        );
        self.write_symbol(out);
        let text = escaped(&self.text);
        let _ = write!(
            out,
            "<text class=\"ink\" x=\"{SYMBOL}\" y=\"14\">{text}</text></g>"
        );
    }

    /// The symbol in a box of 22 x 20 pixels.
    fn write_symbol(&self, out: &mut String) {
        let unit = Axis::bare("", [0.0, 1.0]);
        let place = Place {
            x: &unit,
            y: &unit,
            size: [22.0, 20.0],
        };
        let shape = match self.symbol {
            Symbol::Line => Shape::Line(vec![[0.0, 0.5], [1.0, 0.5]]),
            Symbol::Dot => Shape::Dots(vec![[0.5, 0.5]]),
            Symbol::Cross => Shape::Crosses(vec![[0.5, 0.5]]),
            Symbol::Area => Shape::Bars(vec![[0.0, 0.2, 1.0, 0.8]]),
        };
        Mark::new(self.style, shape).write(out, &place);
    }

    /// The symbol as an element of a page.
    pub(crate) fn inline_symbol(&self) -> String {
        let mut out =
            "<svg class=\"bayes\" width=\"22\" height=\"20\" aria-hidden=\"true\">".to_owned();
        self.write_symbol(&mut out);
        out + "</svg>"
    }
}

impl Panel {
    /// The panel alone as an element for a page that has the style sheet.
    pub(crate) fn inline(&self, figure: &str) -> String {
        let [width, height] = self.size;
        let mut out = inline_start(
            width,
            height,
            &format!("{figure}: {} {}", self.title, self.note),
        );
        self.write(&mut out, [0.0, 0.0]);
        out + "</svg>"
    }
}

fn inline_start(width: f64, height: f64, name: &str) -> String {
    format!(
        "<svg class=\"bayes\" viewBox=\"0 0 {width:.0} {height:.0}\" style=\"--w:{width:.0}px\" role=\"img\" aria-label=\"{}\">",
        escaped(name.trim())
    )
}

/// Writes a file, or returns the system's error.
pub(crate) fn write_file(path: &Path, content: &[u8]) -> Result<(), Error> {
    let written = std::fs::write(path, content);
    written.map_err(|error| FileError::system(path, "written", &error).into())
}
