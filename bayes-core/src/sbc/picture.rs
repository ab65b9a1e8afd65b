//! Plots of ranks: a line of text, and an SVG of the differences of their distributions from the uniform distribution.

use super::SbcReport;
use crate::text::escaped;
use std::fmt::Write;

/// The 95% point of Kolmogorov's distribution: the band contains a whole curve with this probability, for many ranks.
const BAND: f64 = 1.358;
const BARS: usize = 20;
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Size of the picture and its margins, in pixels.
const SIZE: [f64; 2] = [640.0, 360.0];
const MARGIN: f64 = 48.0;
/// Colours that people with any kind of colour vision tell apart (Okabe and Ito 2008), as in bayes-plot.
const COLOURS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#3c3c40",
];
/// Quantities with a name in the picture.
const NAMED: usize = 12;

/// The histogram of the numbers in twenty bins; a bar of half the height is the expected count.
pub(super) fn histogram(positions: &[f64]) -> String {
    let mut counts = [0.0; BARS];
    for u in positions {
        counts[((u * BARS as f64) as usize).min(BARS - 1)] += 1.0;
    }
    let expected = positions.len() as f64 / BARS as f64;
    let bar = |count: &f64| {
        let height = (0.5 * (HEIGHTS.len() - 1) as f64 * count / expected).round();
        HEIGHTS[(height as usize).min(HEIGHTS.len() - 1)]
    };
    counts.iter().map(bar).collect()
}

/// Coordinates of the picture.
struct Frame {
    /// The largest difference on the vertical axis.
    reach: f64,
}

impl Frame {
    fn x(&self, u: f64) -> f64 {
        MARGIN + u * (SIZE[0] - 2.0 * MARGIN)
    }
    fn y(&self, difference: f64) -> f64 {
        0.5 * SIZE[1] - difference / self.reach * (0.5 * SIZE[1] - MARGIN)
    }
}

pub(super) fn svg(report: &SbcReport) -> String {
    let band = BAND / (report.simulations().max(1) as f64).sqrt();
    let largest = report
        .quantities
        .iter()
        .map(|q| q.distance())
        .fold(band, f64::max);
    let frame = Frame {
        reach: 1.1 * largest,
    };
    let mut text = String::new();
    // writing to a string cannot fail
    let _ = write_frame(&mut text, report, &frame, band);
    for (k, quantity) in report.quantities.iter().enumerate() {
        let colour = COLOURS[k % COLOURS.len()];
        let points = curve(&quantity.positions, &frame);
        let _ = writeln!(
            text,
            r#"<polyline fill="none" stroke="{colour}" stroke-width="1.5" points="{points}"/>"#
        );
        if k < NAMED {
            let _ = writeln!(
                text,
                r#"<text x="{}" y="{}" fill="{colour}">{}</text>"#,
                SIZE[0] - MARGIN + 4.0 - 120.0,
                MARGIN + 14.0 * k as f64,
                escaped(&quantity.name)
            );
        }
    }
    text + "</svg>\n"
}

fn write_frame(
    text: &mut String,
    report: &SbcReport,
    frame: &Frame,
    band: f64,
) -> std::fmt::Result {
    let [width, height] = SIZE;
    writeln!(
        text,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="system-ui,'DejaVu Sans',sans-serif" font-size="11">"#
    )?;
    writeln!(
        text,
        r##"<rect width="{width}" height="{height}" fill="#ffffff"/>"##
    )?;
    let (left, right) = (frame.x(0.0), frame.x(1.0));
    let (top, bottom) = (frame.y(band), frame.y(-band));
    writeln!(
        text,
        r##"<rect x="{left}" y="{top:.2}" width="{:.2}" height="{:.2}" fill="#e8edf2"/>"##,
        right - left,
        bottom - top
    )?;
    let zero = frame.y(0.0);
    writeln!(
        text,
        r##"<line x1="{left}" y1="{zero}" x2="{right}" y2="{zero}" stroke="#999999"/>"##
    )?;
    for (difference, label) in [
        (band, format!("{band:.3}")),
        (-band, format!("-{band:.3}")),
        (0.0, "0".to_owned()),
    ] {
        let y = frame.y(difference) + 4.0;
        writeln!(
            text,
            r#"<text x="{}" y="{y:.2}" text-anchor="end">{label}</text>"#,
            left - 6.0
        )?;
    }
    for u in [0.0, 0.5, 1.0] {
        let (x, y) = (frame.x(u), height - MARGIN + 16.0);
        writeln!(
            text,
            r#"<text x="{x}" y="{y}" text-anchor="middle">{u}</text>"#
        )?;
    }
    let (middle, below) = (frame.x(0.5), height - 12.0);
    let (beside, centre) = (14.0, 0.5 * height);
    writeln!(
        text,
        r#"<text x="{middle}" y="{below}" text-anchor="middle">rank of the true value among the draws, from 0 to 1</text>
<text transform="translate({beside} {centre}) rotate(-90)" text-anchor="middle">difference of shares; 95% band shaded</text>"#
    )?;
    writeln!(
        text,
        r#"<text x="{left}" y="20" font-size="13">{}: share of the ranks below, less the uniform share; {} simulations</text>"#,
        escaped(&report.model),
        report.simulations()
    )
}

/// The empirical distribution function minus the uniform one, as the points of a line.
fn curve(positions: &[f64], frame: &Frame) -> String {
    let mut sorted = positions.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let mut points = format!("{:.2},{:.2}", frame.x(0.0), frame.y(0.0));
    for (i, u) in sorted.iter().enumerate() {
        for share in [i as f64 / n, (i + 1) as f64 / n] {
            let _ = write!(points, " {:.2},{:.2}", frame.x(*u), frame.y(share - u));
        }
    }
    let _ = write!(points, " {:.2},{:.2}", frame.x(1.0), frame.y(0.0));
    points
}
