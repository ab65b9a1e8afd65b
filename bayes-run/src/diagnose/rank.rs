//! Rank normalisation: values become normal scores of their ranks, so that heavy tails have moments.

use crate::order;
use bayes_autodiff::special::norm_quantile;

/// Normal scores of the ranks over all chains together; ties have their mean rank. Infinite values have ranks like any others. With a NaN
/// among the values there are no ranks, and all scores are NaN (as in the R package `posterior`).
///
/// ```text
/// z = Φ⁻¹((r − 3/8) / (S + 1/4))       Vehtari et al. 2021, eq. 14 (Blom's offset)
/// ```
pub(crate) fn normal_scores(chains: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let values = chains.concat();
    if values.iter().any(|value| value.is_nan()) {
        return map(chains, |_| f64::NAN);
    }
    let size = values.len() as f64;
    let scores = ranks(&values)
        .into_iter()
        .map(|r| norm_quantile((r - 0.375) / (size + 0.25)));
    shaped(scores, chains)
}

/// Distances from the median of all chains; their R-hat detects differences in spread. NaN if the median is not finite, since all other
/// values are then equally far from it.
pub(crate) fn folded(chains: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let [centre] = quantiles(&chains.concat(), [0.5]);
    match centre.is_finite() {
        true => map(chains, |value| (value - centre).abs()),
        false => map(chains, |_| f64::NAN),
    }
}

/// Applies `function` to every value.
pub(crate) fn map(chains: &[Vec<f64>], function: impl Fn(f64) -> f64) -> Vec<Vec<f64>> {
    chains
        .iter()
        .map(|chain| chain.iter().map(|value| function(*value)).collect())
        .collect()
}

/// First and second halves of the chains; with an odd number of draws the middle draw is left out.
pub(crate) fn split(chains: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let halves = |chain: &Vec<f64>| {
        let half = chain.len() / 2;
        [chain[..half].to_vec(), chain[chain.len() - half..].to_vec()]
    };
    chains.iter().flat_map(halves).collect()
}

/// Quantiles of equally weighted values by linear interpolation (type 7 of Hyndman & Fan 1996).
pub(crate) fn quantiles<const Q: usize>(values: &[f64], probabilities: [f64; Q]) -> [f64; Q] {
    weighted_quantiles(values, &vec![1.0; values.len()], probabilities)
}

/// Quantiles of weighted values; with equal weights, type 7 of Hyndman & Fan (1996).
///
/// The sorted values are at the positions `pₖ = Σ_{i<k} (wᵢ + wᵢ₊₁)/2`, scaled to the range 0 to 1,
/// and the quantile function is linear between them. NaN without values or with a NaN among them.
pub(crate) fn weighted_quantiles<const Q: usize>(
    values: &[f64],
    weights: &[f64],
    probabilities: [f64; Q],
) -> [f64; Q] {
    let mut sorted: Vec<(f64, f64)> = values
        .iter()
        .copied()
        .zip(weights.iter().copied())
        .filter(|pair| pair.1 > 0.0)
        .collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    probabilities.map(|probability| quantile_of_sorted(&sorted, probability))
}

fn quantile_of_sorted(sorted: &[(f64, f64)], probability: f64) -> f64 {
    let (Some(first), Some(last)) = (sorted.first(), sorted.last()) else {
        return f64::NAN;
    };
    // `total_cmp` sorts NaN to an end, by its sign.
    if first.0.is_nan() || last.0.is_nan() {
        return f64::NAN;
    }
    let steps = || sorted.windows(2).map(|pair| 0.5 * (pair[0].1 + pair[1].1));
    let target = probability * steps().sum::<f64>();
    let mut position = 0.0;
    for (pair, step) in sorted.windows(2).zip(steps()) {
        if position + step >= target {
            return interpolate(pair[0].0, pair[1].0, (target - position) / step);
        }
        position += step;
    }
    last.0
}

/// Interpolates between `a` and `b`; equal ends stay exact and infinite ends do not become NaN.
fn interpolate(a: f64, b: f64, fraction: f64) -> f64 {
    if a == b || fraction <= 0.0 {
        a
    } else {
        a + (b - a) * fraction.min(1.0)
    }
}

/// Ranks from 1; ties have their mean rank.
fn ranks(values: &[f64]) -> Vec<f64> {
    let order = order::ascending(values);
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    for tied in order.chunk_by(|i, j| values[*i] == values[*j]) {
        let mean_rank = start as f64 + 0.5 * (tied.len() as f64 + 1.0);
        for index in tied {
            ranks[*index] = mean_rank;
        }
        start += tied.len();
    }
    ranks
}

/// Cuts a flat sequence into chains of the same lengths as in `like`.
fn shaped(mut flat: impl Iterator<Item = f64>, like: &[Vec<f64>]) -> Vec<Vec<f64>> {
    like.iter()
        .map(|chain| flat.by_ref().take(chain.len()).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_share_their_mean_rank() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0, 3.0]), [4.0, 1.0, 4.0, 2.0, 4.0]);
    }

    #[test]
    fn scores_are_symmetric_and_keep_the_order_over_chains() {
        let scores = normal_scores(&[vec![10.0, -1e9], vec![11.0, 12.0, 1e300]]);
        assert_eq!(scores[0].len(), 2);
        assert!(scores[0][1] < scores[0][0] && scores[1][0].abs() < 1e-15);
        assert!((scores[0][1] + scores[1][2]).abs() < 1e-12);
    }

    #[test]
    fn equal_weights_give_the_usual_quantile() {
        let values = [3.0, 1.0, 4.0, 2.0];
        // numpy.quantile([1, 2, 3, 4], q)
        for (q, expected) in [
            (0.0, 1.0),
            (0.05, 1.15),
            (0.5, 2.5),
            (0.95, 3.85),
            (1.0, 4.0),
        ] {
            assert!((quantiles(&values, [q])[0] - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn weights_move_the_quantiles() {
        // Three quarters of the mass evenly over 0..1000, the rest evenly over 1000..2000.
        let values: Vec<f64> = (0..2000).rev().map(f64::from).collect();
        let weights: Vec<f64> = values
            .iter()
            .map(|v| if *v < 1000.0 { 3.0 } else { 1.0 })
            .collect();
        for (q, expected) in [(0.3, 400.0), (0.5, 2000.0 / 3.0), (0.9, 1600.0)] {
            assert!((weighted_quantiles(&values, &weights, [q])[0] - expected).abs() < 2.0);
        }
    }

    #[test]
    fn a_value_without_weight_does_not_count() {
        assert_eq!(weighted_quantiles(&[1.0, 9.0], &[1.0, 0.0], [1.0]), [1.0]);
        assert!(weighted_quantiles(&[], &[], [0.5])[0].is_nan());
        assert!(quantiles(&[f64::NAN, 1.0], [0.1])[0].is_nan());
    }

    #[test]
    fn splitting_leaves_out_the_middle_of_an_odd_chain() {
        let halves = split(&[vec![1.0, 2.0, 3.0, 4.0, 5.0]]);
        assert_eq!(halves, [vec![1.0, 2.0], vec![4.0, 5.0]]);
    }
}
