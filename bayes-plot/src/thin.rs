//! Thins draws, for pictures that would be too large.

/// The indices of `number` draws, each as often as its weight says: systematic resampling from the middle of the first interval,
/// which needs no random numbers and keeps the order. If the weights are equal and not more than `number`, all indices.
pub(crate) fn resampled(weights: &[f64], number: usize) -> Vec<usize> {
    let total: f64 = weights.iter().sum();
    let is_equal = weights
        .iter()
        .all(|w| (w * weights.len() as f64 - total).abs() < 1e-9 * total);
    if is_equal && weights.len() <= number {
        return (0..weights.len()).collect();
    }
    let step = total / number as f64;
    let mut chosen = Vec::with_capacity(number);
    let mut below = 0.0;
    for (index, weight) in weights.iter().enumerate() {
        below += weight;
        while chosen.len() < number && (chosen.len() as f64 + 0.5) * step <= below {
            chosen.push(index);
        }
    }
    chosen
}

/// The step at which values are taken, so that at most `most` remain.
pub(crate) fn stride(length: usize, most: usize) -> usize {
    length.div_ceil(most.max(1)).max(1)
}

/// `stride` in words; empty if it is 1.
pub(crate) fn note(stride: usize, what: &str) -> String {
    match stride {
        1 => String::new(),
        2 => format!("Every second {what} is drawn."),
        3 => format!("Every third {what} is drawn."),
        n => format!("Every {n}th {what} is drawn."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heavy_draws_come_more_often() {
        let chosen = resampled(&[0.1, 0.0, 0.6, 0.3], 10);
        let times = |index| chosen.iter().filter(|i| **i == index).count();
        assert_eq!([0, 1, 2, 3].map(times), [1, 0, 6, 3]);
    }

    #[test]
    fn equal_weights_keep_all_or_thin_evenly() {
        assert_eq!(resampled(&[0.25; 4], 10), [0, 1, 2, 3]);
        assert_eq!(resampled(&[1.0; 9], 3), [1, 4, 7]);
        assert_eq!(
            (stride(1000, 400), stride(400, 400), stride(0, 4)),
            (3, 1, 1)
        );
    }
}
