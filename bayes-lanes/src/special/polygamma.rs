//! Derivatives of `ln Γ`: shift the argument up by the recurrence, then the asymptotic series (NIST DLMF 5.15).

use super::{BERNOULLI, LARGE, polynomial};
use std::f64::consts::PI;

/// `ψ(x) = d/dx ln Γ(x)`.
#[must_use]
pub fn digamma(x: f64) -> f64 {
    if x <= 0.0 {
        // DLMF 5.5.4; at the poles 0, -1, ... the value is undefined
        return if x.fract() == 0.0 {
            f64::NAN
        } else {
            digamma(1.0 - x) - PI / (PI * x.fract()).tan()
        };
    }
    let gap = (x - ROOT[0]) - ROOT[1];
    if gap.abs() < 0.2 {
        return polynomial(&AT_ROOT, gap) * gap;
    }
    let mut shift = 0.0;
    let mut x = x;
    while x < LARGE {
        shift += 1.0 / x;
        x += 1.0;
    }
    // ln x - 1/(2x) - Σ B₂ₖ/(2k) x⁻²ᵏ
    let u = 1.0 / (x * x);
    let series = polynomial(&scaled(|k| 1.0 / (2 * k) as f64), u) * u;
    x.ln() - 0.5 / x - series - shift
}

/// The positive root of `ψ`, as the sum of two numbers.
const ROOT: [f64; 2] = [1.461_632_144_968_362_2, 9.549_995_429_965_697e-17];

/// Taylor coefficients of `ψ` at this root, `ψ⁽ᵏ⁾/k!` from `k = 1` on (mpmath, 60 digits), because the terms of the asymptotic series
/// cancel near the root. Eighteen leave less than 1e-16 of the value within 0.2 of the root.
const AT_ROOT: [f64; 18] = [
    0.967_672_245_447_621_2,
    -0.442_763_168_983_592_1,
    0.258_499_760_955_651,
    -0.163_942_705_442_406_53,
    0.107_824_050_691_262_37,
    -0.072_199_561_256_454_71,
    0.048_804_288_164_143_11,
    -0.033_161_126_474_847_36,
    0.022_597_648_232_218_105,
    -0.015_424_765_904_948_96,
    0.010_538_791_616_612_175,
    -0.007_204_534_386_356_868,
    0.004_926_781_395_729_853,
    -0.003_369_801_655_439_328,
    0.002_305_126_326_734_928,
    -0.001_576_936_771_430_197_3,
    0.001_078_825_201_916_296_6,
    -0.000_738_070_938_996_005,
];

/// `ψ'(x)` for `x > 0`.
#[must_use]
pub fn trigamma(x: f64) -> f64 {
    // 1/x + 1/(2x²) + Σ B₂ₖ x⁻²ᵏ⁻¹
    shifted(
        x,
        |x| 1.0 / (x * x),
        |x, u| (1.0 + 0.5 / x + polynomial(&BERNOULLI, u) * u) / x,
    )
}

/// `ψ''(x)` for `x > 0`.
#[must_use]
pub fn tetragamma(x: f64) -> f64 {
    // -1/x² - 1/x³ - Σ (2k+1) B₂ₖ x⁻²ᵏ⁻²
    shifted(
        x,
        |x| -2.0 / (x * x * x),
        |x, u| -(1.0 + 1.0 / x + polynomial(&scaled(|k| (2 * k + 1) as f64), u) * u) * u,
    )
}

/// `ψ'''(x)` for `x > 0`.
#[must_use]
pub fn pentagamma(x: f64) -> f64 {
    // 2/x³ + 3/x⁴ + Σ (2k+1)(2k+2) B₂ₖ x⁻²ᵏ⁻³
    shifted(
        x,
        |x| 6.0 / (x * x * x * x),
        |x, u| {
            let series = polynomial(&scaled(|k| ((2 * k + 1) * (2 * k + 2)) as f64), u) * u;
            (2.0 + 3.0 / x + series) * u / x
        },
    )
}

/// `Σᵢ step(x + i)` until `x + i` is large, then the series in `u = x⁻²` there.
#[inline]
fn shifted(x: f64, step: impl Fn(f64) -> f64, series: impl Fn(f64, f64) -> f64) -> f64 {
    if x.is_nan() || x <= 0.0 {
        return f64::NAN;
    }
    let mut sum = 0.0;
    let mut x = x;
    while x < LARGE {
        sum += step(x);
        x += 1.0;
    }
    sum + series(x, 1.0 / (x * x))
}

/// `B₂ₖ` times a factor of `k = 1, 2, ...`.
#[inline]
fn scaled(factor: impl Fn(usize) -> f64) -> [f64; 10] {
    std::array::from_fn(|i| BERNOULLI[i] * factor(i + 1))
}
