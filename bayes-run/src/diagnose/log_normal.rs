//! The interval of the mean of log-normal numbers, from the logarithms of a few of them.

use bayes_autodiff::special::norm_cdf;

/// Points of the integral over the unknown variance. Its integrand is smooth and falls off at both ends, so the trapezoidal
/// rule gives more digits than needed.
const POINTS: usize = 128;
/// Cuts off the density of the variance below e⁻⁴⁰ of its maximum.
const CUT: f64 = 80.0;
/// Bisections of a quantile: more digits than a double has.
const BISECTIONS: usize = 80;

/// What a sample of n normal numbers says about `μ + σ²/2`, the log of the mean of their exponentials.
///
/// ```text
/// T = x̄ + Z s / √(n U) + s² / (2 U),    Z ~ Normal(0, 1),  ν U ~ χ²(ν)
/// ```
///
/// The interval between quantiles of T contains the true value about as often as it says, on both sides alike, for any n and σ
/// (the generalised interval of Krishnamoorthy & Mathew 2003). If σ is large, the interval reaches further up than down: a
/// sample of few numbers rarely has one of the large numbers that carry the mean.
pub(super) struct LogNormalMean {
    /// Mean of the logarithms.
    pub(super) mean: f64,
    /// Standard deviation of the logarithms, and its degrees of freedom.
    pub(super) sd: f64,
    pub(super) degrees_of_freedom: f64,
    /// Number of values.
    pub(super) size: f64,
}

impl LogNormalMean {
    /// The probability that T is at most `value`.
    fn cdf(&self, value: f64, scales: &[(f64, f64)]) -> f64 {
        let given = |scale: f64| {
            let centre = self.mean + 0.5 * self.sd * self.sd / scale;
            norm_cdf((value - centre) * (self.size * scale).sqrt() / self.sd)
        };
        let terms = scales.iter().map(|(scale, p)| p * given(*scale));
        terms.sum()
    }

