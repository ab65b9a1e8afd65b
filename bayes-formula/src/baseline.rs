//! The baseline hazard of the family `cox`: a combination of M-splines, and their integrals (Ramsay 1988), as in brms.
//!
//! ```text
//! h(t) = Σ_k s_k M_k(t),    H(t) = Σ_k s_k ∫ M_k,    s ~ Dirichlet(1, ..., 1)
//! ```
//!
//! Each `M_k` is a cubic spline that integrates to 1, so that `H` grows from 0 at the lower end to 1 at the upper one. The hazard is 0 outside.

use serde::{Deserialize, Serialize};

/// The number of functions (brms: `df = 5`): cubic splines with one knot inside.
pub(crate) const FUNCTIONS: usize = 5;
/// The order of the splines, one above their degree.
const ORDER: usize = 4;
/// The distance of the ends from the first and the last time, in units of the range (brms).
const MARGIN: f64 = 1.0 / 50.0;
/// The pieces of the integral over time, each half of the one behind it: survival may end near the lower end.
const PIECES: i32 = 24;
/// Nodes and weights of the Gauss-Legendre rule of 5 points on an interval from -1 to 1.
const RULE: [[f64; 2]; 5] = [
    [-0.906_179_845_938_664, 0.236_926_885_056_189_08],
    [-0.538_469_310_105_683_1, 0.478_628_670_499_366_47],
    [0.0, 0.568_888_888_888_888_9],
    [0.538_469_310_105_683_1, 0.478_628_670_499_366_47],
    [0.906_179_845_938_664, 0.236_926_885_056_189_08],
];

/// The knots of a baseline hazard.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Baseline {
    lower: f64,
    middle: f64,
    upper: f64,
}

impl Baseline {
    /// The knots for the times of a table, which are not all the same: their median, and the ends of the range with a margin. The range
    /// includes the finite ends of intervals and of observation.
    pub(crate) fn of(times: &[f64], ends: impl Iterator<Item = f64>) -> Self {
        let mut sorted = times.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (low, last) = (sorted[0], sorted[sorted.len() - 1]);
        let high = ends.fold(last, f64::max);
        let margin = (high - low) * MARGIN;
        let half = (sorted.len() - 1) / 2;
        Self {
            lower: f64::max(low - margin, 0.0),
            middle: f64::midpoint(sorted[half], sorted[sorted.len() / 2]),
            upper: high + margin,
        }
    }

    /// The times between which the hazard may be above 0.
    pub(crate) fn ends(&self) -> [f64; 2] {
        [self.lower, self.upper]
    }

    /// The `i`-th knot, where the ends are repeated for B-splines of an order.
    fn knot(&self, order: usize, i: usize) -> f64 {
        match i {
            i if i < order => self.lower,
            i if i == order => self.middle,
            _ => self.upper,
        }
    }

    /// The B-splines of an order at a time between the ends, by the recursion of Cox and de Boor; there are `order + 1`.
    fn splines(&self, order: usize, t: f64) -> [f64; FUNCTIONS + 1] {
        let mut values = [0.0; 2 * ORDER + 4];
        // the piece that contains the time
        values[if t < self.middle { order - 1 } else { order }] = 1.0;
        for k in 2..=order {
            for i in 0..2 * order + 1 - k {
                let knot = |i| self.knot(order, i);
                let share = |from: usize, to: usize| match knot(to) - knot(from) {
                    width if width > 0.0 => (t - knot(from)) / width,
                    _ => 0.0,
                };
                let rises = values[i] * share(i, i + k - 1);
                let falls = match knot(i + k) - knot(i + 1) {
                    width if width > 0.0 => values[i + 1] * (knot(i + k) - t) / width,
                    _ => 0.0,
                };
                values[i] = rises + falls;
            }
        }
        std::array::from_fn(|i| values[i])
    }

    /// The M-splines at a time.
    pub(crate) fn hazards(&self, t: f64) -> [f64; FUNCTIONS] {
        if t < self.lower || t > self.upper {
            return [0.0; FUNCTIONS];
        }
        let splines = self.splines(ORDER, t);
        std::array::from_fn(|i| {
            let width = self.knot(ORDER, i + ORDER) - self.knot(ORDER, i);
            splines[i] * ORDER as f64 / width
        })
    }

    /// The integrals of the M-splines from the lower end to a time.
    pub(crate) fn integrals(&self, t: f64) -> [f64; FUNCTIONS] {
        let t = t.clamp(self.lower, self.upper);
        let mut sums = self.splines(ORDER + 1, t);
        for i in (0..FUNCTIONS).rev() {
            sums[i] += sums[i + 1];
        }
        std::array::from_fn(|i| sums[i + 1])
    }

