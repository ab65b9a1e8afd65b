//! Quantiles of Student's t and of Fisher's F, and its tails, for intervals with an estimated variance.

use crate::dist::{Beta, StudentT};
use bayes_autodiff::special::{ln_gamma, norm_quantile};

/// Beyond this many degrees of freedom the t quantile is the normal one to 7 digits.
const NORMAL_FROM: f64 = 1e7;

/// The `probability` quantile of Student's t with `degrees` of freedom, which need not be whole.
///
/// NaN unless `0 < probability < 1` and `degrees > 0`; infinite degrees give the normal quantile.
#[must_use]
pub fn quantile(probability: f64, degrees: f64) -> f64 {
    if !(probability > 0.0 && probability < 1.0 && degrees > 0.0) {
        return f64::NAN;
    }
    if degrees >= NORMAL_FROM {
        return norm_quantile(probability);
    }
    // the two ends of an interval are equally far from its centre, to the last bit
    if probability < 0.5 {
        return -quantile(1.0 - probability, degrees);
    }
    StudentT::new(degrees, 0.0, 1.0).quantile(probability)
}

/// The density of Student's t at `x`; infinite degrees give the normal density.
pub(crate) fn density(x: f64, degrees: f64) -> f64 {
    let degrees = degrees.min(NORMAL_FROM);
    let half = 0.5 * (degrees + 1.0);
    let log_scale = ln_gamma(half) - ln_gamma(0.5 * degrees);
    let log_width = 0.5 * (degrees * std::f64::consts::PI).ln();
    (log_scale - log_width - half * (x * x / degrees).ln_1p()).exp()
}

/// The probability that Fisher's F with these degrees of freedom exceeds `ratio` (DLMF 8.17).
pub(crate) fn fisher_tail(ratio: f64, numerator: f64, denominator: f64) -> f64 {
    let x = denominator / (denominator + numerator * ratio);
    if !(x > 0.0 && x < 1.0) {
        return x.clamp(0.0, 1.0);
    }
    Beta::new(0.5 * denominator, 0.5 * numerator).cdf(x)
}

/// The value that Fisher's F with these degrees of freedom exceeds with probability `tail`; NaN without degrees.
pub(crate) fn fisher_quantile(tail: f64, numerator: f64, denominator: f64) -> f64 {
    if !(numerator > 0.0 && denominator > 0.0) {
        return f64::NAN;
    }
    let x = Beta::new(0.5 * denominator, 0.5 * numerator).quantile(tail);
    denominator * (1.0 - x) / (numerator * x)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Probability, degrees, quantile: `scipy.stats.t.ppf` of SciPy 1.17.1.
    const STUDENT_REFERENCES: [(f64, f64, f64); 9] = [
        (0.975, 1.0, 12.706204736174694),
        (0.975, 2.0, 4.302652729749462),
        (0.975, 7.0, 2.364624251592784),
        (0.95, 3.5, 2.2224334936496004),
        (0.995, 1.3, 26.057551633213905),
        (0.6, 15.0, 0.25788530093726125),
        (0.975, 63.2, 1.9982167890609144),
        (0.999, 4000.0, 3.0922710697693447),
        (0.75, 0.5, 1.5537739740300383),
    ];

    /// Ratio, degrees of numerator and denominator, probability above: `scipy.stats.f.sf`.
    const FISHER_REFERENCES: [(f64, f64, f64, f64); 5] = [
        (2.0, 7.0, 480.0, 0.05351818213117574),
        (1.0, 7.0, 480.0, 0.43038653186148434),
        (0.3, 6.2, 31.5, 0.9359344127451356),
        (4.5, 1.0, 1.0, 0.2804377980075435),
        (9.0, 15.0, 2000.0, 1.317715468237238e-20),
    ];

    #[test]
    fn densities_are_those_of_tables() {
        // 1/(π (1 + x²)), and the normal density at 3
        assert!((density(2.0, 1.0) - 0.2 / std::f64::consts::PI).abs() < 1e-15);
        assert!((density(3.0, f64::INFINITY) - 0.004_431_848_411_938).abs() < 1e-8);
    }

    #[test]
    fn quantiles_agree_with_reference_values() {
        for (probability, degrees, expected) in STUDENT_REFERENCES {
            let value = quantile(probability, degrees);
            assert!(
                (value / expected - 1.0).abs() < 1e-11,
                "t({probability}, {degrees}) = {value}, expected {expected}"
            );
        }
    }

    #[test]
    fn tails_of_f_agree_with_reference_values() {
        // scipy.stats.f.sf(ratio, numerator, denominator)
        for (ratio, numerator, denominator, expected) in FISHER_REFERENCES {
            let value = fisher_tail(ratio, numerator, denominator);
            assert!(
                (value / expected - 1.0).abs() < 1e-11,
                "F({ratio}): {value}, {expected}"
            );
        }
    }

    #[test]
    fn quantiles_are_odd_and_end_in_the_normal() {
        assert_eq!(quantile(0.025, 7.0), -quantile(0.975, 7.0));
        assert!(quantile(0.5, 3.0).abs() < 1e-15);
        assert!((quantile(0.975, f64::INFINITY) - 1.959963984540054).abs() < 1e-12);
        assert!((quantile(0.975, 9e6) - 1.959963984540054).abs() < 1e-6);
    }

    #[test]
    fn there_is_no_quantile_of_the_impossible() {
        for (probability, degrees) in [(0.0, 3.0), (1.0, 3.0), (0.5, 0.0), (f64::NAN, 1.0)] {
            assert!(quantile(probability, degrees).is_nan());
        }
    }
}
