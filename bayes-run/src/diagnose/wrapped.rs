//! Warnings in lines of a page's width.

use std::fmt;

/// The width of lines.
const WIDTH: usize = 100;

/// Text wrapped between words, with continuation lines indented.
pub(crate) fn write(f: &mut impl fmt::Write, label: &str, text: &str) -> fmt::Result {
    let indent = label.chars().count();
    write!(f, "{label}")?;
    let mut column = indent;
    for (index, word) in text.split(' ').enumerate() {
        let width = word.chars().count();
        if index > 0 && column + 1 + width > WIDTH {
            write!(f, "\n{:indent$}", "")?;
            column = indent;
        } else if index > 0 {
            write!(f, " ")?;
            column += 1;
        }
        write!(f, "{word}")?;
        column += width;
    }
    writeln!(f)
}
