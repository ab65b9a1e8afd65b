//! Columns that are read by several threads, a block of rows each.

use crate::cells::{Cell, Cells};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::OnceLock;

/// The number of rows that a thread reads at once.
const ROWS: usize = 4096;

/// What is read of a column, or of a block of its rows.
pub(crate) struct Content<T> {
    pub(crate) values: Vec<T>,
    /// The rows without a value.
    pub(crate) missing: Vec<usize>,
    /// The first row with an invalid text, and what a valid one is.
    pub(crate) wrong: Option<(usize, &'static str)>,
}

/// A column of texts, each read by `parse`. The result is the same for any number of threads.
pub(crate) fn read<T: Send + Sync>(
    cells: &Cells,
    is_missing: impl Fn(Cell<'_>) -> bool + Sync,
    parse: impl Fn(&str) -> Result<T, &'static str> + Sync,
) -> Content<T> {
    let block = |rows: Range<usize>| {
        let mut content = Content {
            values: Vec::with_capacity(rows.len()),
            missing: Vec::new(),
            wrong: None,
        };
        for row in rows {
            match cells.at(row) {
                cell if is_missing(cell) => content.missing.push(row),
                _ if content.wrong.is_some() => {}
                cell => match parse(cell.text) {
                    Ok(value) => content.values.push(value),
                    Err(wanted) => content.wrong = Some((row, wanted)),
                },
            }
        }
        content
    };
    let all = cells.len();
    let read: Vec<OnceLock<Content<T>>> =
        (0..all.div_ceil(ROWS)).map(|_| OnceLock::new()).collect();
    for_each(read.len(), &|k| {
        let rows = k * ROWS..all.min((k + 1) * ROWS);
        read[k].get_or_init(|| block(rows));
    });
    let mut whole = Content {
        values: Vec::with_capacity(all),
        missing: Vec::new(),
        wrong: None,
    };
    for content in read.into_iter().filter_map(OnceLock::into_inner) {
        whole.values.extend(content.values);
        whole.missing.extend(content.missing);
        whole.wrong = whole.wrong.or(content.wrong);
    }
    whole
}

/// Not generic, so that rayon's code is compiled once.
fn for_each(count: usize, run: &(dyn Fn(usize) + Sync)) {
    match count {
        // a small table needs no threads
        0 | 1 => (0..count).for_each(run),
        _ => (0..count).into_par_iter().for_each(run),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of three blocks: their numbers, and other texts at some of them.
    fn content(others: &[(usize, &str)]) -> Content<usize> {
        let text = |row: usize| {
            let other = others.iter().find(|(at, _)| *at == row);
            other.map_or_else(|| row.to_string(), |(_, text)| (*text).to_owned())
        };
        let mut cells = Cells::default();
        for row in 0..2 * ROWS + 100 {
            cells.push(Cell {
                text: &text(row),
                is_quoted: false,
            });
        }
        let parse = |text: &str| text.parse().map_err(|_| "a whole number");
        read(&cells, |cell| cell.text.is_empty(), parse)
    }

    // Seen to detect: blocks in another order, and an end that is left out.
    #[test]
    fn blocks_are_put_together_in_the_order_of_rows() {
        let found = content(&[]);
        assert!(found.values.iter().copied().eq(0..2 * ROWS + 100));
        assert!(found.missing.is_empty() && found.wrong.is_none());
    }

    #[test]
    fn all_missing_rows_and_the_first_wrong_one_are_found() {
        let last = 2 * ROWS + 99;
        let found = content(&[(last, ""), (3, ""), (ROWS + 1, "x"), (ROWS + 2, "")]);
        assert_eq!(found.missing, [3, ROWS + 2, last]);
        assert_eq!(found.wrong, Some((ROWS + 1, "a whole number")));
        let found = content(&[(last, "y"), (ROWS, "x")]);
        assert_eq!(found.wrong.map(|(row, _)| row), Some(ROWS));
    }
}
