//! Prints numbers with the digits that the Monte Carlo error justifies.

pub mod table;

/// Maximum number of decimals in fixed notation; the digits of smaller errors are not shown.
const DECIMALS: i32 = 10;
/// Exponents of the first digit for which numbers are written in fixed notation. The range is wide so that the rows of a
/// table, whose errors differ, have the same notation.
const FIXED: std::ops::Range<i32> = -4..8;

/// The same when more than `SHORT` digits follow the first: whole numbers up to 2^53 are exact.
const FIXED_IF_LONG: std::ops::Range<i32> = 8..16;
const SHORT: i32 = 6;
/// Digits behind the first that a double has.
const DIGITS: i32 = 15;

/// A way to write the numbers of one row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Style {
    /// Fixed notation with this number of decimals.
    Fixed(usize),
    /// Scientific notation with this number of decimals.
    Scientific(usize),
}

impl Style {
    /// The style in which `error` has two digits, for numbers up to `largest` in size.
    ///
    /// Without an error (NaN or 0) the numbers get four digits.
    pub fn for_error(error: f64, largest: f64) -> Self {
        let size = decimal_exponent(largest).unwrap_or(0);
        let last = decimal_exponent(error).map_or(size - 3, |e| (e - 1).min(size));
        let behind_first = (size - last).clamp(0, DIGITS);
        // a large number with all its digits is shorter than with an exponent, and its spread is easier to see
        let is_long = behind_first > SHORT && FIXED_IF_LONG.contains(&size);
        if FIXED.contains(&size) || is_long {
            Self::Fixed((-last).clamp(0, DECIMALS).unsigned_abs() as usize)
        } else {
            Self::Scientific(behind_first.unsigned_abs() as usize)
        }
    }

    /// The number in this style; `-` for NaN.
    pub fn write(self, value: f64) -> String {
        match self {
            _ if value.is_nan() => "-".to_owned(),
            _ if value.is_infinite() => if value > 0.0 { "inf" } else { "-inf" }.to_owned(),
            Self::Fixed(decimals) => unsigned_zero(format!("{value:.decimals$}")),
            Self::Scientific(decimals) => format!("{value:.decimals$e}"),
        }
    }
}

/// The quantity of an element by name: `y` of `y[3]`, and `mu` of `mu`.
pub fn quantity(element: &str) -> &str {
    element
        .split_once('[')
        .map_or(element, |(quantity, _)| quantity)
}

/// A count or an effective sample size as a whole number; `-` for NaN.
pub fn whole(value: f64) -> String {
    Style::Fixed(0).write(value)
}

/// A number with four significant digits.
pub fn short(value: f64) -> String {
    Style::for_error(f64::NAN, value.abs()).write(value)
}

/// A number with all its digits, and an exponent where it would have many zeros.
#[must_use]
pub fn exact(value: f64) -> String {
    let size = value.abs();
    match value.is_finite() && size != 0.0 && !(1e-5..1e16).contains(&size) {
        true => format!("{value:e}"),
        false => value.to_string(),
    }
}

/// A count with separated thousands: `1 234 567`.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A number with its standard error, `-31.304 ± 0.011`, with the digits that the error justifies. An error that is no more than the rounding of
/// the number is written with an exponent, so that it has a digit.
#[must_use]
pub fn with_error(number: f64, error: f64) -> String {
    let style = Style::for_error(error, number.abs());
    let written = style.write(error);
    let is_lost = error > 0.0 && written.chars().all(|c| c == '0' || c == '.');
    let error = match is_lost {
        true => format!("{error:.0e}"),
        false => written,
    };
    format!("{} ± {error}", style.write(number))
}

/// The exponent of the first digit; `None` for 0 and non-finite numbers.
fn decimal_exponent(value: f64) -> Option<i32> {
    (value.is_finite() && value != 0.0).then(|| value.abs().log10().floor() as i32)
}

/// `-0.00` would suggest a negative number; it is written `0.00`.
fn unsigned_zero(text: String) -> String {
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| c == '0' || c == '.') => rest.to_owned(),
        _ => text,
    }
}

/// Text escaped for XML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// A share in percent, with one more digit near 0 and 1.
pub fn percent(share: f64) -> String {
    if (0.1..=0.9).contains(&share) {
        format!("{:.0}%", 100.0 * share)
    } else {
        format!("{:.1}%", 100.0 * share)
    }
}

