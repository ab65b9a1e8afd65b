//! What the likelihood of a datum is: its density, the probability of an interval, or either of them to a power.

/// What the likelihood of an element of the data is. Models whose terms differ do not predict the same thing: the density of a time cannot be
/// compared with the probability that the time is longer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// The factor of the log likelihood: 1 except for rows with a weight.
    pub weight: f64,
    /// The interval that contains the element, where nothing else is known of it. `None` for an element that is known.
    pub interval: Option<[f64; 2]>,
}

impl Term {
    /// The density of the element, or its probability if it is a whole number.
    pub const PLAIN: Self = Self {
        weight: 1.0,
        interval: None,
    };

    /// The term of a datum under these limits of censoring, infinite without a limit: a value at its limit or beyond it is censored.
    #[must_use]
    pub fn within([low, high]: [f64; 2], datum: f64) -> Self {
        let is_below = low.is_finite() && datum <= low;
        let is_above = high.is_finite() && datum >= high;
        let interval = match (is_below, is_above) {
            (true, _) => Some([f64::NEG_INFINITY, low]),
            (_, true) => Some([high, f64::INFINITY]),
            _ => None,
        };
        Self {
            interval,
            ..Self::PLAIN
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_datum_at_its_limit_is_an_interval_and_an_infinite_limit_is_none() {
        let interval = |limits, datum| Term::within(limits, datum).interval;
        let none = [f64::NEG_INFINITY, f64::INFINITY];
        assert_eq!(interval([0.0, 5.0], 5.0), Some([5.0, f64::INFINITY]));
        assert_eq!(interval([0.0, 5.0], 0.0), Some([f64::NEG_INFINITY, 0.0]));
        assert_eq!(interval([0.0, 5.0], 4.9), None);
        assert_eq!(interval(none, 5.0), None);
        assert_eq!(Term::within(none, 5.0), Term::PLAIN);
    }
}
