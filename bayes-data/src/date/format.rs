//! Dates in a format that the user gives.

use super::{Date, Parts};
use bayes_core::Error;
use bayes_core::run::TableError;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
/// The expected text of a date in a given format.
const WANTED: &str = "a date in the given format";

/// A piece of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    /// A directive, such as the `Y` of `%Y`.
    Part(char),
    /// A character that stands for itself.
    Same(char),
}

/// A format in the notation of `strftime`.
#[derive(Clone, Debug)]
pub(crate) struct Format {
    pieces: Vec<Piece>,
}

impl Format {
    /// # Errors
    /// [`TableError::DateFormat`] for an unknown or repeated directive, or a format that leaves the day open.
    pub(crate) fn new(format: &str) -> Result<Self, Error> {
        let wrong = |reason: String| {
            Error::from(TableError::DateFormat {
                format: format.to_owned(),
                reason,
            })
        };
        let (mut pieces, mut letters) = (Vec::new(), format.chars());
        while let Some(letter) = letters.next() {
            if letter != '%' {
                pieces.push(Piece::Same(letter));
                continue;
            }
            let piece = match letters.next() {
                Some('%') => Piece::Same('%'),
                Some(part @ ('Y' | 'y' | 'm' | 'b' | 'd' | 'j' | 'H' | 'M' | 'S')) => {
                    Piece::Part(part)
                }
                Some('B') => Piece::Part('b'),
                Some(other) => return Err(wrong(format!("has the unknown directive %{other}"))),
                None => return Err(wrong("ends with %".to_owned())),
            };
            if matches!(piece, Piece::Part(_)) && pieces.contains(&piece) {
                return Err(wrong("has a directive twice".to_owned()));
            }
            pieces.push(piece);
        }
        let has = |part| pieces.contains(&Piece::Part(part));
        let numbers = |parts: &[char]| parts.iter().filter(|part| has(**part)).count();
        let is_day = match has('j') {
            true => numbers(&['m', 'b', 'd']) == 0,
            false => numbers(&['m', 'b']) == 1 && has('d'),
        };
        match numbers(&['Y', 'y']) == 1 && is_day {
            true => Ok(Self { pieces }),
            false => Err(wrong(
                "does not say the year and the day, each once".to_owned(),
            )),
        }
    }

    /// # Errors
    /// The expected text, in words.
    pub(crate) fn parse(&self, text: &str) -> Result<Date, &'static str> {
        let (mut parts, mut rest) = (Parts::default(), text);
        for piece in &self.pieces {
            rest = match piece {
                Piece::Same(letter) => rest.strip_prefix(*letter).ok_or(WANTED)?,
                Piece::Part(part) => parts.read(*part, rest).ok_or(WANTED)?,
            };
        }
        if !rest.is_empty() {
            return Err(WANTED);
        }
        parts.date()
    }
}

impl Parts {
    /// Reads a part at the beginning of a text and returns the rest.
    fn read<'t>(&mut self, part: char, text: &'t str) -> Option<&'t str> {
        if part == 'b' {
            let (month, rest) = month(text)?;
            self.month = month;
            return Some(rest);
        }
        // fewer digits would be a year of antiquity
        let (least, most) = match part {
            'Y' => (4, 4),
            'y' => (2, 2),
            'j' => (1, 3),
            _ => (1, 2),
        };
        let (value, rest) = number(text, least, most)?;
        match part {
            'Y' => self.year = value,
            // the rule of POSIX
            'y' if value < 69 => self.year = 2000 + value,
            'y' => self.year = 1900 + value,
            'm' => self.month = value,
            'd' => self.day = value,
            'j' => self.day_of_year = Some(value),
            'H' => self.hour = value as f64,
            'M' => self.minute = value as f64,
            _ => self.second = value as f64,
        }
        Some(rest)
    }
}

/// The number of up to `most` digits at the beginning of a text, and the rest.
fn number(text: &str, least: usize, most: usize) -> Option<(i64, &str)> {
    let digits = text.bytes().take(most).take_while(u8::is_ascii_digit);
    let count = digits.count();
    let (digits, rest) = text.split_at(count);
    let value = digits.parse().ok().filter(|_| count >= least)?;
    Some((value, rest))
}

/// The number of the month whose name, or first three letters, begin a text, and the rest of the text.
fn month(text: &str) -> Option<(i64, &str)> {
    let starts = |name: &str| {
        let start = text.get(..name.len())?;
        start
            .eq_ignore_ascii_case(name)
            .then(|| &text[name.len()..])
    };
    let named = |(k, name): (usize, &&str)| {
        Some((k as i64 + 1, starts(name).or_else(|| starts(&name[..3]))?))
    };
    MONTHS.iter().enumerate().find_map(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(format: &str, text: &str) -> Result<String, &'static str> {
        let format = Format::new(format).expect("it is a format");
        format.parse(text).map(|date| date.to_string())
    }

    #[test]
    fn formats_read_the_day_that_was_meant() {
        for (format, text, wanted) in [
            ("%d.%m.%Y", "1.3.2024", "2024-03-01"),
            ("%m/%d/%Y", "03/01/2024", "2024-03-01"),
            ("%m/%d/%y", "3/1/68", "2068-03-01"),
            ("%m/%d/%y", "3/1/69", "1969-03-01"),
            ("%Y%m%d", "20240301", "2024-03-01"),
            ("%d %b %Y", "01 Mar 2024", "2024-03-01"),
            ("%d-%B-%Y", "1-MARCH-2024", "2024-03-01"),
            ("%b %d, %Y", "May 31, 1999", "1999-05-31"),
            ("%Y-%j", "2024-061", "2024-03-01"),
            (
                "%Y/%m/%d %H:%M:%S",
                "2024/3/1 6:05:04",
                "2024-03-01T06:05:04",
            ),
            ("%%%Y-%m-%d", "%2024-03-01", "2024-03-01"),
        ] {
            assert_eq!(read(format, text).as_deref(), Ok(wanted), "{format} {text}");
        }
    }

    #[test]
    fn other_texts_and_days_that_are_not_there_are_refused() {
        for (format, text) in [
            ("%d.%m.%Y", "1.3.24"),
            ("%d.%m.%Y", "1/3/2024"),
            ("%d.%m.%Y", "1.3.2024 "),
            ("%d.%m.%Y", "1.13.2024"),
            ("%d.%m.%Y", "31.4.2024"),
            ("%d.%m.%Y", "-1.3.2024"),
            ("%Y-%j", "2023-366"),
            ("%Y-%j", "2023-0"),
            ("%d %b %Y", "1 Mrz 2024"),
            ("%d.%m.%Y", ""),
        ] {
            assert!(read(format, text).is_err(), "{format} {text}");
        }
    }

    #[test]
    fn formats_that_leave_the_day_open_are_refused() {
        let refused = |format: &str| Format::new(format).expect_err("no format").to_string();
        assert!(refused("%d.%m").contains("`%d.%m` of dates does not say the year and the day"));
        assert!(refused("%d.%m.%Q").contains("has the unknown directive %Q; it takes %Y"));
        assert!(refused("%Y%j%d").contains("does not say"));
        assert!(refused("%Y-%m-%d %Y").contains("has a directive twice"));
        assert!(refused("%Y-%m-%d%").contains("ends with %"));
    }
}
