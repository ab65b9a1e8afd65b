//! Numerics of plain numbers on the log scale.

use bayes_lanes::special;
pub use bayes_lanes::special::{LogTotal, log_add_exp};

/// `ln Σ e^x`, without overflow; minus infinity for none, or if all are minus infinity.
///
/// NaN if any is NaN; plus infinity if any is (and none is NaN).
#[must_use]
pub fn log_sum_exp(log_values: &[f64]) -> f64 {
    special::log_sum_exp(log_values.iter().copied())
}

/// `ln (1/n Σ e^x)`; minus infinity for none.
#[must_use]
pub fn log_mean_exp(log_values: &[f64]) -> f64 {
    if log_values.is_empty() {
        return f64::NEG_INFINITY;
    }
    log_sum_exp(log_values) - (log_values.len() as f64).ln()
}

/// `Σ_j s_j g_j` of rows, `[shares, columns]`; `[columns]`.
pub fn weighted_sum(shares: &[f64], rows: &[f64]) -> Vec<f64> {
    let columns = rows.len() / shares.len().max(1);
    let mut total = vec![0.0; columns];
    for (share, row) in shares.iter().zip(rows.chunks_exact(columns.max(1))) {
        for (sum, x) in total.iter_mut().zip(row) {
            *sum += share * x;
        }
    }
    total
}

/// The mean.
#[must_use]
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The variance with divisor n − 1.
#[must_use]
pub fn variance(values: &[f64]) -> f64 {
    let centre = mean(values);
    let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    squares / (values.len() as f64 - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: f64 = f64::NEG_INFINITY;

    #[test]
    fn log_sum_exp_survives_extremes() {
        assert_eq!(log_sum_exp(&[]), NONE);
        assert_eq!(log_sum_exp(&[NONE, NONE]), NONE);
        assert_eq!(log_sum_exp(&[NONE, 3.0]), 3.0);
        assert_eq!(log_sum_exp(&[f64::INFINITY, 3.0]), f64::INFINITY);
        assert!(log_sum_exp(&[NONE, f64::NAN]).is_nan());
        assert!(log_sum_exp(&[1.0, f64::NAN]).is_nan());
        assert!(log_sum_exp(&[f64::INFINITY, f64::NAN]).is_nan());
        assert!((log_sum_exp(&[1000.0, 1000.0]) - (1000.0 + 2.0_f64.ln())).abs() < 1e-12);
        assert!(
            (log_sum_exp(&[-1000.0, -1001.0]) - (-1000.0 + (-1.0_f64).exp().ln_1p())).abs() < 1e-12
        );
    }

    #[test]
    fn log_mean_exp_of_equal_values_is_the_value() {
        assert_eq!(log_mean_exp(&[]), NONE);
        assert_eq!(log_mean_exp(&[NONE]), NONE);
        assert!((log_mean_exp(&[-800.0; 7]) + 800.0).abs() < 1e-12);
    }
}
