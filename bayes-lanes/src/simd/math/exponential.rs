//! Exponentials: `x = n ln 2 + r`, a polynomial in `r`, and the exponent `n` (Cody and Waite 1980).

use super::pack::{Pack, ROUND, polynomial, select};
use super::{LN_2_HIGH, LN_2_LOW};
use crate::simd::{InstructionSet, Simd};
use std::f64::consts::LOG2_E;

/// `eˣ = 1 + r + r² EXP(r)` for `|r| ≤ ½ ln 2`; relative error 2^-56.3 (`tests/data/polynomials.py`).
const EXP: [f64; 10] = [
    0.500_000_000_000_001_1,
    0.166_666_666_666_664_1,
    0.041_666_666_666_530_53,
    0.008_333_333_333_496_245,
    0.001_388_888_894_354_696_4,
    0.000_198_412_695_030_032_1,
    2.480_149_317_508_15e-5,
    2.755_758_934_744_100_5e-6,
    2.763_022_373_022_087e-7,
    2.499_918_076_002_41e-8,
];
/// The same for a relative error of 2^-60.5 in `eˣ - 1`.
const EXP_M1: [f64; 11] = [
    0.5,
    0.166_666_666_666_666_77,
    0.041_666_666_666_666_7,
    0.008_333_333_333_321_626,
    0.001_388_888_888_886_671,
    0.000_198_412_698_861_309_72,
    2.480_158_736_075_020_5e-5,
    2.755_724_421_198_379_5e-6,
    2.755_724_261_891_035e-7,
    2.510_903_365_723_181_3e-8,
    2.092_448_217_571_637_7e-9,
];

/// Below this `eˣ` rounds to 0, above the other bound to infinity.
const RANGE: [f64; 2] = [-746.0, 710.0];

/// `x = n ln 2 + r`, and the rounding error of `r`; `x` within [`RANGE`] keeps `n ln 2` exact in its high part.
#[inline(always)]
fn reduce<S: Simd>(x: Pack<S>) -> (Pack<S>, Pack<S>, Pack<S>) {
    let n = x.mul_add(LOG2_E, ROUND) - ROUND;
    let head = n.mul_add(-LN_2_HIGH, x);
    let r = n.mul_add(-LN_2_LOW, head);
    (n, r, n.mul_add(-LN_2_LOW, head - r))
}

/// `x · 2ⁿ` for `|x|` near 1 and whole `|n| ≤ 2000`, rounded once.
#[inline(always)]
fn scale<S: Simd>(x: Pack<S>, n: Pack<S>) -> Pack<S> {
    if S::INSTRUCTION_SET == InstructionSet::Avx512 {
        return Pack(S::scale_exponent(x.0, n.0));
    }
    let half = (n * 0.5).round();
    x * half.power_of_two() * (n - half).power_of_two()
}

apart! {
    /// `eˣ`.
    pub fn exp<S: Simd>(x: Pack<S>) -> Pack<S> {
        let (n, r, _) = reduce(x.max(RANGE[0]).min(RANGE[1]));
        scale((r * r).mul_add(polynomial(&EXP, r), r) + 1.0, n)
    }
}

apart! {
    /// `eˣ/2`, which overflows later than `eˣ`.
    pub fn half_exp<S: Simd>(x: Pack<S>) -> Pack<S> {
        let (n, r, _) = reduce(x.max(RANGE[0]).min(RANGE[1] + 1.0));
        scale((r * r).mul_add(polynomial(&EXP, r), r) + 1.0, n - 1.0)
    }
}

apart! {
    /// `e^(x + low)` for `low` below the rounding of `x`: restores the error of `|x|` ulps that the rounding of `x` causes.
    pub fn exp_sum<S: Simd>(x: Pack<S>, low: Pack<S>) -> Pack<S> {
        let (n, r, lost) = reduce(x.max(RANGE[0]).min(RANGE[1]));
        // where `x` overflowed, `low` is NaN
        let low = select(x.abs().lt(1000.0), low, 0.0);
        let bend = r * r * polynomial(&EXP, r);
        // e^(r + low) = eʳ + eʳ low
        let rest = (lost + low).mul_add((r + bend) + 1.0, bend);
        scale((r + rest) + 1.0, n)
    }
}

apart! {
    /// `eˣ - 1` and `eˣ`.
    pub fn exp_m1<S: Simd>(x: Pack<S>) -> (Pack<S>, Pack<S>) {
        let (n, r, lost) = reduce(x.max(RANGE[0]).min(RANGE[1]));
        let rest = (r * r).mul_add(polynomial(&EXP_M1, r), lost);
        let exp = scale((r + rest) + 1.0, n);
        // 2ⁿ(1 + r + rest) - 1 = (2ⁿ - 1) + 2ⁿr + 2ⁿ rest, halved so that 2¹⁰²⁴ does not overflow, and without the rounding of the first sum,
        // which would be magnified at n = 1. Below n = -60 all digits vanish beside the 1.
        let power = (n.max(-60.0) - 1.0).power_of_two();
        let start = power - 0.5;
        let (step, sum) = (power * r, power.mul_add(r, start));
        let error = step - (sum - start);
        let value = 2.0 * (sum + power.mul_add(rest, error));
        (select(x.abs().lt(TINY), x, value), exp)
    }
}

/// Below this size a function `x + O(x²)` is `x`; keeps its sign at 0, and its bits where it is subnormal.
pub const TINY: f64 = 1e-17;
