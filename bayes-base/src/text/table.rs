//! A table, aligned on its columns.

use std::fmt;

/// A line below the header.
pub enum Line {
    /// One cell for each column.
    Cells(Vec<String>),
    /// Text in place of rows that are left out.
    Words(String),
}

/// Longer lists of rows are abbreviated.
const LONGEST: usize = 12;
/// Rows shown at the beginning and at the end of an abbreviated list.
const SHOWN: usize = 4;

/// The lines of a list of rows: `words` in place of those in its middle, if it is long.
pub fn abbreviated<T>(
    rows: &[T],
    line: impl Fn(&T) -> Line,
    words: impl Fn(&[T]) -> String,
) -> Vec<Line> {
    if rows.len() <= LONGEST {
        return rows.iter().map(line).collect();
    }
    let hidden = &rows[SHOWN..rows.len() - SHOWN];
    let mut lines: Vec<Line> = rows[..SHOWN].iter().map(&line).collect();
    lines.push(Line::Words(words(hidden)));
    lines.extend(rows[rows.len() - SHOWN..].iter().map(&line));
    lines
}

/// Writes the header and the lines: the first column to the left, the others to the right.
pub fn write(f: &mut fmt::Formatter<'_>, header: &[&str], lines: &[Line]) -> fmt::Result {
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
