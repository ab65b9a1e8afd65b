//! Circular functions: `x = n π/2 + r`, and polynomials in `r` (Cody and Waite 1980). Polynomials from
//! `tests/data/polynomials.py`.

use super::double::Double;
use super::pack::{Pack, ROUND, polynomial, select};
use super::rare::patch;
use crate::simd::Mask;
use crate::simd::Simd;
use std::f64::consts::FRAC_2_PI;

/// `sin r = r + r³ SIN(r²)` for `|r| ≤ π/4`; relative error 2^-57.3.
const SIN: [f64; 6] = [
    -0.166_666_666_666_666_32,
    0.008_333_333_333_322_427,
    -0.000_198_412_698_298_186_5,
    2.755_731_369_567_083_4e-6,
    -2.505_075_870_482_162e-8,
    1.589_683_000_926_356e-10,
];
/// `cos r = 1 - r²/2 + r⁴ COS(r²)`; relative error 2^-60.0.
const COS: [f64; 6] = [
    0.041_666_666_666_666_6,
    -0.001_388_888_888_887_414_9,
    2.480_158_728_949_611_3e-5,
    -2.755_731_435_617_772e-7,
    2.087_572_378_156_599e-9,
    -1.135_967_375_902_987_9e-11,
];
/// `π/2` as the sum of four numbers, the first three of 33 bits, so that their products with `n` are exact.
const HALF_PI: [f64; 4] = [
    1.570_796_326_734_125_6,
    6.077_100_506_303_966e-11,
    2.022_266_248_711_166_5e-21,
    8.478_427_660_368_9e-32,
];
/// The largest argument whose `n` keeps those products exact; larger ones go to the scalar functions.
const LARGEST: f64 = 1e6;

/// Sine and cosine of `r`; whether `n` is odd, and whether it is 2 or 3 modulo 4.
struct Turn<S: Simd> {
    sin: Pack<S>,
    cos: Pack<S>,
    odd: S::Mask,
    half: S::Mask,
}

impl<S: Simd> Turn<S> {
    #[inline(always)]
    fn of(x: Pack<S>) -> Self {
        let n = x.mul_add(FRAC_2_PI, ROUND) - ROUND;
        // near a multiple of π/2 the parts cancel one after another: each difference is kept exactly
        let first = n.mul_add(-HALF_PI[0], x);
        let second = Double::sum(first, n * -HALF_PI[1]);
        let third = Double::sum(second.high, n * -HALF_PI[2]);
        let low = n.mul_add(-HALF_PI[3], second.low + third.low);
        let r = Double::ordered_sum(third.high, low);
        // n modulo 4, from -2 to 2
        let quarter = n - 4.0 * (0.25 * n).round();
        let size = quarter.abs();
        Self {
            // for the sign of zero
            sin: select(x.eq(0.0), x, sin_of(r)),
            cos: cos_of(r),
            odd: size.eq(1.0),
            half: size.eq(2.0).or(quarter.eq(-1.0)),
        }
    }
    /// Sine and cosine of the whole angle.
    #[inline(always)]
    fn whole(&self) -> (Pack<S>, Pack<S>) {
        let (sin, cos) = (
            select(self.odd, self.cos, self.sin),
            select(self.odd, -self.sin, self.cos),
        );
        (select(self.half, -sin, sin), select(self.half, -cos, cos))
    }
}

apart! {
    fn sin_of<S: Simd>(r: Double<S>) -> Pack<S> {
        let z = r.high * r.high;
        // sin(r + low) = sin r + low cos r
        let low = r.low * z.mul_add(-0.5, 1.0);
        (z * r.high).mul_add(polynomial(&SIN, z), low) + r.high
    }
}

apart! {
    fn cos_of<S: Simd>(r: Double<S>) -> Pack<S> {
        let z = r.high * r.high;
        let half = 0.5 * z;
        let start = 1.0 - half;
        // the rounding of the first difference, and the slope in `low`
        let lost = (1.0 - start) - half;
        start + (z * z).mul_add(polynomial(&COS, z), lost - r.high * r.low)
    }
}

/// Arguments whose `n` is too large, infinities and NaN.
#[inline(always)]
fn unusual<S: Simd>(x: Pack<S>) -> S::Mask {
    x.abs().lt(LARGEST).not()
}

/// Sine and its slope.
#[inline(always)]
pub fn sin<S: Simd>(x: Pack<S>) -> (Pack<S>, Pack<S>) {
    let (sin, cos) = Turn::of(x).whole();
    patch(unusual(x), x, (sin, cos), f64::sin_cos)
}

/// Cosine and its slope.
#[inline(always)]
pub fn cos<S: Simd>(x: Pack<S>) -> (Pack<S>, Pack<S>) {
    let (sin, cos) = Turn::of(x).whole();
    patch(unusual(x), x, (cos, -sin), |x| {
        let (sin, cos) = x.sin_cos();
        (cos, -sin)
    })
}

/// Tangent and its slope.
#[inline(always)]
pub fn tan<S: Simd>(x: Pack<S>) -> (Pack<S>, Pack<S>) {
    let turn = Turn::of(x);
    let above = select(turn.odd, -turn.cos, turn.sin);
    let tan = above / select(turn.odd, turn.sin, turn.cos);
    patch(unusual(x), x, (tan, tan.mul_add(tan, 1.0)), |x| {
        let tan = x.tan();
        (tan, 1.0 + tan * tan)
    })
}
