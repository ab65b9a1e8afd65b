//! Texts that are numbers or dates in another notation: as labels they would have a coefficient each.

use super::Evaluator;
use crate::syntax::Node;
use bayes::Error;
use bayes::data::Date;

/// A notation of numbers or dates that no table reads, and what to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Notation {
    Percentages,
    Separators,
    Money,
    Times,
    Dates,
    Units,
}

impl Notation {
    const ALL: [Self; 6] = [
        Self::Percentages,
        Self::Separators,
        Self::Money,
        Self::Times,
        Self::Dates,
        Self::Units,
    ];

    /// What the texts are, and what to write in the table.
    fn remedy(self) -> &'static str {
        match self {
            Self::Percentages => "percentages; write them as numbers, 2 or 0.02 for `2%`",
            Self::Separators => {
                "numbers with separators; write them without, and with a point for decimals, 1200 or 1.5"
            }
            Self::Money => "amounts of money; write them as numbers, 5 for `$5`",
            Self::Times => "times of day; write them as numbers, 12.5 hours for `12:30`",
            Self::Units => "numbers with a unit; write the numbers alone, 5 for `5 mg`",
            Self::Dates => {
                "dates; write them as year, month and day, 2024-03-01, and `days(..)` of the column in the formula"
            }
        }
    }

    fn has(self, text: &str) -> bool {
        match self {
            Self::Percentages => text
                .strip_suffix('%')
                .is_some_and(|rest| is_number(rest.trim_end()) || is_separated(rest.trim_end())),
            Self::Separators => is_separated(text),
            Self::Money => {
                let signs = ['$', '€', '£', '¥'];
                let rest = text.strip_prefix(signs).or(text.strip_suffix(signs));
                rest.is_some_and(|rest| is_number(rest.trim()) || is_separated(rest.trim()))
            }
            Self::Units => unit(text).is_some(),
            Self::Times => are_digits(text, &[':'], &[1..=2, 2..=2]),
            Self::Dates => {
                are_digits(text, &['/', '.', '-'], &[1..=2, 1..=2, 2..=4])
                    || are_digits(text, &['/', '.'], &[4..=4, 1..=2, 1..=2])
            }
        }
    }
}

impl Evaluator<'_> {
    /// Refuses labels that are dates, or numbers in another notation: each would have a coefficient.
    pub(super) fn check_labels(
        &self,
        node: &Node,
        name: &str,
        texts: &[&str],
    ) -> Result<(), Error> {
        let otherwise = format!("or write `factor({name})` for a coefficient for each text");
        // most columns of labels are words, which are looked at once
        if !are_most(texts, |text| text.contains(|c: char| c.is_ascii_digit())) {
            return Ok(());
        }
        let of_dates = match self.table.dates(name) {
            Ok(_) => Some(format!(
                "`{name}` holds dates; write `days({name})` for the days since the first one, {otherwise}"
            )),
            Err(error) => are_most(texts, |text| text.parse::<Date>().is_ok()).then(|| {
                format!("`{name}` holds dates, but {error}; write it like the others, {otherwise}")
            }),
        };
        if let Some(message) = of_dates {
            return Err(self.wrong(node, message));
        }
        let Some((notation, row)) = notation(texts) else {
            return Ok(());
        };
        let message = format!(
            "`{name}` holds texts such as `{}` in row {}, which look like {}, {otherwise}",
            texts[row],
            row + 1,
            notation.remedy()
        );
        Err(self.wrong(node, message))
    }
}

/// Whether more than half of the texts, without blanks at their ends, are so.
fn are_most(texts: &[&str], are_so: impl Fn(&str) -> bool) -> bool {
    2 * texts.iter().filter(|text| are_so(text.trim())).count() > texts.len()
}

/// The notation of more than half of the texts, with the row of the first one.
fn notation(texts: &[&str]) -> Option<(Notation, usize)> {
    Notation::ALL.into_iter().find_map(|notation| {
        let rows = (0..texts.len()).filter(|row| notation.has(texts[*row].trim()));
        let rows: Vec<usize> = rows.collect();
        let first = *rows.first()?;
        let is_one =
            notation != Notation::Units || have_one_unit(rows.iter().map(|row| texts[*row]));
        (is_one && 2 * rows.len() > texts.len()).then_some((notation, first))
    })
}

/// Whether different numbers have one unit: `1st`, `2nd` and `3rd` are labels, and so are equal texts.
fn have_one_unit<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> bool {
    let mut units = texts.clone().map(|text| unit(text.trim()));
    let first = units.next();
    let mut others = texts.clone();
    let one = others.next();
    units.all(|unit| Some(unit) == first) && others.any(|text| Some(text) != one)
}

