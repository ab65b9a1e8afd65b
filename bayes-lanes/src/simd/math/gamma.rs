//! `ln Γ` and its derivatives, for positive arguments; the others go to the scalar functions.
//!
//! From 8 on Stirling's series (NIST DLMF 5.11); below 8 the recurrence down to an interval with its own polynomial. The polynomial has
//! the zeros of the function as factors, so that nothing cancels there. Polynomials from `tests/data/polynomials.py`.

use super::logarithm::ln_positive;
use super::pack::{Pack, polynomial, select};
use super::rare::patch;
use crate::simd::Mask;
use crate::simd::Simd;
use crate::special;

/// `ln Γ(2 + t) = t LN_GAMMA(t)` for `-¾ ≤ t ≤ ½`; relative error 2^-53.1.
const LN_GAMMA: [f64; 21] = [
    0.422_784_335_098_467_13,
    0.322_467_033_424_113_15,
    -0.067_352_301_053_201_13,
    0.020_580_808_427_795_35,
    -0.007_385_551_028_382_702,
    0.002_890_510_330_349_633_7,
    -0.001_192_753_922_601_360_3,
    0.000_509_669_527_347_224_4,
    -0.000_223_154_553_500_567_8,
    9.945_761_119_533_529e-5,
    -4.492_838_566_817_279e-5,
    2.050_499_787_286_265e-5,
    -9.426_625_702_968_154e-6,
    4.394_674_715_393_907e-6,
    -2.080_462_860_099_706_6e-6,
    8.641_381_759_526_103e-7,
    -3.989_460_634_254_369_3e-7,
    4.235_412_092_848_542e-7,
    -4.781_862_467_792_722_5e-8,
    -1.456_614_279_281_166_2e-7,
    -1.710_920_499_183_154_6e-7,
];
/// `ln Γ(x) = (x - ½) ln x - x + ½ ln 2π + STIRLING(x⁻²)/x` for `x ≥ 8`; relative error of the last term 2^-54.0.
pub const STIRLING: [f64; 7] = [
    0.083_333_333_333_333_33,
    -0.002_777_777_777_774_100_3,
    0.000_793_650_789_835_558_5,
    -0.000_595_236_607_116_239_6,
    0.000_841_472_866_938_026_2,
    -0.001_890_540_829_898_137_6,
    0.005_069_265_392_352_649,
];
/// `ψ(x) = ln x - 1/(2x) - x⁻² DIGAMMA(x⁻²)` for `x ≥ 8`; error 2^-63.9.
pub const DIGAMMA: [f64; 7] = [
    0.083_333_333_333_333_16,
    -0.008_333_333_333_041_423,
    0.003_968_253_804_593_464_5,
    -0.004_166_623_000_359_458,
    0.007_569_480_554_828_476_5,
    -0.020_589_116_385_980_7,
    0.061_539_034_124_882_416,
];
/// `ψ'(x) = 1/x + 1/(2x²) + x⁻³ TRIGAMMA(x⁻²)` for `x ≥ 8`; relative error 2^-62.9.
const TRIGAMMA: [f64; 8] = [
    0.166_666_666_666_666_57,
    -0.033_333_333_333_152_03,
    0.023_809_523_678_772_863,
    -0.033_333_287_575_129_88,
    0.075_748_661_292_692_16,
    -0.252_089_635_620_655,
    1.096_769_917_596_604_8,
    -4.366_009_986_798_188,
];
/// `ψ''(x) = -1/x² - 1/x³ - x⁻⁴ TETRAGAMMA(x⁻²)` for `x ≥ 8`; relative error 2^-60.8.
const TETRAGAMMA: [f64; 8] = [
    0.499_999_999_999_998_45,
    -0.166_666_666_663_424_36,
    0.166_666_664_324_738_06,
    -0.299_999_178_826_372,
    0.833_172_939_702_588_9,
    -3.271_982_648_322_798_5,
    16.229_479_993_922_53,
    -70.386_809_703_673_8,
];
/// `ψ(x) = (x - x₀) DIGAMMA_ROOT(x - 7/4)` for `1 ≤ x ≤ 5/2` and the root `x₀`; relative error 2^-53.6.
const DIGAMMA_ROOT: [f64; 25] = [
    0.858_183_217_126_299_5,
    -0.326_254_627_868_103_94,
    0.157_120_113_352_037_52,
    -0.082_285_586_356_101_11,
    0.044_799_654_453_305_686,
    -0.024_890_048_471_416_83,
    0.013_985_786_162_933_753,
    -0.007_910_469_220_726_224,
    0.004_491_814_138_552_97,
    -0.002_556_680_224_945_193_5,
    0.001_457_369_439_341_028_4,
    -0.000_831_552_052_698_945_3,
    0.000_474_721_674_004_718_6,
    -0.000_270_778_386_312_736_96,
    0.000_154_617_729_823_517_44,
    -8.958_052_243_557_827e-5,
    5.132_810_965_975_316e-5,
    -2.606_282_969_456_77e-5,
    1.461_825_586_068_168e-5,
    -1.405_185_669_250_828_3e-5,
    8.352_330_194_371_713e-6,
    1.592_562_548_124_482e-6,
    -1.128_760_643_802_527_5e-6,
    -3.468_093_596_539_125e-6,
    2.046_584_800_819_433e-6,
];

