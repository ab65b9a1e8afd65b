//! Charts of curves, several to a figure, as SVG.

use std::fmt::Write;

/// Width and height of a panel, and the margins around it, in pixels.
const PANEL: [f64; 2] = [400.0, 300.0];
const MARGIN: [f64; 2] = [84.0, 62.0];
/// Height of a line of the legend, the width of an entry's sample, and a generous width of a character.
const LINE: f64 = 28.0;
const SAMPLE: f64 = 40.0;
const CHARACTER: f64 = 7.5;
/// The suffix of a curve's name that makes it a dotted version of the curve without the suffix.
pub const PUBLISHED: &str = ", published";
/// Colours that colour-blind people can tell apart (Okabe & Ito 2008), with the shape of the marks. From the eighth curve on they
/// repeat with long dashes.
const STYLES: [(&str, Mark); 7] = [
    ("#0072b2", Mark::Disc),
    ("#56b4e9", Mark::Square),
    ("#999999", Mark::Ring),
    ("#009e73", Mark::Triangle),
    ("#d55e00", Mark::Diamond),
    ("#e69f00", Mark::Cross),
    ("#cc79a7", Mark::Plus),
];

#[derive(Clone, Copy)]
enum Mark {
    Disc,
    Square,
    Ring,
    Triangle,
    Diamond,
    Cross,
    Plus,
}

/// The quantity on an axis, with its unit.
#[derive(Clone, Copy)]
pub struct Quantity {
    label: &'static str,
    scale: Scale,
}

/// The scale of an axis.
#[derive(Clone, Copy, PartialEq)]
enum Scale {
    /// Logarithmic, with ticks at powers of this base.
    Powers(f64),
    Linear,
}

impl Quantity {
    /// A logarithmic axis with ticks at powers of ten.
    pub const fn new(label: &'static str) -> Self {
        let scale = Scale::Powers(10.0);
        Self { label, scale }
    }

    /// A logarithmic axis with ticks at powers of two.
    pub const fn counted(label: &'static str) -> Self {
        let scale = Scale::Powers(2.0);
        Self { label, scale }
    }

    /// A linear axis.
    pub const fn linear(label: &'static str) -> Self {
        let scale = Scale::Linear;
        Self { label, scale }
    }
}

/// A point of a curve; on a logarithmic axis its coordinate is above 0.
#[derive(Clone, Copy)]
pub struct Point {
    /// The horizontal coordinate.
    pub x: f64,
    /// The vertical coordinate.
    pub y: f64,
    /// Standard error of `y`; 0 draws no bar.
    pub error: f64,
}

/// A curve; curves of the same name in several panels look the same.
pub struct Curve {
    /// The name in the legend.
    pub name: String,
    /// The points, from left to right.
    pub points: Vec<Point>,
}

/// A panel of a figure.
pub struct Panel {
    /// The title above the panel.
    pub title: String,
    /// The quantity on the horizontal axis.
    pub x: Quantity,
    /// The quantity on the vertical axis.
    pub y: Quantity,
    /// The curves.
    pub curves: Vec<Curve>,
}

/// An axis from `low` to `high` on `length` pixels.
struct Axis {
    low: f64,
    high: f64,
    length: f64,
    scale: Scale,
}

impl Axis {
    fn of(panel: &Panel, quantity: Quantity, length: f64, value: fn(&Point) -> f64) -> Self {
        let values = || panel.curves.iter().flat_map(|c| &c.points).map(value);
        let low = values().fold(f64::INFINITY, f64::min);
        let high = values().fold(f64::NEG_INFINITY, f64::max);
        let [low, high] = match quantity.scale {
            Scale::Powers(_) => {
                let reach = (high / low).powf(0.05).max(1.05);
                [low / reach, high * reach]
            }
            Scale::Linear => {
                let reach = (0.05 * (high - low)).max(1e-9);
                [low - reach, high + reach]
            }
        };
        Self {
            low,
            high,
            length,
            scale: quantity.scale,
        }
    }

    fn at(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        let share = match self.scale {
            Scale::Powers(_) => (value / self.low).ln() / (self.high / self.low).ln(),
            Scale::Linear => (value - self.low) / (self.high - self.low),
        };
        self.length * share
    }

    fn ticks(&self) -> Vec<f64> {
        match self.scale {
            Scale::Powers(base) => self.powers(base),
            Scale::Linear => self.multiples(),
        }
    }

    /// A tick's number; powers of two in full.
    fn number(&self, tick: f64) -> String {
        let is_counted = self.scale == Scale::Powers(2.0) && tick >= 1.0;
        if tick == 0.0 || is_counted || (0.001..=9999.0).contains(&tick.abs()) {
            format!("{}", (tick * 1e6).round() / 1e6)
        } else {
            format!("{tick:.0e}")
        }
    }

