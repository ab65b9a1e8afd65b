//! A table, aligned on its columns.

use std::fmt;

/// A line below the header.
pub(crate) enum Line {
    /// One cell for each column.
    Cells(Vec<String>),
    /// Text in place of rows that are left out.
    Words(String),
}

/// Writes the header and the lines: the first column to the left, the others to the right.
pub(crate) fn write(f: &mut fmt::Formatter<'_>, header: &[&str], lines: &[Line]) -> fmt::Result {
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| match line {
            Line::Cells(cells) => cells.get(column),
            Line::Words(_) => None,
        });
        let longest = cells.map(|cell| cell.chars().count()).max();
        longest.unwrap_or(0).max(header[column].len())
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    write_row(f, header, &widths)?;
    for line in lines {
        match line {
            Line::Cells(cells) => write_row(f, cells, &widths)?,
            Line::Words(words) => writeln!(f, "{words}")?,
        }
    }
    Ok(())
}

fn write_row(
    f: &mut fmt::Formatter<'_>,
    cells: &[impl fmt::Display],
    widths: &[usize],
) -> fmt::Result {
    for (column, (cell, &width)) in cells.iter().zip(widths).enumerate() {
        if column == 0 {
            write!(f, "{cell:<width$}")?;
        } else {
            write!(f, "  {cell:>width$}")?;
        }
    }
    writeln!(f)
}
