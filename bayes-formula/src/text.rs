//! Tables of numbers as text.

use std::fmt;

/// Longer lists of rows are abbreviated.
const LONGEST: usize = 40;
/// Rows shown at the beginning and at the end of an abbreviated list.
const SHOWN: usize = 10;

/// Writes a header and rows, the first `words` columns left-aligned and the others right-aligned, without the middle of a long list.
pub(crate) fn write(
    f: &mut fmt::Formatter<'_>,
    header: &[&str],
    rows: &[Vec<String>],
    words: usize,
) -> fmt::Result {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or(0).max(header[column].chars().count())
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let mut line = |cells: &mut dyn Iterator<Item = &str>| {
        let mut text = String::new();
        for (k, (cell, width)) in cells.zip(&widths).enumerate() {
            let gap = if k > 0 { "  " } else { "" };
            text += &match k < words {
                true => format!("{gap}{cell:<width$}"),
                false => format!("{gap}{cell:>width$}"),
            };
        }
        writeln!(f, "{}", text.trim_end())
    };
    line(&mut header.iter().copied())?;
    let hidden = match rows.len() {
        0..=LONGEST => 0..0,
        all => SHOWN..all - SHOWN,
    };
    for (k, row) in rows.iter().enumerate() {
        if k == hidden.start && !hidden.is_empty() {
            let text = format!("... {} rows ...", hidden.len());
            line(&mut std::iter::once(text.as_str()))?;
        }
        if !hidden.contains(&k) {
            line(&mut row.iter().map(String::as_str))?;
        }
    }
    Ok(())
}

/// A number with enough decimal places that `spread` has three significant digits.
pub(crate) fn number(value: f64, spread: f64) -> String {
    let size = if spread > 0.0 && spread.is_finite() {
        spread
    } else {
        value.abs()
    };
    if size == 0.0 || !size.is_finite() {
        return value.to_string();
    }
    let digits = 2 - size.log10().floor() as i32;
    match digits {
        -3..=9 => format!("{value:.*}", digits.max(0) as usize),
        _ => format!("{value:.2e}"),
    }
}

/// A number rounded to ten digits, for comma-separated values and for the notes of a fit, because later digits are rounding errors.
pub(crate) fn ten_digits(value: f64) -> f64 {
    format!("{value:.9e}").parse().unwrap_or(value)
}

/// A field of comma-separated values: in quotes if necessary.
pub(crate) fn field(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => quoted(text),
        false => text.to_owned(),
    }
}

/// A field in quotes.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_of_the_spread_count() {
        assert_eq!(number(251.4051, 7.3), "251.41");
        assert_eq!(number(0.123_456, 0.0012), "0.12346");
        assert_eq!(number(123_456.7, 1000.0), "123457");
        assert_eq!(number(1.5, 0.0), "1.50");
        assert_eq!(number(f64::NAN, f64::NAN), "NaN");
        assert_eq!(number(1.5e-14, 2.0e-15), "1.50e-14");
    }
}
