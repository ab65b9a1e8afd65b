//! Numbers as text without rounding: two identifiers of 19 digits are different labels, although they are the same `f64`.

/// The largest exponent of ten that is written out.
const LARGEST: i64 = 400;

/// A decimal number without a sign `+`, leading zeros, an exponent, and zeros at the end of its decimals: the same text for the same number.
/// `None` for other texts.
pub(crate) fn plain(text: &str) -> Option<String> {
    let text = text.trim();
    let (sign, rest) = match text.strip_prefix(['-', '+']) {
        Some(rest) => (if text.starts_with('-') { "-" } else { "" }, rest),
        None => ("", text),
    };
    let (digits, exponent) = match rest.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i64>().ok()?),
        None => (rest, 0),
    };
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{decimals}");
    let is_number = !all.is_empty() && all.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number || exponent.abs() > LARGEST {
        return None;
    }
    let all_zero = all.bytes().all(|byte| byte == b'0');
    if all_zero {
        return Some("0".to_owned());
    }
    // the place of the point among the digits
    let point = whole.len() as i64 + exponent;
    let before = usize::try_from(-point).unwrap_or(0);
    let behind = usize::try_from(point - all.len() as i64).unwrap_or(0);
    let padded = format!("{}{all}{}", "0".repeat(before), "0".repeat(behind));
    let (whole, decimals) = padded.split_at(usize::try_from(point).unwrap_or(0));
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        whole => whole,
    };
    Some(match decimals.trim_end_matches('0') {
        "" => format!("{sign}{whole}"),
        decimals => format!("{sign}{whole}.{decimals}"),
    })
}

/// A whole number without a point and zeros, as a program writes it that stores all numbers as `f64`: `308` for `308.0`. Other texts as they
/// are.
pub(crate) fn without_point(text: &str) -> &str {
    let Some((whole, zeros)) = text.split_once('.') else {
        return text;
    };
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    match is_whole && !zeros.is_empty() && zeros.bytes().all(|byte| byte == b'0') {
        true => whole,
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::{plain, without_point};

    #[test]
    fn only_whole_numbers_lose_their_point() {
        for (text, wanted) in [("308.0", "308"), ("-7.00", "-7"), ("007", "007")] {
            assert_eq!(without_point(text), wanted);
        }
        for text in ["1.10", "v1.0", ".0", "1.", "1.0.0", "a.0"] {
            assert_eq!(without_point(text), text);
        }
    }

    #[test]
    fn numbers_have_one_text_and_no_digit_is_lost() {
        for (text, wanted) in [
            ("308.0", "308"),
            ("0308", "308"),
            ("+3.08e2", "308"),
            ("-0.50", "-0.5"),
            (".5", "0.5"),
            ("5.", "5"),
            ("-0.0", "0"),
            ("12e-3", "0.012"),
            ("1.25E1", "12.5"),
            ("9007199254740993", "9007199254740993"),
        ] {
            assert_eq!(plain(text).as_deref(), Some(wanted), "{text}");
        }
        for text in [
            "",
            ".",
            "-",
            "1e",
            "inf",
            "NaN",
            "1_000",
            "0x10",
            "1e999",
            "2024-01-01",
            "1.2.3",
        ] {
            assert_eq!(plain(text), None, "{text}");
        }
    }

    #[test]
    fn the_text_is_that_of_the_number_where_it_is_exact() {
        for x in [0.1, -2.5, 1e15, 1e-7, 123_456.789, 1e22] {
            assert_eq!(plain(&format!("{x:e}")), Some(x.to_string()));
        }
    }
}