/// From here on the series are used.
pub const LARGE: f64 = 8.0;
/// `½ ln 2π - ½`.
const HALF_LN_TAU_LESS_HALF: f64 = 0.418_938_533_204_672_7;
/// The positive root of `ψ`, as the sum of two numbers.
const ROOT: [f64; 2] = [1.461_632_144_968_362_2, 9.549_995_429_965_697e-17];

/// Positive finite numbers.
#[inline(always)]
fn usual<S: Simd>(x: Pack<S>) -> S::Mask {
    x.gt(0.0).and(x.lt(f64::INFINITY))
}

/// `ln Γ(x)` and `ψ(x)`.
#[inline(always)]
pub fn ln_gamma<S: Simd>(x: Pack<S>) -> (Pack<S>, Pack<S>) {
    let (value, ln) = ln_gamma_and_ln(x);
    let pair = (value, digamma_with(x, ln));
    patch(usual(x).not(), x, pair, |x| {
        (special::ln_gamma(x), special::digamma(x))
    })
}

/// `ln Γ(x)` for positive finite `x`.
#[inline(always)]
pub fn ln_gamma_positive<S: Simd>(x: Pack<S>) -> Pack<S> {
    ln_gamma_and_ln(x).0
}

/// `ψ(x)` for positive finite `x`.
#[inline(always)]
pub fn digamma_positive<S: Simd>(x: Pack<S>) -> Pack<S> {
    digamma_with(x, ln_positive(x))
}

apart! {
    /// `ln Γ(x)` for positive finite `x`, and `ln x` where `x` is large.
    fn ln_gamma_and_ln<S: Simd>(x: Pack<S>) -> (Pack<S>, Pack<S>) {
        let large = x.ge(LARGE);
        // Γ(x) = Γ(2 + t) times factors; below 5/4 divided by them
        let n = x.min(LARGE).round();
        let low = x.lt(1.25);
        let t = x - select(low, n, n.max(2.0));
        let factors = select(n.lt(0.5), x + 1.0, 1.0) * select(low, x, falling(x, n));
        let ln = ln_positive(select(large, x, factors));
        let inverse = 1.0 / x;
        let series = inverse.mul_add(
            polynomial(&STIRLING, inverse * inverse),
            HALF_LN_TAU_LESS_HALF,
        );
        let far = (x - 0.5).mul_add(ln - 1.0, series);
        let near = t.mul_add(polynomial(&LN_GAMMA, t), select(low, -ln, ln));
        (select(large, far, near), ln)
    }
}

/// `(x - 1)(x - 2) ⋯` down to the last factor above 3/2, for `n`, the nearest whole number to `x`, at most 8.
#[inline(always)]
fn falling<S: Simd>(x: Pack<S>, n: Pack<S>) -> Pack<S> {
    let mut product = select(n.gt(2.5), x - 1.0, 1.0);
    for i in 2..=6 {
        let i = f64::from(i);
        product = product * select(n.gt(i + 1.5), x - i, 1.0);
    }
    product
}

