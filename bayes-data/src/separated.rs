//! Fields between separators, with the quotes of RFC 4180.
//!
//! Blanks around a field, and around its quotes, are left out, as in pandas' `skipinitialspace` and R's `strip.white`. A quote anywhere
//! else is refused, because a guess loses rows: a quote that does not close would take all lines up to the next quote into its field.

use bayes_core::run::QuoteFault;
use std::borrow::Cow;

/// The rows of a text, with their lines.
pub(crate) struct Separated<'t> {
    /// The text that is not read yet.
    rest: &'t str,
    delimiter: char,
    /// The line at which `rest` begins, from 1.
    line: u64,
}

/// The text of a field, and whether it stood in quotes.
pub(crate) type Text<'t> = (Cow<'t, str>, bool);

/// A misplaced quote.
#[derive(Debug)]
pub(crate) struct Misplaced {
    pub(crate) line: u64,
    /// The field, from 1.
    pub(crate) number: usize,
    pub(crate) fault: QuoteFault,
}

impl<'t> Separated<'t> {
    pub(crate) fn new(text: &'t str, delimiter: char) -> Self {
        Self {
            rest: text.strip_prefix('\u{feff}').unwrap_or(text),
            delimiter,
            line: 1,
        }
    }

    /// Reads the fields of the next row that is not an empty line, and returns its first line; `None` at the end.
    pub(crate) fn record(&mut self, cells: &mut Vec<Text<'t>>) -> Result<Option<u64>, Misplaced> {
        cells.clear();
        while self.end_line() {}
        if self.rest.is_empty() {
            return Ok(None);
        }
        let line = self.line;
        loop {
            cells.push(self.cell(cells.len() + 1)?);
            match self.rest.chars().next() {
                Some(next) if next == self.delimiter => self.skip(next.len_utf8()),
                _ => break,
            }
        }
        self.end_line();
        Ok(Some(line))
    }

    /// The next field, up to its separator.
    fn cell(&mut self, number: usize) -> Result<Text<'t>, Misplaced> {
        let field = self.field();
        if !field.contains('"') {
            self.skip(field.len());
            return Ok((Cow::Borrowed(field.trim()), false));
        }
        // a separator, or the end of a line, may be within its quotes
        let quoted = self.rest.trim_start_matches(self.blank());
        if !quoted.starts_with('"') {
            return Err(self.misplaced(number, QuoteFault::Within));
        }
        self.rest = quoted;
        self.quoted(number)
    }

    /// A field that begins with a quote.
    fn quoted(&mut self, number: usize) -> Result<Text<'t>, Misplaced> {
        let (opened, mut text) = (self.line, Cow::Borrowed(""));
        loop {
            // the quote that opens, or the second of two
            self.skip(1);
            let Some(end) = self.rest.find('"') else {
                self.line = opened;
                return Err(self.misplaced(number, QuoteFault::Open));
            };
            text += &self.rest[..end];
            self.line += line_ends(&self.rest[..end]);
            self.skip(end + 1);
            if !self.rest.starts_with('"') {
                break;
            }
            text += "\"";
        }
        self.rest = self.rest.trim_start_matches(self.blank());
        match self.field() {
            "" => Ok((trimmed(text), true)),
            behind => {
                let found = behind.trim_end().to_owned();
                Err(self.misplaced(number, QuoteFault::Behind { opened, found }))
            }
        }
    }

    /// The text up to the next separator or the end of the line.
    fn field(&self) -> &'t str {
        let end = match u8::try_from(self.delimiter) {
            // no byte of a longer character is ASCII
            Ok(delimiter) if delimiter.is_ascii() => {
                let is_end = |byte: &u8| [delimiter, b'\n', b'\r'].contains(byte);
                self.rest.as_bytes().iter().position(is_end)
            }
            _ => self.rest.find([self.delimiter, '\n', '\r']),
        };
        &self.rest[..end.unwrap_or(self.rest.len())]
    }

    /// Whether the line ended here; if so, the next one begins.
    fn end_line(&mut self) -> bool {
        let end = match self.rest.as_bytes() {
            [b'\r', b'\n', ..] => 2,
            [b'\r' | b'\n', ..] => 1,
            _ => return false,
        };
        self.skip(end);
        self.line += 1;
        true
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = &self.rest[bytes..];
    }

    fn blank(&self) -> impl Fn(char) -> bool + use<> {
        let delimiter = self.delimiter;
        move |c| matches!(c, ' ' | '\t') && c != delimiter
    }

    fn misplaced(&self, number: usize, fault: QuoteFault) -> Misplaced {
        Misplaced {
            line: self.line,
            number,
            fault,
        }
    }
}

