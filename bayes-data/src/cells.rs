//! The values of a column, as texts.

use crate::field::Field;

/// A value of a table as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell<'t> {
    pub(crate) text: &'t str,
    /// Whether it was written as a text, within quotes, so that `NA` does not mean a missing value.
    pub(crate) is_quoted: bool,
}

impl Cell<'_> {
    /// Whether it is empty, or one of these words without quotes, in upper or lower case.
    pub(crate) fn is_missing(self, words: &[String]) -> bool {
        let is = |word: &String| self.text.eq_ignore_ascii_case(word);
        self.text.is_empty() || (!self.is_quoted && words.iter().any(is))
    }
}

/// The values of a column, `[rows]`: one text behind the other, so that a column is read without a jump in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cells {
    text: String,
    /// Where the text of each row ends.
    ends: Vec<usize>,
    /// Whether the text of a row stood in quotes, up to the last row whose text did.
    quoted: Vec<bool>,
}

impl Cells {
    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Adds the value of the next row.
    pub(crate) fn push(&mut self, cell: Cell<'_>) {
        if cell.is_quoted {
            self.quoted.resize(self.len(), false);
            self.quoted.push(true);
        }
        self.text.push_str(cell.text);
        self.ends.push(self.text.len());
    }

    /// The value of a row.
    pub(crate) fn at(&self, row: usize) -> Cell<'_> {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        Cell {
            text: &self.text[start..self.ends[row]],
            is_quoted: self.quoted.get(row) == Some(&true),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Cell<'_>> {
        (0..self.len()).map(|row| self.at(row))
    }

    /// The rows whose entry in `keep` is true.
    pub(crate) fn kept(&self, keep: &[bool]) -> Self {
        let kept = self.iter().zip(keep).filter(|(_, keep)| **keep);
        kept.map(|(cell, _)| cell).collect()
    }
}

impl<'t> FromIterator<Cell<'t>> for Cells {
    fn from_iter<I: IntoIterator<Item = Cell<'t>>>(cells: I) -> Self {
        let mut all = Self::default();
        cells.into_iter().for_each(|cell| all.push(cell));
        all
    }
}

impl FromIterator<Field> for Cells {
    fn from_iter<I: IntoIterator<Item = Field>>(fields: I) -> Self {
        let mut all = Self::default();
        fields.into_iter().for_each(|field| all.push(field.cell()));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Seen to detect: `quoted` that is not filled up to the row, which moves the quotes to other rows.
    #[test]
    fn rows_keep_their_texts_and_their_quotes() {
        let fields = [
            Field::plain("NA"),
            Field::quoted("NA"),
            Field::plain(""),
            Field::quoted("é"),
            Field::plain("x"),
        ];
        let cells: Cells = fields.iter().cloned().collect();
        let shown: Vec<(&str, bool)> = cells.iter().map(|c| (c.text, c.is_quoted)).collect();
        let wanted = [
            ("NA", false),
            ("NA", true),
            ("", false),
            ("é", true),
            ("x", false),
        ];
        assert_eq!(shown, wanted);
        let words = ["na".to_owned()];
        let missing: Vec<bool> = cells.iter().map(|cell| cell.is_missing(&words)).collect();
        assert_eq!(missing, [true, false, true, false, false]);
        let kept = cells.kept(&[false, true, false, false, true]);
        assert_eq!(
            kept,
            [fields[1].clone(), fields[4].clone()].into_iter().collect()
        );
    }
}