    /// The `probability` quantile of T; NaN unless `0 < probability < 1`.
    fn quantile(&self, probability: f64, scales: &[(f64, f64)]) -> f64 {
        if !(probability > 0.0 && probability < 1.0) {
            return f64::NAN;
        }
        if self.sd == 0.0 {
            return self.mean;
        }
        let (mut low, mut high) = (self.mean, self.mean);
        let mut reach = self.sd;
        while self.cdf(low, scales) > probability {
            low -= reach;
            reach *= 2.0;
        }
        while self.cdf(high, scales) < probability {
            high += reach;
            reach *= 2.0;
        }
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (low + high);
            if self.cdf(middle, scales) < probability {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }

    /// The interval that contains the log of the mean with the given probability.
    pub(super) fn interval(&self, level: f64) -> (f64, f64) {
        let tail = 0.5 - 0.5 * level;
        // values of U with their probabilities
        let scales = scales(self.degrees_of_freedom);
        (
            self.quantile(tail, &scales),
            self.quantile(1.0 - tail, &scales),
        )
    }
}

/// Points of U, where `degrees` U ~ χ²(degrees), and their probabilities, at equal distances of log U.
fn scales(degrees: f64) -> Vec<(f64, f64)> {
    // log density of w = log U, up to a constant that makes it 0 at its maximum: d/2 (w − e^w + 1)
    let exponent = |w: f64| 0.5 * degrees * (w - w.exp() + 1.0);
    // w − e^w + 1 is below −w²/3 from −1 to 0, below w + 1 for w < −1, and below −w²/2 above 0
    let narrow = (3.0 * CUT / degrees).sqrt();
    let low = if narrow <= 1.0 {
        -narrow
    } else {
        -1.0 - CUT / degrees
    };
    let high = (2.0 * CUT / degrees).sqrt();
    let step = (high - low) / (POINTS - 1) as f64;
    let at = |i: usize| low + step * i as f64;
    let total: f64 = (0..POINTS).map(|i| exponent(at(i)).exp()).sum();
    (0..POINTS)
        .map(|i| (at(i).exp(), exponent(at(i)).exp() / total))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::rhat::{mean, variance};
    use crate::diagnose::student;
    use crate::run::example::normals;

    /// Samples of each setting: the standard error of a share of 0.025 is 0.0025.
    const SAMPLES: usize = 4000;

    /// The sample mean and standard deviation of `logs`.
    fn of(logs: &[f64]) -> LogNormalMean {
        let size = logs.len() as f64;
        LogNormalMean {
            mean: mean(logs),
            sd: variance(logs).sqrt(),
            degrees_of_freedom: size - 1.0,
            size,
        }
    }

    /// The shares of 95% intervals that lie wholly below and wholly above the truth.
    ///
    /// The shares come from the distribution of T at the truth, which needs no quantiles.
    fn misses(size: usize, sd: f64) -> [f64; 2] {
        let numbers = normals(size as u64, SAMPLES * size);
        let scales = scales(size as f64 - 1.0);
        let (mut below, mut above) = (0.0, 0.0);
        for sample in numbers.chunks_exact(size) {
            let logs: Vec<f64> = sample.iter().map(|z| sd * z - 0.5 * sd * sd).collect();
            let at_truth = of(&logs).cdf(0.0, &scales);
            below += f64::from(at_truth > 0.975);
            above += f64::from(at_truth < 0.025);
        }
        [below, above].map(|count| count / SAMPLES as f64)
    }

    // Detects a T without its second term: with 8 numbers of sd 1 a share of 0.35 lies below.
    #[test]
    fn both_sides_miss_as_often_as_they_say() {
        for size in [4, 8, 32] {
            for sd in [0.05, 0.7, 1.5] {
                let [below, above] = misses(size, sd);
                // the interval is not exact: for 4 numbers a larger simulation gives 0.02 and 0.045
                assert!(
                    (0.015..=0.04).contains(&below) && (0.015..=0.053).contains(&above),
                    "{size} numbers of sd {sd}: {below} below, {above} above"
                );
            }
        }
    }

    #[test]
    fn a_small_spread_gives_students_interval() {
        let logs: Vec<f64> = normals(1, 8).iter().map(|z| 1e-4 * z).collect();
        let found = of(&logs).interval(0.95);
        let reach = student::quantile(0.975, 7.0) * (variance(&logs) / 8.0).sqrt();
        let wanted = (mean(&logs) - reach, mean(&logs) + reach);
        assert!((found.0 - wanted.0).abs() < 1e-7, "{found:?}, {wanted:?}");
        assert!((found.1 - wanted.1).abs() < 1e-7, "{found:?}, {wanted:?}");
    }

    #[test]
    fn a_large_spread_reaches_further_up() {
        let logs = [-1.0, 0.5, 0.2, -0.7, 1.1, -0.1, 0.0, -1.4];
        let centre = mean(&logs) + 0.5 * variance(&logs);
        let (low, high) = of(&logs).interval(0.95);
        assert!(high - centre > 1.5 * (centre - low), "{low} to {high}");
    }

    #[test]
    fn any_number_of_numbers_has_an_interval() {
        for size in [4, 5, 100_000] {
            let logs: Vec<f64> = (0..size).map(|i| f64::from(i % 2)).collect();
            let total: f64 = scales(f64::from(size) - 1.0)
                .iter()
                .map(|(u, p)| u * p)
                .sum();
            assert!((total - 1.0).abs() < 1e-6, "the mean of U is {total}");
            let (low, high) = of(&logs).interval(0.9);
            assert!(
                low < high && low.is_finite() && high.is_finite(),
                "{low} to {high}"
            );
        }
        assert_eq!(of(&[-3.0; 8]).interval(0.95), (-3.0, -3.0));
        assert!(of(&[1.0, 2.0, 3.0, 4.0]).interval(1.0).0.is_nan());
    }
}
