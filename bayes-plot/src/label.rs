//! Numbers and words as shown in pictures.

use bayes_core::diagnose::Estimate;
use std::fmt::Write;

/// Numbers from this size on are written with an exponent.
const LARGE: f64 = 1e6;
/// Numbers below this size, except zero, are written with an exponent.
const SMALL: f64 = 1e-4;

/// The number with three significant digits, or with all digits before the decimal point.
pub(crate) fn number(value: f64) -> String {
    if value.is_nan() {
        return "–".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞" } else { "−∞" }.to_owned();
    }
    let size = value.abs();
    if size > 0.0 && !(SMALL..LARGE).contains(&size) {
        return signed(format!("{value:.2e}"));
    }
    let digits_before = if size >= 1.0 {
        size.log10().floor() as usize + 1
    } else {
        0
    };
    let leading_zeros = if size > 0.0 && size < 1.0 {
        (-size.log10()).floor() as usize
    } else {
        0
    };
    let decimals = (3 + leading_zeros).saturating_sub(digits_before);
    signed(format!("{value:.decimals$}"))
}

/// The number with the decimals that make a hundredth of `width` visible.
pub(crate) fn within(value: f64, width: f64) -> String {
    let decimals = (2.0 - width.abs().log10()).ceil().max(0.0);
    if !value.is_finite() || decimals > 6.0 || value.abs() >= LARGE {
        return number(value);
    }
    let decimals = decimals as usize;
    let text = format!("{value:.decimals$}");
    signed(match text.trim_start_matches(['-', '0', '.']) {
        // a minus sign alone
        "" => text.trim_start_matches('-').to_owned(),
        _ => text,
    })
}

/// An estimate with its standard error, as printed elsewhere, with a true minus sign.
pub(crate) fn estimate(estimate: &Estimate) -> String {
    signed(estimate.to_string())
}

/// The numbers of an axis whose neighbours differ by `step`.
pub(crate) fn tick(value: f64, step: f64) -> String {
    // a multiple of the step that should be 0 may be a rounding error
    let value = if value.abs() < 1e-9 * step {
        0.0
    } else {
        value
    };
    if !(SMALL..LARGE).contains(&step) || value.abs() >= 10.0 * LARGE {
        return signed(format!("{value:e}"));
    }
    let decimals = (-step.log10() - 1e-9).ceil().max(0.0) as usize;
    signed(format!("{value:.decimals$}"))
}

/// The text with a true minus sign. A single dash, for an unknown number, stays.
pub(crate) fn signed(text: String) -> String {
    match text.strip_prefix('-') {
        Some("") => text,
        Some(rest) => format!("−{}", rest.replace("e-", "e−")),
        None => text.replace("e-", "e−"),
    }
}

/// A count with its noun: `1 chain`, `4 chains`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// Text escaped for use between tags or in an attribute of SVG or HTML. Characters that neither may contain are left
/// out.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\t' | '\n' | '\r' => safe.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => safe.push(c),
        }
    }
    safe
}

/// The text cut into lines of at most `width` characters, between words.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                // writing to a string cannot fail
                let _ = write!(line, " {word}");
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The text, cut with an ellipsis if it is longer than `most` characters. The index of an element stays: `a_long_n…[12]`.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let index = match text.rfind('[') {
        Some(start) if text.ends_with(']') && text.len() - start < most => &text[start..],
        _ => "",
    };
    let kept = most.saturating_sub(1 + index.chars().count());
    let kept: String = text.chars().take(kept).collect();
    format!("{kept}…{index}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        let written = [4.39682, -0.012345, 0.0, 123456.0, 1.5e-7, -2.5e9, 98.76].map(number);
        assert_eq!(
            written,
            [
                "4.40",
                "−0.0123",
                "0.000",
                "123456",
                "1.50e−7",
                "−2.50e9",
                "98.8"
            ]
        );
    }

    #[test]
    fn the_ends_of_an_interval_have_the_same_decimals() {
        assert_eq!(
            [-0.984, 4.37, 9.78].map(|x| within(x, 10.8)),
            ["−1.0", "4.4", "9.8"]
        );
        assert_eq!(within(-0.001, 10.0), "0.0");
        assert_eq!(within(1234.4, 300.0), "1234");
        assert_eq!(within(3.0, 0.0), "3.00");
    }

    #[test]
    fn ticks_have_the_decimals_of_their_step() {
        assert_eq!(tick(0.30000000000000004, 0.1), "0.3");
        assert_eq!(tick(-2.0, 0.5), "−2.0");
        assert_eq!(tick(1e-17, 0.1), "0.0");
        assert_eq!(tick(4e6, 2e6), "4e6");
        assert_eq!(tick(20.0, 20.0), "20");
    }

    #[test]
    fn text_cannot_leave_its_tag() {
        assert_eq!(
            escaped("<script>\"a\" & 'b'\u{0}</script>"),
            "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/script&gt;"
        );
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrapped("one two  three", 8), ["one two", "three"]);
        assert_eq!(wrapped("", 8), Vec::<String>::new());
        assert_eq!(shortened("abcdef", 4), "abc…");
        assert_eq!(shortened("abcdef[12]", 8), "abc…[12]");
    }
}
