//! A histogram of a few characters, for the summary.

use std::fmt;

/// Number of bars.
const BARS: usize = 8;
/// Bars from empty to full.
const LEVELS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The shares of the weight in intervals of equal length between two quantiles; values beyond the quantiles are
/// left out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Histogram([f64; BARS]);

impl Histogram {
    /// The histogram of weighted values between two of their quantiles. Empty if the quantiles are equal or not
    /// finite.
    pub(super) fn of<'a>(
        values: impl Iterator<Item = &'a f64>,
        weights: &[f64],
        [low, high]: [f64; 2],
    ) -> Self {
        let mut shares = [0.0; BARS];
        let width = (high - low) / BARS as f64;
        if !(width > 0.0 && width.is_finite()) {
            return Self(shares);
        }
        for (value, weight) in values.zip(weights) {
            if (low..=high).contains(value) {
                let bar = ((value - low) / width) as usize;
                shares[bar.min(BARS - 1)] += weight;
            }
        }
        Self(shares)
    }
}

impl fmt::Display for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tallest = self.0.iter().copied().fold(0.0, f64::max);
        for share in self.0 {
            let full = (LEVELS.len() - 1) as f64;
            // a bar with any weight is visible; without draws 0 / 0 gives no level
            let level = (full * share / tallest).ceil();
            write!(f, "{}", LEVELS[level as usize])?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Histogram;

    #[test]
    fn bars_are_as_tall_as_their_share() {
        let values = [0.5, 1.5, 1.6, 2.5, 2.6, 2.7, 2.8, 7.5, 9.0, -3.0];
        let equal = Histogram::of(values.iter(), &[0.1; 10], [0.0, 8.0]);
        assert_eq!(equal.to_string(), "▂▄█    ▂");
        let mut weights = [0.0; 10];
        weights[7] = 1.0;
        let weighted = Histogram::of(values.iter(), &weights, [0.0, 8.0]);
        assert_eq!(weighted.to_string(), "       █");
    }

    #[test]
    fn constants_and_nan_have_no_bars() {
        for bounds in [[2.0, 2.0], [f64::NAN, 1.0], [0.0, f64::INFINITY]] {
            let found = Histogram::of([2.0; 4].iter(), &[0.25; 4], bounds);
            assert_eq!(found.to_string(), " ".repeat(8));
        }
    }
}
