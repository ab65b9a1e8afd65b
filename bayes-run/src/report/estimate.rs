//! `Display` of an estimate.

use crate::diagnose::Estimate;
use crate::text::{short, with_error};
use std::fmt;

/// `0.1697 ± 0.0013`: the mean and its standard error, with the digits that the error justifies.
impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = if self.se.is_nan() {
            format!("{}, error unknown", short(self.mean))
        } else {
            with_error(self.mean, self.se)
        };
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::Estimate;

    #[test]
    fn the_error_decides_the_digits() {
        let estimate = |mean, se| Estimate {
            mean,
            se,
            degrees_of_freedom: 100.0,
        };
        assert_eq!(
            estimate(0.169_692, 0.001_262).to_string(),
            "0.1697 ± 0.0013"
        );
        assert_eq!(estimate(-278.3215, 0.0412).to_string(), "-278.322 ± 0.041");
        assert_eq!(estimate(1.5, f64::NAN).to_string(), "1.500, error unknown");
    }
}
