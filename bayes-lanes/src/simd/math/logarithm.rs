//! Logarithms: `x = 2ᵏ(1 + f)`, and a series in `s = f/(2 + f)` (Cody and Waite 1980).

use super::double::Double;
use super::exponential::TINY;
use super::pack::{Pack, polynomial, select};
use super::{LN_2_HIGH, LN_2_LOW};
use crate::simd::Mask;
use crate::simd::Simd;

/// `ln((1 + s)/(1 - s)) = 2s + s³ LN(s²)` for `-1/7 ≤ s ≤ 1/5`; relative error 2^-61.3 (`tests/data/polynomials.py`).
pub const LN: [f64; 8] = [
    0.666_666_666_666_666,
    0.400_000_000_000_559,
    0.285_714_285_560_150_6,
    0.222_222_242_754_887,
    0.181_816_671_222_725_55,
    0.153_910_715_735_790_68,
    0.131_742_727_330_873_55,
    0.138_385_128_535_260_5,
];

apart! {
    /// `k ln 2 + ln(1 + f) + low` for `-¼ ≤ f ≤ ½` and a `low` that is small compared with the sum; `s = f/(2 + f)`.
    fn assemble<S: Simd>(k: Pack<S>, f: Pack<S>, s: Pack<S>, low: Pack<S>) -> Pack<S> {
        let z = s * s;
        let half = 0.5 * f * f;
        // f - (f²/2 - s(f²/2 + s² LN)) has its largest term exact
        let bend = z.mul_add(polynomial(&LN, z), half);
        let rest = half - s.mul_add(bend, k.mul_add(LN_2_LOW, low));
        k.mul_add(LN_2_HIGH, f - rest)
    }
}

apart! {
    /// `x = 2ᵏ m` with `¾ ≤ m ≤ 3/2`, for positive finite `x`.
    pub fn split<S: Simd>(x: Pack<S>) -> (Pack<S>, Pack<S>) {
        let (m, e) = S::split_exponent(x.0);
        let (m, e) = (Pack::<S>(m), Pack(e));
        let high = m.gt(1.5);
        (select(high, 0.5 * m, m), e + select(high, 1.0, 0.0))
    }
}

apart! {
    /// Logarithms outside the positive finite numbers.
    pub fn edges<S: Simd>(x: Pack<S>, value: Pack<S>) -> Pack<S> {
        let inside = x.gt(0.0).and(x.lt(f64::INFINITY));
        let positive = select(x.gt(0.0), f64::INFINITY, f64::NAN);
        select(
            inside,
            value,
            select(x.eq(0.0), f64::NEG_INFINITY, positive),
        )
    }
}

/// Natural logarithm.
#[inline(always)]
pub fn ln<S: Simd>(x: Pack<S>) -> Pack<S> {
    edges(x, ln_positive(x))
}

apart! {
    /// Natural logarithm of positive finite numbers.
    pub fn ln_positive<S: Simd>(x: Pack<S>) -> Pack<S> {
        let (m, k) = split(x);
        let f = m - 1.0;
        assemble(k, f, f / (2.0 + f), Pack(S::splat(0.0)))
    }
}

apart! {
    /// `ln(1 + x)`.
    pub fn ln_1p<S: Simd>(x: Pack<S>) -> Pack<S> {
        let u = Double::sum(1.0, x);
        select(x.abs().lt(TINY), x, edges(u.high, ln_of_sum(x, u)))
    }
}

apart! {
    /// `ln u` for a positive finite sum `u`, which is `1 + x` wherever it is near 1.
    pub fn ln_of_sum<S: Simd>(x: Pack<S>, u: Double<S>) -> Pack<S> {
        let (m, k) = split(u.high);
        let near = k.eq(0.0);
        let f = select(near, x, m - 1.0);
        let s = f / (2.0 + f);
        // the rounding of 1 + x, relative to it: 1/(1 + f) = 1 - 2s + 2s² - ...
        let low = u.low * (-k).max(-1000.0).min(1000.0).power_of_two();
        let low = select(near, 0.0, low * (2.0 * s).mul_add(s - 1.0, 1.0));
        assemble(k, f, s, low)
    }
}

apart! {
    /// `ln(a/b)`, given `x = a/b - 1` for quotients near 1.
    pub fn ln_of_ratio<S: Simd>(a: Pack<S>, b: Pack<S>, x: Pack<S>) -> Pack<S> {
        let high = a / b;
        let back = Double::product(high, b);
        // the rounding error of the quotient; nothing where the product under- or overflows
        let low = ((a - back.high) - back.low) / b;
        let low = select(low.abs().lt(high * f64::EPSILON), low, 0.0);
        edges(high, ln_of_sum(x, Double { high, low }))
    }
}

apart! {
    /// `ln(1 + x)` for `0 ≤ x ≤ 1`: there `f` is exact.
    pub fn ln_1p_unit<S: Simd>(x: Pack<S>) -> Pack<S> {
        let high = x.gt(0.5);
        let f = select(high, x.mul_add(0.5, -0.5), x);
        let k = select(high, 1.0, 0.0);
        assemble(k, f, f / (2.0 + f), Pack(S::splat(0.0)))
    }
}

/// `LN(z) = 2/3 + z LN_REST(z)`; relative error of the logarithm 2^-65.5 (`tests/data/polynomials.py`).
const LN_REST: [f64; 8] = [
    0.399_999_999_999_997_8,
    0.285_714_285_715_574_94,
    0.222_222_221_941_668_27,
    0.181_818_213_021_558_73,
    0.153_844_164_165_429_6,
    0.133_409_000_307_828_32,
    0.115_956_302_817_391_28,
    0.125_532_681_889_764_19,
];
/// The rounding of 2/3.
const TWO_THIRDS_LOW: f64 = 3.700_743_415_417_188e-17;

apart! {
    /// Natural logarithm of positive finite numbers to some 65 bits.
    pub fn ln_double<S: Simd>(x: Pack<S>) -> Double<S> {
        let (m, k) = split(x);
        let f = m - 1.0;
        let sum = Double::ordered_sum(2.0, f);
        let inverse = 1.0 / sum.high;
        let quotient = f * inverse;
        let back = Double::product(quotient, sum.high);
        let remainder = (f - back.high) - quotient.mul_add(sum.low, back.low);
        let s = Double {
            high: quotient,
            low: remainder * inverse,
        };
        let z = s.times(s);
        let tail = Double::ordered_sum(2.0 / 3.0, z.high * polynomial(&LN_REST, z.high));
        let tail = Double {
            high: tail.high,
            low: tail.low + TWO_THIRDS_LOW,
        };
        let twice = Double {
            high: 2.0 * s.high,
            low: 2.0 * s.low,
        };
        let ln = twice.plus(s.times(z).times(tail));
        Double::ordered_sum(k * LN_2_HIGH, ln.high).plus_low(k.mul_add(LN_2_LOW, ln.low))
    }
}
