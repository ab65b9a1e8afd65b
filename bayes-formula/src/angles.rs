//! Angles in radians, on a circle.

use bayes::run::Draws;
use std::f64::consts::{PI, TAU};

/// The same direction from -π to π.
pub(crate) fn wrapped(angle: f64) -> f64 {
    let turns = (angle / TAU).round();
    // the product rounds
    (angle - turns * TAU).clamp(-PI, PI)
}

/// The same directions, each element within half a turn of its mean direction over the draws, so that numbers on both sides of ±π are near
/// each other. The mean direction is the direction of the mean of the unit vectors, from -π to π.
pub(crate) fn around_mean(draws: Draws) -> Draws {
    let mut sums = vec![[0.0; 2]; draws.elements];
    for (row, weight) in draws.rows().zip(&draws.weights) {
        for ([sines, cosines], angle) in sums.iter_mut().zip(row) {
            let (sine, cosine) = angle.sin_cos();
            *sines += weight * sine;
            *cosines += weight * cosine;
        }
    }
    let centres: Vec<f64> = sums.iter().map(|[s, c]| s.atan2(*c)).collect();
    let near = |(k, angle): (usize, &f64)| {
        let centre = centres[k % centres.len()];
        centre + wrapped(angle - centre)
    };
    let values = draws.values.iter().enumerate().map(near).collect();
    Draws { values, ..draws }
}

#[cfg(test)]
mod tests {
    use super::{around_mean, wrapped};
    use bayes::run::Draws;
    use std::f64::consts::PI;

    #[test]
    fn directions_lie_within_half_a_turn() {
        for (angle, wanted) in [(0.3, 0.3), (3.2, 3.2 - 2.0 * PI), (-9.0, -9.0 + 2.0 * PI)] {
            assert!((wrapped(angle) - wanted).abs() < 1e-14, "{angle}");
        }
        assert!((-400..400).all(|k| wrapped(f64::from(k) * PI).abs() <= PI));
        assert!(wrapped(f64::NAN).is_nan());
    }

    #[test]
    fn directions_on_both_sides_of_the_cut_are_near_each_other() {
        let draws = Draws {
            weights: vec![0.25, 0.75],
            values: vec![3.1, 0.1, -3.1, -0.1],
            elements: 2,
            groups: vec![2],
        };
        let found = around_mean(draws).values;
        for (found, wanted) in found.iter().zip([3.1 - 2.0 * PI, 0.1, -3.1, -0.1]) {
            assert!((found - wanted).abs() < 1e-12, "{found}, {wanted}");
        }
    }
}
