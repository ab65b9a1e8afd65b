//! Probability vectors as parameters.

use super::ParameterError;

/// The largest deviation from 1 of a sum of probabilities: enough for rounded decimals, too small for a forgotten category.
const TOLERANCE: f64 = 1e-9;

/// Checks that `values` are probabilities that sum to one; the first is element `start` of the parameter.
pub(super) fn check_simplex(
    distribution: &'static str,
    parameter: &'static str,
    values: &[f64],
    start: usize,
) -> Result<(), ParameterError> {
    let wrong = |index, value, allowed| ParameterError::Value {
        distribution,
        parameter,
        index,
        value,
        allowed,
    };
    if let Some(k) = values.iter().position(|p| !(0.0..=1.0).contains(p)) {
        return Err(wrong(Some(start + k), values[k], "a number from 0 to 1"));
    }
    let sum: f64 = values.iter().sum();
    if (sum - 1.0).abs() > TOLERANCE {
        return Err(wrong(
            None,
            sum,
            "a vector that sums to 1 (the value shown is its sum)",
        ));
    }
    Ok(())
}
