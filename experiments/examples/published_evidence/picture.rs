//! The picture: a panel for each problem with a line for each program, its estimates and its interval, less the truth.

use crate::record::{Found, Record};
use bayes_experiments::targets::Target;
use std::fmt::Write;

/// Width of a panel and height of a line in it, in pixels.
const WIDTH: f64 = 300.0;
const LINE: f64 = 20.0;
/// Space for the names of programs, above a panel, and between panels.
const NAMES: f64 = 84.0;
const TITLE: f64 = 44.0;
const GAP: f64 = 16.0;
const COLUMNS: usize = 3;
/// The axis is linear up to this distance from the truth, and logarithmic beyond.
const LINEAR: f64 = 0.01;
/// The distance at the edges; farther points are drawn there.
const EDGE: f64 = 30.0;
const TICKS: [(f64, &str); 9] = [
    (-10.0, "-10"),
    (-1.0, "-1"),
    (-0.1, "-.1"),
    (-0.01, ""),
    (0.0, "0"),
    (0.01, ""),
    (0.1, ".1"),
    (1.0, "1"),
    (10.0, "10"),
];
const OURS: &str = "#0072b2";
const OTHERS: &str = "#d55e00";

/// The horizontal position of a distance from the truth.
fn place(off: f64) -> f64 {
    let reach = (EDGE / LINEAR).asinh();
    let at = (off.clamp(-EDGE, EDGE) / LINEAR).asinh() / reach;
    0.5 * WIDTH * (1.0 + at)
}

/// The picture of these targets; `programs` marks which are ours.
pub fn svg(targets: &[Target], records: &[Record], programs: &[(&str, bool)]) -> String {
    let height = LINE * programs.len() as f64;
    let rows = targets.len().div_ceil(COLUMNS);
    let width = NAMES + COLUMNS as f64 * (WIDTH + GAP);
    let total = rows as f64 * (TITLE + height) + 32.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{total}\" viewBox=\"0 0 {width} {total}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for (k, target) in targets.iter().enumerate() {
        let [column, row] = [k % COLUMNS, k / COLUMNS].map(|i| i as f64);
        let left = NAMES + column * (WIDTH + GAP);
        let top = 30.0 + row * (TITLE + height);
        // writing to a string cannot fail
        let _ = writeln!(svg, "<g transform=\"translate({left} {top})\">");
        let _ = write_panel(&mut svg, target, records, programs, column == 0.0);
        let _ = writeln!(svg, "</g>");
    }
    let _ = writeln!(
        svg,
        "<text x=\"{NAMES}\" y=\"{:.0}\">log evidence less the truth: dots are runs, bars the mean of their 95% intervals; linear within 0.01, \
         logarithmic beyond</text>",
        total - 12.0
    );
    svg + "</svg>\n"
}

fn write_panel(
    svg: &mut String,
    target: &Target,
    records: &[Record],
    programs: &[(&str, bool)],
    is_named: bool,
) -> std::fmt::Result {
    let height = LINE * programs.len() as f64;
    writeln!(
        svg,
        "<text y=\"-7\" font-weight=\"bold\">{}</text><rect width=\"{WIDTH}\" height=\"{height}\" fill=\"none\" stroke=\"#888888\"/>",
        target.name
    )?;
    for (tick, label) in TICKS {
        let at = place(tick);
        let colour = if tick == 0.0 { "#000000" } else { "#dddddd" };
        writeln!(
            svg,
            "<path d=\"M{at:.1} 0V{height}\" stroke=\"{colour}\"/><text x=\"{at:.1}\" y=\"{}\" font-size=\"10\" text-anchor=\"middle\">{label}</text>",
            height + 12.0
        )?;
    }
    for (k, (program, is_ours)) in programs.iter().enumerate() {
        let y = LINE * (k as f64 + 0.5);
        if is_named {
            writeln!(
                svg,
                "<text x=\"-6\" y=\"{}\" text-anchor=\"end\">{program}</text>",
                y + 4.0
            )?;
        }
        let is_here = |r: &&Record| r.program == *program && r.problem == target.name;
        let all: Vec<&Record> = records.iter().filter(is_here).collect();
        let colour = if *is_ours { OURS } else { OTHERS };
        write_line(svg, target.log_evidence, &all, y, colour)?;
    }
    Ok(())
}

/// The estimates of a program, and the mean of its intervals.
fn write_line(
    svg: &mut String,
    truth: f64,
    records: &[&Record],
    y: f64,
    colour: &str,
) -> std::fmt::Result {
    let found: Vec<&Found> = records.iter().filter_map(|r| r.found()).collect();
    if found.is_empty() {
        let why = records.iter().find_map(|record| record.failed());
        let text = why.unwrap_or_else(|| "not run".to_owned());
        return writeln!(
            svg,
            "<text x=\"8\" y=\"{}\" font-size=\"11\" fill=\"#777777\">{text}</text>",
            y + 4.0
        );
    }
    let [low, high] = [0, 1].map(|end| {
        let sum: f64 = found.iter().map(|found| found.interval[end]).sum();
        place(sum / found.len() as f64 - truth)
    });
    writeln!(
        svg,
        "<path d=\"M{low:.1} {y}H{high:.1}\" stroke=\"{colour}\" stroke-width=\"7\" opacity=\"0.3\"/>"
    )?;
    found.iter().try_for_each(|found| {
        let at = place(found.log_evidence - truth);
        writeln!(
            svg,
            "<circle cx=\"{at:.1}\" cy=\"{y}\" r=\"2.5\" fill=\"{colour}\" opacity=\"0.6\"/>"
        )
    })
}