/// The letters behind a number: `mg` of `5 mg`.
fn unit(text: &str) -> Option<&str> {
    let at = text.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | '-' | '+'))?;
    let (number, unit) = (&text[..at], text[at..].trim_start());
    let is_unit = |c: char| c.is_alphabetic() || matches!(c, '°' | '²' | '³' | '/');
    (is_number(number)
        && unit.chars().all(is_unit)
        && unit.starts_with(|c: char| c.is_alphabetic() || c == '°'))
    .then_some(unit)
}

/// Whether a text is a finite number.
pub(super) fn is_number(text: &str) -> bool {
    text.parse::<f64>().is_ok_and(f64::is_finite)
}

/// `1,200`, `1 200`, `1'200.5` and `1,5`.
fn is_separated(text: &str) -> bool {
    let text = text.strip_prefix(['-', '+']).unwrap_or(text);
    let separators = [',', ' ', '\'', '_', '\u{a0}', '\u{202f}'];
    let plain: String = text.chars().filter(|c| !separators.contains(c)).collect();
    let begins = text.starts_with(|c: char| c.is_ascii_digit());
    let ends = text.ends_with(|c: char| c.is_ascii_digit());
    if plain.len() == text.len() || !begins || !ends {
        return false;
    }
    // groups of three digits, or a comma before decimals
    let whole = text.split_once('.').map_or(text, |(whole, _)| whole);
    let mut groups = whole.split(separators);
    let first = groups.next().is_some_and(|group| group.len() <= 3);
    let rest = groups.all(|group| group.len() == 3);
    let has_decimal_comma = text.matches(',').count() == 1 && plain.len() + 1 == text.len();
    plain.chars().all(|c| c.is_ascii_digit() || c == '.')
        && is_number(&plain)
        && (first && rest || has_decimal_comma)
}

/// Whether a text is groups of so many digits, at least the given ones, with one separator between them; the last group may come again.
fn are_digits(
    text: &str,
    separators: &[char],
    lengths: &[std::ops::RangeInclusive<usize>],
) -> bool {
    let Some(separator) = text.chars().find(|c| !c.is_ascii_digit()) else {
        return false;
    };
    let groups: Vec<&str> = text.split(separator).collect();
    let again = separators == [':'] && groups.len() == lengths.len() + 1;
    let fits = |(k, group): (usize, &&str)| {
        let length = &lengths[k.min(lengths.len() - 1)];
        length.contains(&group.len()) && group.chars().all(|c| c.is_ascii_digit())
    };
    separators.contains(&separator)
        && (groups.len() == lengths.len() || again)
        && groups.iter().enumerate().all(fits)
}

#[cfg(test)]
mod tests {
    use super::{Notation, notation};

    #[test]
    fn numbers_and_dates_in_other_notations_are_found() {
        let cases: &[(Notation, &[&str])] = &[
            (Notation::Percentages, &["2%", "10 %", "-3.5%", "1,5%"]),
            (
                Notation::Separators,
                &["1,200", "12 000", "1'200.5", "1_000_000", "1,5", "-0,25"],
            ),
            (Notation::Money, &["$5", "€ 1,200", "5 €", "£2.50"]),
            (Notation::Times, &["12:30", "9:05", "23:59:01"]),
            (
                Notation::Dates,
                &["01/02/2024", "1.2.2024", "31-12-99", "2024/01/05"],
            ),
        ];
        for (wanted, texts) in cases {
            for text in *texts {
                assert_eq!(notation(&[text]), Some((*wanted, 0)), "{text}");
            }
        }
    }

    #[test]
    fn labels_stay_labels() {
        let labels = [
            "a",
            "10-20",
            "1/2",
            "v1.2",
            "3,b",
            "5mg",
            "A,1",
            "1.2.3",
            "12-345",
            "",
            "%",
            "$",
            "1,,2",
            "a:b",
            "1:2:3",
            "2024-01-05",
            "5mg",
        ];
        for label in labels {
            assert_eq!(notation(&[label]), None, "{label}");
        }
        // different numbers of one unit are no labels, and others are
        assert_eq!(notation(&["5 mg", "10 mg"]), Some((Notation::Units, 0)));
        assert_eq!(notation(&["1st", "2nd", "3rd"]), None);
        assert_eq!(notation(&["3a", "3a"]), None);
        // most texts decide
        assert_eq!(notation(&["5%", "low", "high"]), None);
        assert_eq!(
            notation(&["low", "5%", "7%"]),
            Some((Notation::Percentages, 1))
        );
    }
}
