//! Whole numbers in any decimal notation.

/// The expected text of a whole number.
const WHOLE: &str = "a whole number from 0 on";
/// Number of digits of the largest number of 64 bits.
const DIGITS: usize = 20;

/// The largest number of a type, for messages.
pub(crate) trait Whole: TryFrom<u128> {
    const TOO_LARGE: &'static str;
}

impl Whole for u64 {
    const TOO_LARGE: &'static str = "a whole number up to 2^64 - 1: it is larger";
}

impl Whole for usize {
    const TOO_LARGE: &'static str = match usize::BITS {
        64 => u64::TOO_LARGE,
        _ => "a whole number up to 2^32 - 1: it is larger",
    };
}

/// The number of a text such as `2`, `2.0`, `2.` or `2e0`, exactly.
///
/// # Errors
/// The expected text, in words.
pub(crate) fn whole<T: Whole>(text: &str) -> Result<T, &'static str> {
    let (digits, zeros) = decimal(text).ok_or(WHOLE)?;
    if digits.len() + zeros > DIGITS {
        return Err(T::TOO_LARGE);
    }
    let mut number: u128 = 0;
    for digit in digits.bytes().chain(std::iter::repeat_n(b'0', zeros)) {
        number = 10 * number + u128::from(digit - b'0');
    }
    T::try_from(number).map_err(|_| T::TOO_LARGE)
}

/// The expected text of a number that is not rounded.
pub(crate) const KEPT: &str = "a number that 64 bits hold: whole numbers beyond 2^53 are rounded, and two of them may become one; subtract a \
     constant from the column, or, where rounding does not matter, convert it to floating-point numbers, in a text by a decimal point or an exponent";
/// Number of digits up to which all whole numbers are below 2^53.
const KEPT_DIGITS: usize = 15;

/// Whether a text of digits alone is exactly this number: a measurement is rounded to the nearest number of 64 bits,
/// and a whole number, such as a key or a time in nanoseconds, must not be.
pub(crate) fn is_kept(text: &str, number: f64) -> bool {
    if text.len() <= KEPT_DIGITS {
        return true;
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = unsigned.trim_start_matches('0');
    if digits.len() <= KEPT_DIGITS || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return true;
    }
    // all its digits
    format!("{:.0}", number.abs()) == digits
}

/// The digits of a whole number from 0 on, without zeros at their ends, and the number of zeros that follow; `None` for
/// other texts.
fn decimal(text: &str) -> Option<(String, usize)> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let unsigned = mantissa.strip_prefix('+').unwrap_or(mantissa);
    let (is_negative, unsigned) = match unsigned.strip_prefix('-') {
        Some(unsigned) => (true, unsigned),
        None => (false, unsigned),
    };
    let (before, after) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = format!("{before}{after}");
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let significant = digits.trim_end_matches('0');
    if significant.is_empty() {
        return Some((String::new(), 0));
    }
    let cut = digits.len() - significant.len();
    let zeros = i64::from(exponent) - after.len() as i64 + cut as i64;
    let zeros = usize::try_from(zeros).ok().filter(|_| !is_negative)?;
    Some((significant.trim_start_matches('0').to_owned(), zeros))
}

#[cfg(test)]
mod tests {
    use super::{WHOLE, Whole, is_kept, whole};

    #[test]
    fn a_whole_number_that_would_be_rounded_is_not_kept() {
        let is_kept = |text: &str| is_kept(text, text.parse().expect("a number"));
        for text in [
            "0",
            "-7",
            "9007199254740992",
            "-9007199254740992",
            "+0009007199254740994",
            "100000000000000000000",
            "18446744073709551616",
            // measurements
            "9007199254740993.0",
            "9.007199254740993e15",
            "0.1",
            "1e300",
        ] {
            assert!(is_kept(text), "{text}");
        }
        for text in [
            "9007199254740993",
            "-9007199254740993",
            "+09007199254740993",
            "18446744073709551615",
            "1234567890123456789012345678901234567890123",
        ] {
            assert!(!is_kept(text), "{text}");
        }
    }

    #[test]
    fn whole_numbers_are_read_in_every_notation() {
        for (text, wanted) in [
            ("0", 0),
            ("-0.0", 0),
            ("0e9", 0),
            ("2", 2),
            ("+2", 2),
            ("02", 2),
            ("2.", 2),
            ("2.0", 2),
            ("2e0", 2),
            ("0.2E+1", 2),
            ("120", 120),
            ("1200e-1", 120),
            ("9007199254740993.0", 9_007_199_254_740_993),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(whole::<u64>(text), Ok(wanted), "{text}");
        }
    }

    #[test]
    fn other_numbers_are_refused_with_what_is_wanted() {
        for text in [
            "", ".", "-1", "-2.0", "0.5", "2.50", "1e-1", "2e", "e2", "x", "1 2", "inf", "+-2",
            "++2", "1.2.3",
        ] {
            assert_eq!(whole::<u64>(text), Err(WHOLE), "{text}");
        }
        for text in [
            "18446744073709551616",
            "1e20",
            "1e999999",
            "99999999999999999999.0",
        ] {
            assert_eq!(whole::<u64>(text), Err(u64::TOO_LARGE), "{text}");
        }
    }
}
