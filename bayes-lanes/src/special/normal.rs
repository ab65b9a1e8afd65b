//! The standard normal distribution and the scaled complementary error function.

use super::polynomial;
use std::f64::consts::{FRAC_1_SQRT_2, LN_2};

/// `1/√(2π)`.
const INVERSE_SQRT_TAU: f64 = 0.398_942_280_401_432_7;
/// `√(2/π)`.
const SQRT_2_OVER_PI: f64 = 0.797_884_560_802_865_4;

/// Density `φ(x)` of the standard normal.
#[must_use]
pub fn norm_pdf(x: f64) -> f64 {
    INVERSE_SQRT_TAU * exp_half_square(x)
}

/// `e^{-x²/2}`, with the rounding error of `x²` restored: in the tails it would be magnified by `x²`.
fn exp_half_square(x: f64) -> f64 {
    let square = x * x;
    let error = x.mul_add(x, -square);
    let main = (-0.5 * square).exp();
    // where the square overflows there is no error to restore, only ∞ - ∞
    if square < f64::INFINITY {
        main - main * (0.5 * error)
    } else {
        main
    }
}

/// Distribution function `Φ(x)` of the standard normal.
#[must_use]
pub fn norm_cdf(x: f64) -> f64 {
    if x > -1.0 {
        return 0.5 * libm::erfc(-x * FRAC_1_SQRT_2);
    }
    0.5 * exp_half_square(x) * erfcx(-x * FRAC_1_SQRT_2)
}

/// `ln Φ(x)`, accurate in both tails.
#[must_use]
pub fn ln_norm_cdf(x: f64) -> f64 {
    if x > -1.0 {
        (-norm_cdf(-x)).ln_1p()
    } else {
        -0.5 * x * x + erfcx(-x * FRAC_1_SQRT_2).ln() - LN_2
    }
}

/// First and second derivative of `ln Φ`: `h = φ(x)/Φ(x)` and `-h (x + h)`.
#[must_use]
pub fn inverse_mills(x: f64) -> (f64, f64) {
    if x > -1.0 {
        let h = norm_pdf(x) / norm_cdf(x);
        return (h, -h * (x + h));
    }
    let h = SQRT_2_OVER_PI / erfcx(-x * FRAC_1_SQRT_2);
    (h, -h * excess(-x, h))
}

/// `h - t` for `t = -x > 0`; for large `t` the two agree to most digits.
fn excess(t: f64, h: f64) -> f64 {
    if t < 6.0 {
        return h - t;
    }
    // Laplace's continued fraction h = t + 1/(t + 2/(t + 3/(t + ...))) (NIST DLMF 7.9.3)
    1.0 / (2..=40)
        .rev()
        .fold(t, |denominator, k| t + f64::from(k) / denominator)
}

/// `e^{x²} erfc(x)`.
#[must_use]
pub fn erfcx(x: f64) -> f64 {
    if x < 10.0 {
        // e^{x²} needs the rounding error of x², which a fused multiply-add gives exactly
        let square = x * x;
        let error = x.mul_add(x, -square);
        return square.exp() * libm::erfc(x) * (1.0 + error);
    }
    // Σ (-1)ᵏ (2k-1)!!/(2x²)ᵏ / (x√π) (NIST DLMF 7.12.1); 14 terms leave less than 1e-17 at x = 10
    let u = 0.5 / (x * x);
    let series = (1..=14)
        .rev()
        .fold(1.0, |sum, k| 1.0 - f64::from(2 * k - 1) * u * sum);
    std::f64::consts::FRAC_2_SQRT_PI * 0.5 * series / x
}

/// `Φ⁻¹(p)`: Wichura (1988), algorithm AS 241, relative error about 1e-16.
#[must_use]
pub fn norm_quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180_625 - q * q;
        return q * polynomial(&CENTRE[0], r) / polynomial(&CENTRE[1], r);
    }
    let tail = if q < 0.0 { p } else { 1.0 - p };
    if tail <= 0.0 || tail.is_nan() {
        return if tail == 0.0 {
            f64::INFINITY.copysign(q)
        } else {
            f64::NAN
        };
    }
    let r = (-tail.ln()).sqrt();
    let (r, [above, below]) = if r <= 5.0 {
        (r - 1.6, &MIDDLE)
    } else {
        (r - 5.0, &FAR)
    };
    (polynomial(above, r) / polynomial(below, r)).copysign(q)
}

/// Numerator and denominator for `|p - ½| ≤ 0.425`.
const CENTRE: [[f64; 8]; 2] = [
    [
        3.387_132_872_796_366_5,
        133.141_667_891_784_38,
        1_971.590_950_306_551_3,
        13_731.693_765_509_46,
        45_921.953_931_549_87,
        67_265.770_927_008_7,
        33_430.575_583_588_13,
        2_509.080_928_730_122_7,
    ],
    [
        1.0,
        42.313_330_701_600_91,
        687.187_007_492_057_9,
        5_394.196_021_424_751,
        21_213.794_301_586_597,
        39_307.895_800_092_71,
        28_729.085_735_721_943,
        5_226.495_278_852_854,
    ],
];
/// Numerator and denominator for `√(-ln tail) ≤ 5`.
const MIDDLE: [[f64; 8]; 2] = [
    [
        1.423_437_110_749_683_5,
        4.630_337_846_156_546,
        5.769_497_221_460_691,
        3.647_848_324_763_204_5,
        1.270_458_252_452_368_4,
        0.241_780_725_177_450_6,
        0.022_723_844_989_269_184,
        0.000_774_545_014_278_341_4,
    ],
    [
        1.0,
        2.053_191_626_637_759,
        1.676_384_830_183_803_8,
        0.689_767_334_985_1,
        0.148_103_976_427_480_08,
        0.015_198_666_563_616_457,
        0.000_547_593_808_499_534_5,
        1.050_750_071_644_416_9e-9,
    ],
];
/// Numerator and denominator beyond.
const FAR: [[f64; 8]; 2] = [
    [
        6.657_904_643_501_103,
        5.463_784_911_164_114,
        1.784_826_539_917_291_3,
        0.296_560_571_828_504_87,
        0.026_532_189_526_576_124,
        0.001_242_660_947_388_078_4,
        2.711_555_568_743_487_6e-5,
        2.010_334_399_292_288_1e-7,
    ],
    [
        1.0,
        0.599_832_206_555_888,
        0.136_929_880_922_735_8,
        0.014_875_361_290_850_615,
        0.000_786_869_131_145_613_3,
        1.846_318_317_510_054_8e-5,
        1.421_511_758_316_446e-7,
        2.044_263_103_389_939_7e-15,
    ],
];