/// Names in backticks, separated by commas.
pub fn quoted(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// A number with its noun, in the plural unless the number is 1.
pub fn count(number: u64, noun: &str) -> String {
    if number == 1 {
        format!("1 {noun}")
    } else {
        format!("{number} {noun}s")
    }
}

/// A number of bytes with two digits, such as `1.2 kB`.
pub fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];
    if bytes < 1000 {
        return format!("{bytes} bytes");
    }
    let mut size = bytes as f64 / 1e3;
    let mut unit = 0;
    while size >= 999.5 && unit + 1 < UNITS.len() {
        size /= 1e3;
        unit += 1;
    }
    let decimals = usize::from(size < 9.95);
    format!("{size:.decimals$} {}", UNITS[unit])
}

/// `about 4 min`: a rough time.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1.5 => "about 1 s".to_owned(),
        s if s < 90.0 => format!("about {s:.0} s"),
        s if s < 5400.0 => format!("about {:.0} min", s / 60.0),
        s => format!("about {:.1} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_digits_are_written_without_many_zeros() {
        let written = [0.0, -7.25, 3.0, 1e200, -1e-7, 1e15, f64::NAN].map(exact);
        let wanted = [
            "0",
            "-7.25",
            "3",
            "1e200",
            "-1e-7",
            "1000000000000000",
            "NaN",
        ];
        assert_eq!(written, wanted);
    }

    #[test]
    fn the_error_shows_two_digits() {
        let written = |error: f64, value: f64| Style::for_error(error, value.abs()).write(value);
        assert_eq!(written(0.0123, 4.56789), "4.568");
        assert_eq!(Style::for_error(0.0123, 4.5).write(0.0123), "0.012");
        assert_eq!(written(3.21, 123.456), "123.5");
        assert_eq!(written(321.0, 12345.6), "12346");
    }

    #[test]
    fn an_error_of_rounding_has_a_digit() {
        assert_eq!(with_error(-31.304_12, 0.011), "-31.304 ± 0.011");
        assert_eq!(with_error(-1.25, 3.2e-15), "-1.2500000000 ± 3e-15");
        assert_eq!(with_error(-1.25, 0.0), "-1.250 ± 0.000");
    }

    #[test]
    fn very_small_and_very_large_numbers_get_an_exponent() {
        assert_eq!(Style::for_error(1.5e-9, 2.5e-7).write(2.5e-7), "2.500e-7");
        assert_eq!(Style::for_error(1e10, 5e12).write(5e12), "5.000e12");
        assert_eq!(short(1.0e-5), "1.000e-5");
    }

    #[test]
    fn a_small_spread_of_large_numbers_is_seen() {
        let written = |error: f64, value: f64| Style::for_error(error, value.abs()).write(value);
        // counts of 1e15 with a standard deviation of 2.2e7
        assert_eq!(written(3e5, 1_000_000_022_123_456.0), "1000000022123456");
        assert_eq!(written(1.2, 123_456_789.26), "123456789.3");
        assert_eq!(written(1.5e-17, 2.5e-7), "2.50000000000e-7");
        assert_eq!(written(2e30, 1.5e40), "1.50000000000e40");
        assert_eq!(written(1e-300, 1.5e40), "1.500000000000000e40");
    }

    #[test]
    fn rows_of_a_table_have_one_notation() {
        let written = |error: f64, value: f64| Style::for_error(error, value.abs()).write(value);
        assert_eq!(written(1.3e-6, 0.999_455), "0.9994550");
        assert_eq!(written(1.3e-5, 1.000_235), "1.000235");
        assert_eq!(written(1e-15, 1.25), "1.2500000000");
    }

    #[test]
    fn numbers_without_an_error_get_four_digits() {
        assert_eq!(short(2.71859), "2.719");
        assert_eq!(short(-274.0251), "-274.0");
        assert_eq!(Style::for_error(0.0, 2.0).write(2.0), "2.000");
    }

    #[test]
    fn what_is_not_a_number_is_a_dash() {
        assert_eq!(whole(f64::NAN), "-");
        assert_eq!(short(f64::NEG_INFINITY), "-inf");
        assert_eq!(Style::Fixed(2).write(-0.001), "0.00");
    }

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(1_234_567), "1 234 567");
        assert_eq!(grouped(123_456), "123 456");
    }

    #[test]
    fn bytes_have_two_digits() {
        let sizes = [
            0,
            999,
            1000,
            1_249,
            9_949,
            9_960,
            999_499,
            999_500,
            3_200_000_000,
        ];
        let texts = [
            "0 bytes",
            "999 bytes",
            "1.0 kB",
            "1.2 kB",
            "9.9 kB",
            "10 kB",
            "999 kB",
            "1.0 MB",
            "3.2 GB",
        ];
        assert_eq!(sizes.map(super::bytes), texts);
        assert_eq!(super::bytes(u64::MAX), "18 EB");
    }
}
