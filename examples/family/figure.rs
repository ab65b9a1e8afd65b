//! The figure: mean squared errors against gradients and against P, on logarithmic axes.

use crate::Row;
use std::fmt::Write;

/// Width and height of a panel, and the margins around it, in pixels.
const PANEL: [f64; 2] = [400.0, 300.0];
const MARGIN: [f64; 2] = [84.0, 62.0];
/// Height of the legend at the bottom.
const LEGEND: f64 = 92.0;
/// Colours that colour-blind people can tell apart (Okabe & Ito 2008), with the shape of the marks.
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

/// What an axis shows.
#[derive(Clone, Copy)]
struct Quantity {
    label: &'static str,
    of: fn(&Row) -> f64,
    /// Ticks are powers of this.
    base: f64,
}

/// A panel: what its axes show.
struct Panel {
    title: &'static str,
    x: Quantity,
    y: Quantity,
}

const GRADIENTS: Quantity = Quantity {
    label: "gradients of a run, millions",
    of: |row| row.gradients,
    base: 10.0,
};
const SIZE: Quantity = Quantity {
    label: "P, islands or chains",
    of: |row| row.size as f64,
    base: 2.0,
};
const MEAN: Quantity = Quantity {
    label: "mean squared error, posterior variances",
    of: |row| row.mean.mean_squared_error,
    base: 10.0,
};
const EVIDENCE: Quantity = Quantity {
    label: "mean squared error, nats²",
    of: |row| row.log_evidence.mean_squared_error,
    base: 10.0,
};

const PANELS: [Panel; 4] = [
    Panel {
        title: "Posterior mean against gradients",
        x: GRADIENTS,
        y: MEAN,
    },
    Panel {
        title: "Posterior mean against P",
        x: SIZE,
        y: MEAN,
    },
    Panel {
        title: "Log evidence against gradients",
        x: GRADIENTS,
        y: EVIDENCE,
    },
    Panel {
        title: "Log evidence against P",
        x: SIZE,
        y: EVIDENCE,
    },
];

/// A logarithmic axis from `low` to `high` on `length` pixels.
struct Axis {
    low: f64,
    high: f64,
    length: f64,
    base: f64,
}

impl Axis {
    fn of(rows: &[Row], quantity: Quantity, length: f64) -> Self {
        let values = || rows.iter().map(quantity.of);
        let low = values().fold(f64::INFINITY, f64::min);
        let high = values().fold(0.0, f64::max);
        let reach = (high / low).powf(0.05).max(1.05);
        Self {
            low: low / reach,
            high: high * reach,
            length,
            base: quantity.base,
        }
    }

    fn at(&self, value: f64) -> f64 {
        self.length * (value / self.low).ln() / (self.high / self.low).ln()
    }

    /// Powers of the base within the axis; on a short axis of powers of ten also 2 and 5 times those.
    fn ticks(&self) -> Vec<f64> {
        let is_short = self.base == 10.0 && self.high / self.low < 200.0;
        let factors: &[f64] = if is_short { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let powers = (-12..=12).map(|k| self.base.powi(k));
        let all = powers.flat_map(|power| factors.iter().map(move |factor| factor * power));
        all.filter(|tick| (self.low..=self.high).contains(tick))
            .collect()
    }
}

/// The whole figure.
pub fn svg(rows: &[Row]) -> String {
    let width = 2.0 * PANEL[0] + 2.9 * MARGIN[0];
    let height = 2.0 * (PANEL[1] + 1.6 * MARGIN[1]);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{0}\" viewBox=\"0 0 {width} {0}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        height + LEGEND
    );
    let mut names: Vec<&str> = rows.iter().map(|row| row.member).collect();
    names.dedup();
    for (k, panel) in PANELS.iter().enumerate() {
        let corner = [k % 2, k / 2].map(|i| i as f64);
        let left = MARGIN[0] + corner[0] * (PANEL[0] + 1.5 * MARGIN[0]);
        let top = 0.7 * MARGIN[1] + corner[1] * (PANEL[1] + 1.6 * MARGIN[1]);
        // writing to a string cannot fail
        let _ = writeln!(text, "<g transform=\"translate({left:.1} {top:.1})\">");
        let _ = write_panel(&mut text, panel, rows, &names);
        let _ = writeln!(text, "</g>");
    }
    let _ = write_legend(&mut text, &names, [MARGIN[0], height + 8.0]);
    text + "</svg>\n"
}

fn write_panel(text: &mut String, panel: &Panel, rows: &[Row], names: &[&str]) -> std::fmt::Result {
    let [width, height] = PANEL;
    let x = Axis::of(rows, panel.x, width);
    let y = Axis::of(rows, panel.y, height);
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
            number(tick)
        )?;
    }
    for tick in y.ticks() {
        let at = height - y.at(tick);
        writeln!(
            text,
            "<path d=\"M0 {at:.1}H{width}\" stroke=\"#e4e4e4\"/><text x=\"-8\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            at + 4.0,
            number(tick)
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
    for (name, style) in names.iter().zip(STYLES) {
        let own = rows.iter().filter(|row| row.member == *name);
        let points: Vec<[f64; 2]> = own
            .map(|row| [x.at((panel.x.of)(row)), height - y.at((panel.y.of)(row))])
            .collect();
        write_curve(text, &points, style)?;
    }
    Ok(())
}

fn write_curve(
    text: &mut String,
    points: &[[f64; 2]],
    (colour, mark): (&str, Mark),
) -> std::fmt::Result {
    let path: Vec<String> = points
        .iter()
        .map(|[x, y]| format!("{x:.1},{y:.1}"))
        .collect();
    writeln!(
        text,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>",
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

fn write_legend(text: &mut String, names: &[&str], [left, top]: [f64; 2]) -> std::fmt::Result {
    for (k, (name, style)) in names.iter().zip(STYLES).enumerate() {
        let x = left + 250.0 * (k % 4) as f64;
        let y = top + 28.0 * (k / 4) as f64;
        let ends = [[x, y], [x + 28.0, y]];
        write_curve(text, &ends, style)?;
        writeln!(
            text,
            "<text x=\"{}\" y=\"{}\">{name}</text>",
            x + 40.0,
            y + 4.5
        )?;
    }
    Ok(())
}

/// A tick's number.
fn number(tick: f64) -> String {
    if (0.001..=1000.0).contains(&tick) {
        format!("{}", (tick * 1e6).round() / 1e6)
    } else {
        format!("{tick:.0e}")
    }
}