    /// Multiples of 1, 2 or 5 times a power of ten within the axis, four to nine of them.
    fn multiples(&self) -> Vec<f64> {
        let least = (self.high - self.low) / 9.0;
        let power = 10f64.powf(least.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
        let step = steps.into_iter().find(|step| *step >= least);
        let step = step.unwrap_or(10.0 * power);
        let [first, last] = [self.low, self.high].map(|end| end / step);
        let places = first.ceil() as i64..=last.floor() as i64;
        places.map(|place| place as f64 * step).collect()
    }

    /// Powers of the base within the axis, at most nine of them; on a short axis of powers of ten also 2 and 5 times the powers.
    fn powers(&self, base: f64) -> Vec<f64> {
        let is_short = base == 10.0 && self.high / self.low < 200.0;
        let factors: &[f64] = if is_short { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let powers = (-24..=24).map(|k| base.powi(k));
        let all = powers.flat_map(|power| factors.iter().map(move |factor| factor * power));
        let ticks: Vec<f64> = all
            .filter(|tick| (self.low..=self.high).contains(tick))
            .collect();
        let step = ticks.len().div_ceil(9).max(1);
        ticks.into_iter().step_by(step).collect()
    }
}

/// The whole figure, with `columns` panels side by side.
pub fn svg(panels: &[Panel], columns: usize) -> String {
    let mut names: Vec<&str> = Vec::new();
    for curve in panels.iter().flat_map(|panel| &panel.curves) {
        if !names.contains(&curve.name.as_str()) {
            names.push(&curve.name);
        }
    }
    let columns = columns.min(panels.len());
    let rows = panels.len().div_ceil(columns) as f64;
    let width = MARGIN[0] * 1.4 + columns as f64 * (PANEL[0] + 1.5 * MARGIN[0]) - 1.5 * MARGIN[0];
    let height = rows * (PANEL[1] + 1.6 * MARGIN[1]);
    let legend = Legend::of(&names, width - MARGIN[0]);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{0}\" viewBox=\"0 0 {width} {0}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        height + legend.height(names.len()) + 8.0
    );
    for (k, panel) in panels.iter().enumerate() {
        let corner = [k % columns, k / columns].map(|i| i as f64);
        let left = MARGIN[0] + corner[0] * (PANEL[0] + 1.5 * MARGIN[0]);
        let top = 0.7 * MARGIN[1] + corner[1] * (PANEL[1] + 1.6 * MARGIN[1]);
        // writing to a string cannot fail
        let _ = writeln!(text, "<g transform=\"translate({left:.1} {top:.1})\">");
        let _ = write_panel(&mut text, panel, &names);
        let _ = writeln!(text, "</g>");
    }
    let _ = legend.write(&mut text, &names, [MARGIN[0], height + 8.0]);
    text + "</svg>\n"
}

fn write_panel(text: &mut String, panel: &Panel, names: &[&str]) -> std::fmt::Result {
    let [width, height] = PANEL;
    let x = Axis::of(panel, panel.x, width, |point| point.x);
    let y = Axis::of(panel, panel.y, height, |point| point.y);
    writeln!(
        text,
        "<text x=\"{}\" y=\"-12\" text-anchor=\"middle\" font-weight=\"bold\">{}</text>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"none\" stroke=\"#333333\"/>",
        0.5 * width,
        panel.title
    )?;
    for tick in x.ticks() {
        let at = x.at(tick);
        writeln!(
            text,
            "<path d=\"M{at:.1} 0V{height}\" stroke=\"#e4e4e4\"/><text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            height + 18.0,
            x.number(tick)
        )?;
    }
    for tick in y.ticks() {
        let at = height - y.at(tick);
        writeln!(
            text,
            "<path d=\"M0 {at:.1}H{width}\" stroke=\"#e4e4e4\"/><text x=\"-8\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            at + 4.0,
            y.number(tick)
        )?;
    }
    writeln!(
        text,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n\
         <text transform=\"translate(-62 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        0.5 * width,
        height + 40.0,
        panel.x.label,
        0.5 * height,
        panel.y.label
    )?;
    for curve in &panel.curves {
        let place = |point: &Point, value: f64| [x.at(point.x), height - y.at(value)];
        for point in curve.points.iter().filter(|point| point.error > 0.0) {
            let [at, low] = place(point, point.y - point.error);
            let [_, high] = place(point, point.y + point.error);
            writeln!(
                text,
                "<path d=\"M{at:.1} {low:.1}V{high:.1}\" stroke=\"#666666\"/>"
            )?;
        }
        let points: Vec<[f64; 2]> = curve.points.iter().map(|p| place(p, p.y)).collect();
        write_curve(text, &points, Style::of(&curve.name, names))?;
    }
    Ok(())
}

/// The style of a curve.
#[derive(Clone, Copy)]
struct Style {
    colour: &'static str,
    mark: Mark,
    /// The lengths of dashes and gaps; empty for a line.
    dashes: &'static str,
}

impl Style {
    /// The style by the position of the name among names without the suffix of published figures.
    fn of(name: &str, names: &[&str]) -> Self {
        let own = name.strip_suffix(PUBLISHED);
        let found = own.filter(|own| names.contains(own));
        let among = names.iter().filter(|other| {
            let base = other.strip_suffix(PUBLISHED);
            !base.is_some_and(|base| names.contains(&base))
        });
        let sought = found.unwrap_or(name);
        let place = among.take_while(|other| **other != sought).count();
        let (colour, mark) = STYLES[place % STYLES.len()];
        Self {
            colour,
            mark,
            dashes: match (place < STYLES.len(), found.is_some()) {
                (true, false) => "",
                (true, true) => "2 3",
                (false, false) => "7 3",
                (false, true) => "7 3 2 3",
            },
        }
    }
}

fn write_curve(text: &mut String, points: &[[f64; 2]], style: Style) -> std::fmt::Result {
    let Style {
        colour,
        mark,
        dashes,
    } = style;
    let dash = match dashes {
        "" => String::new(),
        dashes => format!(" stroke-dasharray=\"{dashes}\""),
    };
    let path: Vec<String> = points
        .iter()
        .map(|[x, y]| format!("{x:.1},{y:.1}"))
        .collect();
    writeln!(
        text,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"{dash}/>",
        path.join(" ")
    )?;
    points
        .iter()
        .try_for_each(|at| write_mark(text, *at, (colour, mark)))
}

fn write_mark(
    text: &mut String,
    [x, y]: [f64; 2],
    (colour, mark): (&str, Mark),
) -> std::fmt::Result {
    let shape = match mark {
        Mark::Disc => format!("<circle r=\"4.5\" fill=\"{colour}\"/>"),
        Mark::Ring => {
            format!("<circle r=\"4.5\" fill=\"white\" stroke=\"{colour}\" stroke-width=\"2\"/>")
        }
        Mark::Square => format!("<path d=\"M-4 -4H4V4H-4Z\" fill=\"{colour}\"/>"),
        Mark::Triangle => format!("<path d=\"M0 -5L5 4H-5Z\" fill=\"{colour}\"/>"),
        Mark::Diamond => format!("<path d=\"M0 -6L5 0L0 6L-5 0Z\" fill=\"{colour}\"/>"),
        Mark::Cross => {
            format!("<path d=\"M-4 -4L4 4M-4 4L4 -4\" stroke=\"{colour}\" stroke-width=\"2.5\"/>")
        }
        Mark::Plus => {
            format!("<path d=\"M-5 0H5M0 -5V5\" stroke=\"{colour}\" stroke-width=\"2.5\"/>")
        }
    };
    writeln!(
        text,
        "<g transform=\"translate({x:.1} {y:.1})\">{shape}</g>"
    )
}

/// The layout of a legend's entries.
struct Legend {
    /// Number of entries of a line.
    columns: usize,
    /// Width of an entry.
    entry: f64,
}

impl Legend {
    /// As many entries side by side as fit into this width with the longest name.
    fn of(names: &[&str], width: f64) -> Self {
        let longest = names.iter().map(|name| name.chars().count()).max();
        let needed = SAMPLE + CHARACTER * longest.unwrap_or(0) as f64 + 20.0;
        let columns = ((width / needed) as usize).clamp(1, names.len().max(1));
        let entry = (width / columns as f64).min(250.0).max(needed);
        Self { columns, entry }
    }

    fn height(&self, names: usize) -> f64 {
        LINE * names.div_ceil(self.columns) as f64
    }

    fn write(&self, text: &mut String, names: &[&str], [left, top]: [f64; 2]) -> std::fmt::Result {
        for (k, name) in names.iter().enumerate() {
            let x = left + self.entry * (k % self.columns) as f64;
            let y = top + LINE * (k / self.columns) as f64;
            let ends = [[x, y], [x + SAMPLE - 12.0, y]];
            write_curve(text, &ends, Style::of(name, names))?;
            writeln!(
                text,
                "<text x=\"{}\" y=\"{}\">{name}</text>",
                x + SAMPLE,
                y + 4.5
            )?;
        }
        Ok(())
    }
}
