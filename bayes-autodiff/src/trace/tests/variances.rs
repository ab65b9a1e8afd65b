//! Normal densities whose standard deviation is the root of a variance.

use super::{check, replayed};
use crate::gradient::Program;
use crate::mode::Mode;
use crate::real::Real;
use crate::simd::InstructionSet;

/// The uses of the root besides the division.
#[derive(Clone, Copy)]
enum Root {
    /// Its logarithm, as in a normal density.
    Logarithm,
    Nothing,
    /// Its logarithm, and its sine.
    Another,
    /// Its logarithm, and a multiple of its inverse, which also scales differences.
    Inverse,
    /// Its logarithm in the prior, while the likelihood has the squares.
    Elsewhere,
}

/// Three observations with one variance, which is negative where `x[1] < 0`.
struct Observed(Root);

impl Program for Observed {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let variance = x[1] * 2.0;
        let sd = variance.sqrt();
        let mut sums = [x[1] * 0.25, Real::<M>::constant(0.0)];
        let twice = 2.0 / sd;
        let normaliser = usize::from(!matches!(self.0, Root::Elsewhere));
        for y in [0.5, -1.0, 0.0] {
            let difference = y - x[0] * 1.5;
            let z = match self.0 {
                Root::Inverse => difference * twice,
                _ => difference / sd,
            };
            sums[1] += z * z * -0.5;
            if !matches!(self.0, Root::Nothing) {
                sums[normaliser] -= sd.ln();
            }
        }
        match self.0 {
            Root::Another => sums[1] += sd.sin(),
            Root::Inverse => sums[1] += twice.sin(),
            _ => {}
        }
        sums
    }
}

/// Positive variances, small and large, and means that meet an observation.
const POSITIVE: [f64; 10] = [0.3, 0.7, 0.0, 0.2, -2.0, 1e-300, 0.0, 1e300, 1.0, 2.0];

/// Meant to detect: a wrong slope of a weight, and a root that is left out although something needs it.
#[test]
fn a_variance_has_the_density_of_its_root() {
    // if only its logarithm is needed there is no root
    for (root, functions) in [
        (Root::Logarithm, 1),
        (Root::Nothing, 1),
        (Root::Another, 3),
        (Root::Inverse, 3),
        (Root::Elsewhere, 2),
    ] {
        let program = Observed(root);
        for weights in [[1.0, 1.0], [1.0, 0.3], [0.0, 1.0]] {
            let kinds = check(&program, 2, &POSITIVE, weights).kinds();
            assert_eq!([kinds.functions, kinds.reciprocals], [functions, 1]);
        }
    }
}

/// Meant to detect: a negative variance with a finite density because no root was taken.
#[test]
fn a_negative_variance_has_no_density() {
    for root in [
        Root::Logarithm,
        Root::Nothing,
        Root::Another,
        Root::Inverse,
        Root::Elsewhere,
    ] {
        let program = Observed(root);
        let trace = check(&program, 2, &POSITIVE[..2], [1.0, 1.0]);
        for level in InstructionSet::available() {
            let found = replayed(level, &trace, [1.0, 1.0], &[0.3, -0.7, 0.3, 0.0, 0.3, 0.7]);
            let [negative, zero, positive] = found.log_likelihood[..] else {
                panic!("three particles");
            };
            assert!(negative.is_nan(), "{negative} ({level})");
            assert!(!zero.is_finite(), "{zero} ({level})");
            assert!(positive.is_finite(), "{positive} ({level})");
        }
    }
}
