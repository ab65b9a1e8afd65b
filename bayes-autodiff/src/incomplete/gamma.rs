//! The incomplete gamma function.

use super::{continued_fraction, everything, least_levels, nothing, series};
use crate::SingleParticle;
use crate::real::Real;
use crate::special::HALF_LN_TAU;
use std::f64::consts::LN_2;

/// From this shape on Temme's expansion is used near the mean, because the number of terms of the series grows as `√a`.
const LARGE_SHAPE: f64 = 1e5;

/// The relative distance from the mean where Temme's expansion is used.
const NEAR: f64 = 0.05;

/// `ln P(a, x)`: the log of the distribution function of a gamma variable of shape `a` and rate 1.
pub(crate) fn ln_lower<M: SingleParticle>(a: Real<M>, x: Real<M>) -> Real<M> {
    tails(a, x)[0]
}

/// `ln Q(a, x) = ln(1 - P(a, x))`.
pub(crate) fn ln_upper<M: SingleParticle>(a: Real<M>, x: Real<M>) -> Real<M> {
    tails(a, x)[1]
}

/// `[ln P(a, x), ln Q(a, x)]` for `a ≥ 0`, `x ≥ 0`; a shape of 0 is a point mass at 0.
///
/// The cases of Gautschi (1979), "A computational procedure for incomplete gamma functions", and of Didonato and
/// Morris (1986): the smaller tail is computed, the other is its complement.
#[inline(never)]
fn tails<M: SingleParticle>(a: Real<M>, x: Real<M>) -> [Real<M>; 2] {
    let (shape, at) = (a.primal(), x.primal());
    if !(shape >= 0.0 && at >= 0.0 && shape < f64::INFINITY) {
        return [Real::constant(f64::NAN); 2];
    }
    if shape == 0.0 || at == f64::INFINITY {
        return everything();
    }
    if at == 0.0 {
        return nothing();
    }
    if shape >= LARGE_SHAPE && (at - shape).abs() <= NEAR * shape {
        return near_the_mean(a, x);
    }
    if shape < 1.0 && at < 1.0 {
        return small(a, x);
    }
    if at < shape + 1.0 && shape >= 1.0 {
        // P = D Σ xⁿ/((a+1)...(a+n))
        let one = Real::constant(1.0);
        let sum = series([one, one], |n| x / (a + n), |_| one);
        let lower = log_term(a, x) + sum.ln();
        return [lower, lower.log1m_exp()];
    }
    // Legendre's continued fraction (NIST DLMF 8.9.2, even part)
    let below = x + 1.0 - a;
    // n levels leave about e^{-4√(nx)}
    let least = least_levels(shape, 100.0 / at + 5.0);
    let fraction = continued_fraction(below, |n| [(a - n) * n, below + 2.0 * n], least);
    let upper = log_term(a, x) + a.ln() - fraction.ln();
    [upper.log1m_exp(), upper]
}

/// `ln D = ln(xᵃ e⁻ˣ/Γ(a+1))`.
fn log_term<M: SingleParticle>(a: Real<M>, x: Real<M>) -> Real<M> {
    if a.primal() < 1.0 {
        a * x.ln() - x - Real::constant(1.0).ln_gamma_delta(a)
    } else {
        // Loader's form, which subtracts no large numbers
        -a.deviance(x) - a.stirling_error() - a.ln() * 0.5 - HALF_LN_TAU
    }
}

/// Both tails for `a < 1`, `x < 1`, where the upper tail may be small because `a` is.
///
/// ```text
/// P = u (1 + a S),    Q = (1 - u) - u a S,    u = xᵃ/Γ(a+1),    S = Σ (-x)ⁿ/(n! (a+n)),  n = 1, 2, ...
/// ```
fn small<M: SingleParticle>(a: Real<M>, x: Real<M>) -> [Real<M>; 2] {
    let log_u = a * x.ln() - Real::constant(1.0).ln_gamma_delta(a);
    let (zero, one) = (Real::constant(0.0), Real::constant(1.0));
    let sum = series([zero, one], |n| -x / n, |n| (a + n).recip());
    let lower = log_u + (a * sum).ln_1p();
    if lower.primal() < -LN_2 {
        return [lower, lower.log1m_exp()];
    }
    let upper = -log_u.exp_m1() - log_u.exp() * a * sum;
    [lower, upper.ln()]
}

