//! The error function and the normal distribution function, from `e^{-x²}` and the scaled function
//! `erfcx(x) = e^{x²} erfc(x)`, which varies slowly (Shepherd and Laframboise 1981). Polynomials from
//! `tests/data/polynomials.py`.

use super::double::Double;
use super::exponential::{TINY, exp_sum};
use super::logarithm::ln_of_sum;
use super::pack::{Pack, polynomial, select};
use crate::simd::Simd;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

/// `erf(x) = x + x ERF(x²)` for `|x| ≤ 1`; relative error 2^-56.0.
const ERF: [f64; 13] = [
    0.128_379_167_095_512_6,
    -0.376_126_389_031_837_5,
    0.112_837_916_709_548_85,
    -0.026_866_170_645_077_875,
    0.005_223_977_624_828_431,
    -0.000_854_832_698_142_554_2,
    0.000_120_553_311_329_558_2,
    -1.492_559_577_218_090_6e-5,
    1.646_100_847_780_27e-6,
    -1.635_039_622_286_461_7e-7,
    1.466_032_872_274_226e-8,
    -1.137_495_573_607_015e-9,
    5.960_685_338_520_971e-11,
];
/// `erfcx(x) = w ERFCX(w - 1/5)` for `x ≥ ½` and `w = 1/(x + 2)`; relative error 2^-53.0.
const ERFCX: [f64; 25] = [
    0.895_005_755_906_949_8,
    2.321_503_721_361_861,
    4.048_478_763_305_582,
    3.239_868_270_264_585,
    -3.451_488_850_474_351,
    -9.427_814_514_945_043,
    5.123_312_651_942_176,
    27.840_405_949_758_29,
    -20.955_592_006_658_75,
    -89.793_430_853_138_45,
    134.304_532_043_691_18,
    255.967_704_364_670_7,
    -830.142_965_840_501_9,
    -196.727_611_064_583_13,
    4_192.397_572_279_006,
    -5_189.299_060_297_664,
    -13_308.796_532_452_538,
    51_844.356_068_639_74,
    -18_797.621_042_194_965,
    -287_965.477_801_270_9,
    597_021.202_306_593_4,
    930_279.142_855_139_8,
    -3_941_174.077_246_096,
    -1_252_278.892_050_249_7,
    10_881_570.460_917_471,
];

/// `1/√(2π)`.
const INVERSE_SQRT_TAU: f64 = 0.398_942_280_401_432_7;
/// `√(2/π)`.
const SQRT_2_OVER_PI: f64 = 0.797_884_560_802_865_4;
/// Beyond this the square overflows, and every function here has long reached its limit.
const FAR: f64 = 1e150;

apart! {
    /// `e^{-scale x²}` for a power of two, with the rounding error of `x²` restored.
    fn exp_square<S: Simd>(x: Pack<S>, scale: f64) -> Pack<S> {
        let x = x.abs().min(FAR);
        let square = Double::product(x, x);
        exp_sum(-scale * square.high, -scale * square.low)
    }
}

apart! {
    /// `e^{x²} erfc(x)` for `x ≥ ½`.
    fn erfcx<S: Simd>(x: Pack<S>) -> Pack<S> {
        let w = 1.0 / (x + 2.0);
        w * polynomial(&ERFCX, w - 0.2)
    }
}

apart! {
    /// `erf(x)` for `|x| ≤ 1`.
    fn erf_near<S: Simd>(x: Pack<S>) -> Pack<S> {
        x.mul_add(polynomial(&ERF, x * x), x)
    }
}

/// Error function and its slope.
#[inline(always)]
pub fn erf<S: Simd>(x: Pack<S>) -> (Pack<S>, Pack<S>) {
    let (size, exp) = (x.abs(), exp_square(x, 1.0));
    let far = (1.0 - exp * erfcx(size)).copysign(x);
    (select(size.lt(1.0), erf_near(x), far), FRAC_2_SQRT_PI * exp)
}

/// Complementary error function and its slope.
#[inline(always)]
pub fn erfc<S: Simd>(x: Pack<S>) -> (Pack<S>, Pack<S>) {
    let (size, exp) = (x.abs(), exp_square(x, 1.0));
    let tail = exp * erfcx(size);
    let far = select(x.lt(0.0), 2.0 - tail, tail);
    (
        select(size.lt(0.5), 1.0 - erf_near(x), far),
        -FRAC_2_SQRT_PI * exp,
    )
}

apart! {
    /// `Φ(-|x|)` and `φ(x)`.
    fn normal_tail<S: Simd>(x: Pack<S>) -> (Pack<S>, Pack<S>) {
        let exp = exp_square(x, 0.5);
        let scaled = x.abs() * FRAC_1_SQRT_2;
        let near = (-0.5 * erf_near(scaled)) + 0.5;
        let tail = select(scaled.lt(0.5), near, 0.5 * exp * erfcx(scaled));
        (tail, INVERSE_SQRT_TAU * exp)
    }
}

/// Standard normal distribution function and density.
#[inline(always)]
pub fn norm_cdf<S: Simd>(x: Pack<S>) -> (Pack<S>, Pack<S>) {
    let (tail, density) = normal_tail(x);
    (select(x.gt(0.0), 1.0 - tail, tail), density)
}

apart! {
    /// `ln Φ(x)` and its slope `φ(x)/Φ(x)`.
    pub fn ln_norm_cdf<S: Simd>(x: Pack<S>) -> (Pack<S>, Pack<S>) {
        let low = x.lt(-1.0);
        let (tail, density) = normal_tail(x);
        // Φ(x) = e^{-x²/2} erfcx(-x/√2)/2 in the lower tail, else 1 - Φ(-x)
        let scaled = erfcx(x.abs() * FRAC_1_SQRT_2);
        let positive = x.gt(0.0);
        let complement = select(positive, tail, 1.0 - tail);
        let sum = Double::ordered_sum(1.0, -complement);
        let ln = ln_of_sum(
            -complement,
            Double {
                high: select(low, 0.5 * scaled, sum.high),
                low: select(low, 0.0, sum.low),
            },
        );
        // for the right sign where Φ is 1
        let ln = select(complement.lt(TINY), -complement, ln);
        let value = select(low, (-0.5 * x).mul_add(x, ln), ln);
        let cdf = select(positive, 1.0 - tail, tail);
        let slope = select(low, SQRT_2_OVER_PI, density) / select(low, scaled, cdf);
        (value, slope)
    }
}
