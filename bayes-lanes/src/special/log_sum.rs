//! Sums on the log scale.

/// `ln Σ eˣ`: minus infinity for no terms, or if all are minus infinity; NaN if any is NaN.
pub fn log_sum_exp(terms: impl Iterator<Item = f64> + Clone) -> f64 {
    let max = terms.clone().fold(f64::NEG_INFINITY, f64::max);
    if max.is_infinite() {
        // ±∞, or NaN hidden from `max` among minus infinities; x - max would be ∞ - ∞
        return terms.fold(max, |sum, x| if x.is_nan() { x } else { sum });
    }
    max + terms.map(|x| (x - max).exp()).sum::<f64>().ln()
}

/// A total farther from 0 is rounded by so much that shares `e^(x - total)` do not sum to 1: from 1e9 standard deviations on, each class of a
/// mixture would have all of a datum.
pub const FAR: f64 = 1e6;

/// A total of exponentials, and the shares of its terms.
#[derive(Clone, Copy, Debug)]
pub struct LogTotal {
    /// `ln Σ eˣ`, as [`log_sum_exp`].
    pub log: f64,
    /// `Σ e^(x - log)`, which is not 1 where the total is rounded by much; 1 near 0.
    sum: f64,
}

impl LogTotal {
    /// Of these terms.
    pub fn of(terms: impl Iterator<Item = f64> + Clone) -> Self {
        let log = log_sum_exp(terms.clone());
        let sum = match is_far(log) {
            true => terms.map(|x| (x - log).exp()).sum(),
            false => 1.0,
        };
        Self { log, sum }
    }

    /// The share of the term `x`; NaN if there is no finite total.
    #[must_use]
    pub fn share(&self, x: f64) -> f64 {
        (x - self.log).exp() / self.sum
    }

    /// The logarithm of the share of the term `x`.
    #[must_use]
    pub fn log_share(&self, x: f64) -> f64 {
        (x - self.log) - self.sum.ln()
    }
}

/// Whether shares `e^(x - total)` must be divided by their sum.
#[inline(always)]
#[must_use]
pub fn is_far(total: f64) -> bool {
    total.abs() > FAR && total.is_finite()
}

/// `ln(eˣ + eʸ)`; minus infinity is the neutral element.
#[inline(always)]
pub fn log_add_exp(x: f64, y: f64) -> f64 {
    // equal infinities would give ∞ - ∞
    let gap = if x == y { 0.0 } else { (x - y).abs() };
    if x < y {
        y + (-gap).exp().ln_1p()
    } else {
        x + (-gap).exp().ln_1p()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::LN_2;

    #[test]
    fn infinities_and_nan_are_told_apart() {
        let (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
        assert_eq!(log_sum_exp([].into_iter()), low);
        assert_eq!(log_sum_exp([low, low].into_iter()), low);
        assert_eq!(log_sum_exp([low, high, 0.0].into_iter()), high);
        assert!(log_sum_exp([low, f64::NAN].into_iter()).is_nan());
        assert!(log_sum_exp([0.0, f64::NAN].into_iter()).is_nan());
        for (x, y, sum) in [
            (low, low, low),
            (low, 1.5, 1.5),
            (2.5, low, 2.5),
            (high, high, high),
        ] {
            assert_eq!(log_add_exp(x, y), sum);
        }
        assert!(log_add_exp(0.0, f64::NAN).is_nan());
    }

    #[test]
    fn large_terms_do_not_overflow() {
        assert!((log_sum_exp([1000.0, 1000.0].into_iter()) - (1000.0 + LN_2)).abs() < 1e-12);
        assert!(
            (log_sum_exp([-1000.0, -1000.0, f64::NEG_INFINITY].into_iter()) - (LN_2 - 1000.0))
                .abs()
                < 1e-12
        );
    }

    #[test]
    fn shares_of_far_terms_sum_to_one() {
        for far in [0.0_f64, -3.0, 1e5, -1e7, 1e12, -1e18, 1e300] {
            let terms = [far, far + 0.5, far - 1.0];
            let total = LogTotal::of(terms.iter().copied());
            // near 0 the total is rounded by less
            let near = if is_far(far) { 0.0 } else { far.abs() };
            let allowed = (4.0 + near) * f64::EPSILON;
            let sum: f64 = terms.iter().map(|x| total.share(*x)).sum();
            assert!((sum - 1.0).abs() <= allowed, "{far:e}: {sum}");
            let sum: f64 = terms.iter().map(|x| total.log_share(*x).exp()).sum();
            assert!((sum - 1.0).abs() <= allowed, "{far:e}: {sum}");
        }
    }
}
