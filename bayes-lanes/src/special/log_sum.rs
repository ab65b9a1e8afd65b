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
    use super::{log_add_exp, log_sum_exp};
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
}