    /// The time at which the integral with these shares has a value from 0 to 1.
    pub(crate) fn time(&self, shares: &[f64], value: f64) -> f64 {
        let [mut low, mut high] = self.ends();
        // to the last bit of the range
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            match total(shares, &self.integrals(middle)) < value {
                true => low = middle,
                false => high = middle,
            }
        }
        f64::midpoint(low, high)
    }

    /// The rule for integrals of survival over time between the ends: weights, and the integrated hazard with these shares.
    pub(crate) fn rule(&self, shares: &[f64]) -> Vec<[f64; 2]> {
        let range = self.upper - self.lower;
        let mut rule = Vec::new();
        let mut high = range;
        for piece in 0..PIECES {
            let low = if piece + 1 == PIECES { 0.0 } else { high / 2.0 };
            for [node, weight] in RULE {
                let t = self.lower + f64::midpoint(low, high) + node * (high - low) / 2.0;
                let integrated = total(shares, &self.integrals(t));
                rule.push([weight * (high - low) / 2.0, integrated]);
            }
            high = low;
        }
        rule
    }
}

fn total(shares: &[f64], values: &[f64; FUNCTIONS]) -> f64 {
    shares.iter().zip(values).map(|(s, value)| s * value).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wrong knot, width or sum of the splines breaks one of these.
    #[test]
    fn hazards_are_slopes_of_their_integrals_which_grow_from_0_to_1() {
        let baseline = Baseline::of(&[1.0, 2.0, 3.5, 8.0, 21.0], std::iter::empty());
        let [low, high] = baseline.ends();
        assert_eq!(baseline.middle, 3.5);
        assert_eq!([low, high], [0.6, 21.4]);
        assert_eq!(baseline.integrals(low), [0.0; FUNCTIONS]);
        for end in baseline.integrals(high) {
            assert!((end - 1.0).abs() < 1e-12, "{end}");
        }
        const STEP: f64 = 1e-5;
        for t in [0.7, 2.0, 3.4, 3.6, 9.0, 20.0, 21.3] {
            let [before, after] = [t - STEP, t + STEP].map(|t| baseline.integrals(t));
            for (k, hazard) in baseline.hazards(t).into_iter().enumerate() {
                let slope = (after[k] - before[k]) / (2.0 * STEP);
                assert!(hazard >= 0.0);
                assert!((hazard - slope).abs() < 1e-7, "{t} {k}: {hazard}, {slope}");
            }
        }
        assert_eq!(baseline.hazards(22.0), [0.0; FUNCTIONS]);
    }

    #[test]
    fn ends_of_intervals_lie_between_the_knots() {
        let baseline = Baseline::of(&[1.0, 2.0, 3.5, 5.0, 8.0], [2.5, 21.0].into_iter());
        assert_eq!(baseline.ends(), [0.6, 21.4]);
        assert_eq!(baseline.middle, 3.5);
    }

    #[test]
    fn a_time_has_the_integral_that_it_was_found_for() {
        let baseline = Baseline::of(&[0.1, 0.4, 7.0], std::iter::empty());
        let shares = [0.1, 0.3, 0.2, 0.25, 0.15];
        for value in [1e-9, 0.3, 0.9999] {
            let found = total(&shares, &baseline.integrals(baseline.time(&shares, value)));
            assert!((found - value).abs() < 1e-12, "{found}, {value}");
        }
    }

    /// Against Simpson's rule with 200,000 pieces, for hazards small and large.
    #[test]
    fn the_rule_integrates_survival() {
        let baseline = Baseline::of(&[0.1, 0.4, 7.0], std::iter::empty());
        let shares = [0.1, 0.3, 0.2, 0.25, 0.15];
        let [low, high] = baseline.ends();
        for ratio in [0.1, 3.0, 500.0] {
            let survival = |t: f64| (-ratio * total(&shares, &baseline.integrals(t))).exp();
            let pieces = 200_000;
            let width = (high - low) / f64::from(pieces);
            let part = |k: i32| {
                let t = low + f64::from(k) * width;
                width / 6.0 * (survival(t) + 4.0 * survival(t + width / 2.0) + survival(t + width))
            };
            let wanted: f64 = (0..pieces).map(part).sum();
            let rule = baseline.rule(&shares).into_iter();
            let found: f64 = rule.map(|[weight, h]| weight * (-ratio * h).exp()).sum();
            assert!(
                (found / wanted - 1.0).abs() < 1e-6,
                "{ratio}: {found}, {wanted}"
            );
        }
    }
}
