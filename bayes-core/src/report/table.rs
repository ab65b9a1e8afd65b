//! The table of a summary, aligned on its columns.

use super::summary::SummaryRow;
use crate::text::{Style, whole};
use std::fmt;

const HEADER: [&str; 10] = [
    "", "mean", "mcse", "sd", "5%", "50%", "95%", "ess_bulk", "ess_tail", "r_hat",
];

/// A line below the header.
pub(super) enum Line<'a> {
    /// A row of the summary.
    Row(&'a SummaryRow),
    /// Text in place of rows that are left out.
    Words(String),
}

/// Writes the header and the lines: names to the left, numbers to the right.
pub(super) fn write(f: &mut fmt::Formatter<'_>, lines: &[Line<'_>]) -> fmt::Result {
    let cells: Vec<Option<[String; 10]>> = lines.iter().map(cells).collect();
    let width = |column: usize| {
        let longest = cells
            .iter()
            .flatten()
            .map(|row| row[column].chars().count())
            .max();
        longest.unwrap_or(0).max(HEADER[column].len())
    };
    let widths: [usize; 10] = std::array::from_fn(width);
    write_row(f, &HEADER.map(str::to_owned), &widths)?;
    for (line, cells) in lines.iter().zip(&cells) {
        match (line, cells) {
            (Line::Words(words), _) => writeln!(f, "{words}")?,
            (_, Some(cells)) => write_row(f, cells, &widths)?,
            (_, None) => {}
        }
    }
    Ok(())
}

fn cells(line: &Line<'_>) -> Option<[String; 10]> {
    let Line::Row(row) = line else { return None };
    let values = [row.mean, row.mcse, row.sd, row.q5, row.q50, row.q95];
    let largest = values
        .iter()
        .filter(|v| v.is_finite())
        .fold(0.0, |a: f64, v| a.max(v.abs()));
    // Digits beyond a thousandth of the sd are not printed, however small the error.
    let style = Style::for_error(row.mcse.max(1e-3 * row.sd), largest);
    let [mean, mcse, sd, q5, q50, q95] = values.map(|value| style.write(value));
    let r_hat = Style::Fixed(3).write(row.r_hat);
    let sizes = [row.ess_bulk, row.ess_tail].map(whole);
    let [ess_bulk, ess_tail] = sizes;
    Some([
        row.name.clone(),
        mean,
        mcse,
        sd,
        q5,
        q50,
        q95,
        ess_bulk,
        ess_tail,
        r_hat,
    ])
}

fn write_row(
    f: &mut fmt::Formatter<'_>,
    cells: &[String; 10],
    widths: &[usize; 10],
) -> fmt::Result {
    write!(f, "{:<1$}", cells[0], widths[0])?;
    for (cell, width) in cells.iter().zip(widths).skip(1) {
        write!(f, "  {cell:>width$}")?;
    }
    writeln!(f)
}