/// A text without blanks at its ends.
fn trimmed(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    }
}

/// The number of line ends in a text.
pub(crate) fn line_ends(text: &str) -> u64 {
    let ends = text.matches(['\n', '\r']).count() - text.matches("\r\n").count();
    ends as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fields of all rows, with quoted fields marked, or the error.
    fn rows(text: &str) -> Result<Vec<Vec<String>>, Misplaced> {
        let mut separated = Separated::new(text, ',');
        let (mut rows, mut cells) = (Vec::new(), Vec::new());
        while separated.record(&mut cells)?.is_some() {
            let shown = |(text, is_quoted): &Text<'_>| match is_quoted {
                true => format!("<{text}>"),
                false => text.to_string(),
            };
            rows.push(cells.iter().map(shown).collect());
        }
        Ok(rows)
    }

    fn one(text: &str) -> Vec<String> {
        rows(text).expect("its quotes are in place").concat()
    }

    #[test]
    fn quotes_enclose_what_rfc_4180_says() {
        assert_eq!(one("a,\"b,c\",\"d\"\"e\""), ["a", "<b,c>", "<d\"e>"]);
        assert_eq!(one("\"\",\"\"\"\",x"), ["<>", "<\">", "x"]);
        assert_eq!(one("\"two\r\nlines\",1\r\n"), ["<two\r\nlines>", "1"]);
        // blanks around a field and around its quotes
        assert_eq!(one(" \"M\" ,\t\"F\", x "), ["<M>", "<F>", "x"]);
        assert_eq!(one("a,,"), ["a", "", ""]);
        assert_eq!(one(",\n"), ["", ""]);
    }

    #[test]
    fn lines_end_in_any_way_and_are_counted() {
        let mut separated = Separated::new("\u{feff}a\r\n\r\"b\r\nc\rd\"\n\ne", ',');
        let (mut lines, mut cells) = (Vec::new(), Vec::new());
        while let Some(line) = separated
            .record(&mut cells)
            .expect("its quotes are in place")
        {
            lines.push((line, cells[0].0.to_string()));
        }
        let wanted = [(1, "a"), (3, "b\r\nc\rd"), (7, "e")];
        assert_eq!(lines, wanted.map(|(line, text)| (line, text.to_owned())));
    }

    #[test]
    fn a_quote_at_another_place_is_found_where_it_is() {
        let found = |text: &str| {
            let error = rows(text).expect_err("a quote is out of place");
            (error.line, error.number, error.fault)
        };
        assert_eq!(found("a,b\n1,\"x\n2,y\n"), (2, 2, QuoteFault::Open));
        assert_eq!(found("\"a,b\n1,x\n"), (1, 1, QuoteFault::Open));
        assert_eq!(found("1,5\" pipe\n"), (1, 2, QuoteFault::Within));
        let behind = |opened, found: &str| QuoteFault::Behind {
            opened,
            found: found.to_owned(),
        };
        assert_eq!(found("\"M\"x ,1"), (1, 1, behind(1, "x")));
        // the next stray quote closes the first one
        assert_eq!(found("1,\"a\n2,b\n3,\"c\n"), (3, 2, behind(1, "c")));
    }
}
