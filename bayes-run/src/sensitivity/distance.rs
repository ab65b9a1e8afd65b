//! The distance between two weighted distributions of the same values.

use std::f64::consts::LN_2;

/// The cumulative Jensen-Shannon distance between two weightings `p` and `q` of the same `values`, from 0 to 1 (Nguyen & Vreeken 2015;
/// Kallioinen et al. 2024, section 3.1.3).
///
/// ```text
/// CJS(P‖Q) = ∫ P log₂ (2P / (P + Q)) dx + 1/(2 ln 2) ∫ (Q − P) dx         of the distribution functions P and Q
/// d² = (CJS(P‖Q) + CJS(Q‖P)) / ∫ (P + Q) dx
/// ```
///
/// The divergence is not symmetric in the sign of x, so the distance is the larger of two: for the values and for their negatives. NaN if
/// the values do not vary or are not finite; values without weight do not count.
///
/// # Panics
/// If the lengths differ.
#[must_use]
pub fn cjs_distance(values: &[f64], p: &[f64], q: &[f64]) -> f64 {
    assert!(
        values.len() == p.len() && values.len() == q.len(),
        "every value has two weights"
    );
    // a value without weight would only widen the range
    let weighty = (0..values.len()).filter(|i| p[*i] > 0.0 || q[*i] > 0.0);
    let mut sorted: Vec<[f64; 3]> = weighty.map(|i| [values[i], p[i], q[i]]).collect();
    if sorted.iter().any(|value| !value[0].is_finite()) {
        return f64::NAN;
    }
    sorted.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]));
    let upwards = directed(sorted.iter());
    upwards.max(directed(sorted.iter().rev()))
}

/// The distance of values in ascending or descending order, with their two weights.
fn directed<'a>(sorted: impl Iterator<Item = &'a [f64; 3]> + Clone) -> f64 {
    let totals = sorted
        .clone()
        .fold([0.0, 0.0], |[p, q], value| [p + value[1], q + value[2]]);
    let (mut below, mut areas, mut divergence) = ([0.0, 0.0], [0.0, 0.0], [0.0, 0.0]);
    for (value, next) in sorted.clone().zip(sorted.skip(1)) {
        below = [below[0] + value[1], below[1] + value[2]];
        let [p, q] = [below[0] / totals[0], below[1] / totals[1]];
        let width = (next[0] - value[0]).abs();
        let middle = 0.5 * (p + q);
        for (k, one) in [p, q].into_iter().enumerate() {
            areas[k] += width * one;
            if one > 0.0 {
                divergence[k] += width * one * (one / middle).log2();
            }
        }
    }
    let shift = 0.5 / LN_2 * (areas[1] - areas[0]);
    // rounding must not make the divergences negative
    let sum = (divergence[0] + shift).max(0.0) + (divergence[1] - shift).max(0.0);
    (sum / (areas[0] + areas[1])).sqrt()
}