apart! {
    /// `ψ(x)` for positive finite `x`, given `ln x` where `x` is large.
    fn digamma_with<S: Simd>(x: Pack<S>, ln: Pack<S>) -> Pack<S> {
        let large = x.ge(LARGE);
        let low = x.lt(1.0);
        // ψ(x) = ψ(x - 1) + 1/(x - 1), down to 3/2 at least, and one step up below 1; the reciprocals over a common denominator
        let n = x.min(LARGE).round();
        let mut numerator = select(low, -1.0, 0.0);
        let mut denominator = select(low, x, 1.0);
        let mut end = x;
        for i in 1..=6 {
            let i = f64::from(i);
            let (taken, term) = (n.gt(i + 1.5), x - i);
            numerator = select(taken, numerator.mul_add(term, denominator), numerator);
            denominator = select(taken, denominator * term, denominator);
            end = select(taken, term, end);
        }
        let quotient = select(large, 1.0, numerator) / select(large, x, denominator);
        // the root minus 1 is exact, unlike `x + 1`
        let gap = (end - select(low, ROOT[0] - 1.0, ROOT[0])) - ROOT[1];
        let factor = polynomial(&DIGAMMA_ROOT, end - select(low, 0.75, 1.75));
        let near = gap.mul_add(factor, quotient);
        let series = quotient.mul_add(polynomial(&DIGAMMA, quotient * quotient), 0.5);
        select(large, ln - quotient * series, near)
    }
}

/// `ψ(x)` and `ψ'(x)`.
#[inline(always)]
pub fn digamma<S: Simd>(x: Pack<S>) -> (Pack<S>, Pack<S>) {
    let pair = (digamma_positive(x), trigamma_positive(x).0);
    patch(usual(x).not(), x, pair, |x| {
        (special::digamma(x), special::trigamma(x))
    })
}

/// `ψ'(x)` and `ψ''(x)`.
#[inline(always)]
pub fn trigamma<S: Simd>(x: Pack<S>) -> (Pack<S>, Pack<S>) {
    patch(usual(x).not(), x, trigamma_positive(x), |x| {
        (special::trigamma(x), special::tetragamma(x))
    })
}

apart! {
    /// The same for positive finite `x`: eight steps up where `x` is not large, all of the same sign.
    fn trigamma_positive<S: Simd>(x: Pack<S>) -> (Pack<S>, Pack<S>) {
        let large = x.ge(LARGE);
        let inverse = 1.0 / select(large, x, x + 8.0);
        let u = inverse * inverse;
        let bend = inverse.mul_add(polynomial(&TRIGAMMA, u) * inverse + 0.5, 1.0);
        let first = inverse * bend;
        let second = -u * (u.mul_add(polynomial(&TETRAGAMMA, u), inverse) + 1.0);
        let (squares, cubes) = reciprocal_powers(x);
        (
            first + select(large, 0.0, squares),
            second + select(large, 0.0, -2.0 * cubes),
        )
    }
}

/// `Σ 1/(x + i)²` and `Σ 1/(x + i)³` for `i < 8`. The first terms, which may be huge, separately; the others over a common denominator.
#[inline(always)]
fn reciprocal_powers<S: Simd>(x: Pack<S>) -> (Pack<S>, Pack<S>) {
    let term = x + 1.0;
    let mut denominators = [term * term, term * term * term];
    let mut numerators = [Pack::<S>(S::splat(1.0)); 2];
    for i in 2..8 {
        let term = x + f64::from(i);
        let square = term * term;
        let powers = [square, square * term];
        for k in 0..2 {
            numerators[k] = numerators[k].mul_add(powers[k], denominators[k]);
            denominators[k] = denominators[k] * powers[k];
        }
    }
    let square = x * x;
    (
        1.0 / square + numerators[0] / denominators[0],
        1.0 / (square * x) + numerators[1] / denominators[1],
    )
}