/// Temme's uniform expansion (1979, "The asymptotic expansion of the incomplete gamma functions") for a large shape.
///
/// ```text
/// Q = Φ(-t) + φ(t) C/√a,    P = Φ(t) - φ(t) C/√a,    t = η √a,    ½ η² = λ - 1 - ln λ,    λ = x/a
/// C = c₀(η) + c₁(η)/a + c₂(η)/a² + ...
/// ```
fn near_the_mean<M: SingleParticle>(a: Real<M>, x: Real<M>) -> [Real<M>; 2] {
    let mu = (x - a) / a;
    // η/μ = √(2 (μ - ln(1+μ))/μ²), by its series so that it is smooth at the mean
    let half_square = (2..=16).rev().fold(Real::constant(0.0), |sum, k| {
        sum * mu + if k % 2 == 0 { 1.0 } else { -1.0 } / f64::from(k)
    });
    let eta = mu * (half_square * 2.0).sqrt();
    let t = eta * a.sqrt();
    let sum = (polynomial(&TEMME_2, eta) / a + polynomial(&TEMME_1, eta)) / a;
    let correction = (sum + polynomial(&TEMME_0, eta)) / a.sqrt();
    let log_pdf = -t.square() * 0.5 - HALF_LN_TAU;
    let (lower, upper) = (t.ln_norm_cdf(), (-t).ln_norm_cdf());
    [
        lower + (-correction * (log_pdf - lower).exp()).ln_1p(),
        upper + (correction * (log_pdf - upper).exp()).ln_1p(),
    ]
}

/// `Σ cₖ xᵏ`.
fn polynomial<M: SingleParticle>(coefficients: &[f64], x: Real<M>) -> Real<M> {
    let add = |sum: Real<M>, c: &f64| sum * x + *c;
    coefficients.iter().rev().fold(Real::constant(0.0), add)
}

/// Taylor coefficients of `c₀(η) = 1/μ - 1/η`, from its series with 60 digits.
const TEMME_0: [f64; 13] = [
    -0.333_333_333_333_333_3,
    0.083_333_333_333_333_33,
    -0.014_814_814_814_814_815,
    0.001_157_407_407_407_407_3,
    0.000_352_733_686_067_019_4,
    -0.000_178_755_144_032_921_8,
    3.919_263_178_522_438e-5,
    -2.185_448_510_679_992_4e-6,
    -1.854_062_210_715_16e-6,
    8.296_711_340_953_087e-7,
    -1.766_595_273_682_607_8e-7,
    6.707_853_543_401_498e-9,
    1.026_180_978_424_030_9e-8,
];
/// Taylor coefficients of `c₁(η) = c₀'(η)/η - 1/(12 μ)`.
const TEMME_1: [f64; 9] = [
    -0.001_851_851_851_851_852,
    -0.003_472_222_222_222_222,
    0.002_645_502_645_502_645_4,
    -0.000_990_226_337_448_559_6,
    0.000_205_761_316_872_427_98,
    -4.018_775_720_164_609e-7,
    -1.809_855_033_448_997_7e-5,
    7.649_160_916_081_11e-6,
    -1.612_090_089_456_344_6e-6,
];
/// Taylor coefficients of `c₂(η) = c₁'(η)/η + 1/(288 μ)`.
const TEMME_2: [f64; 6] = [
    0.004_133_597_883_597_883,
    -0.002_681_327_160_493_827_3,
    0.000_771_604_938_271_604_9,
    2.009_387_860_082_304_7e-6,
    -0.000_107_366_532_263_651_61,
    5.292_344_882_912_012_5e-5,
];
