//! Numbers as the values of options.

use std::num::{IntErrorKind, ParseIntError};
use std::str::FromStr;
use std::time::Duration;

/// A whole number from 0 on.
pub(crate) fn whole<T: FromStr<Err = ParseIntError>>(text: &str) -> Result<T, String> {
    text.parse()
        .map_err(|error: ParseIntError| match error.kind() {
            IntErrorKind::PosOverflow => "it is too large".to_owned(),
            _ => "it must be a whole number from 0 on".to_owned(),
        })
}

/// A number of parts of data, from 2 on.
pub(crate) fn parts(text: &str) -> Result<usize, String> {
    let number = whole::<usize>(text).ok();
    let parts = number.filter(|parts| *parts > 1);
    parts.ok_or_else(|| "it must be a whole number from 2 on".to_owned())
}

/// A number; the engines' errors say what is allowed.
pub(crate) fn real(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "it must be a number".to_owned())
}

/// A number of seconds from 0 on.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok();
    let seconds = number.filter(|seconds| Duration::try_from_secs_f64(*seconds).is_ok());
    seconds.ok_or_else(|| "it must be a number of seconds from 0 on".to_owned())
}

/// A number of bytes, optionally with `k`, `M`, `G` or `T` for powers of 1000.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    let (digits, factor) = match text.char_indices().last() {
        Some((end, 'k' | 'K')) => (&text[..end], 1e3),
        Some((end, 'M')) => (&text[..end], 1e6),
        Some((end, 'G')) => (&text[..end], 1e9),
        Some((end, 'T')) => (&text[..end], 1e12),
        _ => (text, 1.0),
    };
    let number = digits.parse::<f64>().ok();
    let bytes = number.filter(|number| number.is_finite() && *number >= 0.0);
    // the conversion saturates
    let bytes = bytes.map(|number| (number * factor) as u64);
    bytes.ok_or_else(|| "it must be a number of bytes from 0 on, such as 500M or 4G".to_owned())
}
