//! Shares of terms in totals that are far from 0.

use super::{check, replayed};
use crate::dual::{Dual, Dual2};
use crate::gradient::Program;
use crate::mode::Mode;
use crate::real::{PlainValue, Real};
use crate::simd::InstructionSet;
use crate::value::Value;

/// Three terms at a common distance `x[1]` from 0.
struct Terms;

impl Program for Terms {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let terms = [x[1] + x[0], x[1] - x[0], x[1] + 2.0 * x[0]];
        [Real::constant(0.0), M::log_sum_exp(&terms)]
    }
}

/// The mean number, from 1, of a term by its share.
struct MeanTerm;

impl Program for MeanTerm {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let shares = M::softmax(&[x[1] + x[0], x[1] - x[0], x[1] + 2.0 * x[0]]);
        let mean = shares[0] + 2.0 * shares[1] + 3.0 * shares[2];
        [Real::constant(0.0), mean]
    }
}

/// Meant to detect: a softmax of one mode whose shares are exponentials of a difference from the rounded total.
#[test]
fn a_softmax_of_far_terms_has_the_sum_one_in_every_mode() {
    fn mean<M: Mode>(far: f64) -> f64 {
        MeanTerm.evaluate(&[0.3, far].map(Real::<M>::constant))[1].plain_value()
    }
    let distances = [1e18, -1e18, 1e100, -1e300];
    for far in distances {
        // the terms are equal after rounding
        for found in [
            mean::<Value>(far),
            mean::<Dual<2>>(far),
            mean::<Dual2<2>>(far),
        ] {
            assert!((found - 2.0).abs() < 8.0 * f64::EPSILON, "{far:e}: {found}");
        }
    }
    let distances = [&[0.0, -3.0, 1e5, -1e7, 1e12], distances.as_slice()].concat();
    let positions: Vec<f64> = distances.iter().flat_map(|far| [0.3, *far]).collect();
    check(&MeanTerm, 2, &positions, [1.0, 1.0]);
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
