//! Shares of terms in totals that are far from 0.

use super::{check, replayed};
use crate::gradient::Program;
use crate::mode::Mode;
use crate::real::Real;
use crate::simd::InstructionSet;

/// Three terms at a common distance `x[1]` from 0.
struct Terms;

impl Program for Terms {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let terms = [x[1] + x[0], x[1] - x[0], x[1] + 2.0 * x[0]];
        [Real::constant(0.0), M::log_sum_exp(&terms)]
    }
}

/// Meant to detect: shares that are exponentials of a difference from the rounded total, which sum to 3 at 1e18.
#[test]
fn shares_of_far_terms_sum_to_one() {
    let distances = [0.0, -3.0, 1e5, -1e7, -1e12, -1e18, 1e100, -1e300];
    let positions: Vec<f64> = distances.iter().flat_map(|far| [0.3, *far]).collect();
    let trace = check(&Terms, 2, &positions, [1.0, 1.0]);
    for level in InstructionSet::available() {
        let found = replayed(level, &trace, [1.0, 1.0], &positions);
        for (particle, far) in distances.iter().enumerate() {
            let slope = found.gradient[2 * particle + 1];
            // near 0 the total is rounded by less
            let near = if far.abs() < 1e6 { far.abs() } else { 0.0 };
            let allowed = (4.0 + near) * f64::EPSILON;
            assert!(
                (slope - 1.0).abs() <= allowed,
                "{level:?}, {far:e}: {slope}"
            );
        }
    }
}
