//! Any processor: plain arrays.
//!
//! On x86-64 only processors from before 2013 use this. An operation is a call and is not inlined there; otherwise a model would take
//! twice as long to compile, for a path that is hardly ever used.

use super::{InstructionSet, LANES, Sealed, Simd, Work};
use crate::simd::Mask;

/// The arithmetic of any processor.
#[derive(Clone, Copy, Debug, Default)]
pub struct Portable;

/// Eight numbers with the alignment of the widest register, so that memory has one layout for all levels.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Lanes([f64; LANES]);

impl Sealed for Portable {}

/// `f` lane by lane.
#[inline(always)]
fn zip(a: Lanes, b: Lanes, f: impl Fn(f64, f64) -> f64) -> Lanes {
    let mut out = a;
    for (out, b) in out.0.iter_mut().zip(b.0) {
        *out = f(*out, b);
    }
    out
}

/// `f` of every lane.
#[inline(always)]
fn each(a: Lanes, f: impl Fn(f64) -> f64) -> Lanes {
    let mut out = a;
    for out in &mut out.0 {
        *out = f(*out);
    }
    out
}

/// A comparison lane by lane.
#[inline(always)]
fn compare(a: Lanes, b: Lanes, f: impl Fn(f64, f64) -> bool) -> [bool; LANES] {
    std::array::from_fn(|i| f(a.0[i], b.0[i]))
}

impl Mask for [bool; LANES] {
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        std::array::from_fn(|i| self[i] & other[i])
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        std::array::from_fn(|i| self[i] | other[i])
    }
    #[inline(always)]
    fn not(self) -> Self {
        self.map(|x| !x)
    }
}

/// `2ⁿ` for `-1022 ≤ n ≤ 1023`.
#[inline(always)]
fn power_of_two(n: i64) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
}

/// `x · 2ⁿ` in three steps that stay within the exponents of normal numbers; only the last one rounds.
#[inline(always)]
fn scale_exponent(x: f64, n: f64) -> f64 {
    let n = n as i64;
    let step = n.clamp(-1022, 1023);
    let (x, n) = (x * power_of_two(step), n - step);
    let step = n.clamp(-1022, 1023);
    x * power_of_two(step) * power_of_two((n - step).clamp(-1022, 1023))
}

/// Mantissa in [1, 2) and exponent of a positive finite number.
#[inline(always)]
fn split_exponent(x: f64) -> (f64, f64) {
    let subnormal = x < f64::MIN_POSITIVE;
    // 2^54 takes the smallest subnormal number to a normal one
    let scaled = if subnormal { x * power_of_two(54) } else { x };
    let bits = scaled.to_bits();
    let mantissa = f64::from_bits(bits & 0x000f_ffff_ffff_ffff | 0x3ff0_0000_0000_0000);
    let exponent = (bits >> 52) as f64 - if subnormal { 1077.0 } else { 1023.0 };
    (mantissa, exponent)
}

#[inline(never)]
fn call<W: Work>(work: W) -> W::Output {
    work.run::<Portable>()
}

impl Simd for Portable {
    const INSTRUCTION_SET: InstructionSet = InstructionSet::Portable;
    const IS_CALLED: bool = cfg!(target_arch = "x86_64");
    const SUMS: usize = if Self::IS_CALLED { 1 } else { 8 };
    type Float = Lanes;
    type Mask = [bool; LANES];

    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn splat(x: f64) -> Lanes {
        Lanes([x; LANES])
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn load(x: &[f64; LANES]) -> Lanes {
        Lanes(*x)
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn store(x: Lanes, to: &mut [f64; LANES]) {
        *to = x.0;
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn transpose(rows: [Lanes; LANES]) -> [Lanes; LANES] {
        std::array::from_fn(|i| Lanes(rows.map(|row| row.0[i])))
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn add(a: Lanes, b: Lanes) -> Lanes {
        zip(a, b, |a, b| a + b)
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn sub(a: Lanes, b: Lanes) -> Lanes {
        zip(a, b, |a, b| a - b)
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn mul(a: Lanes, b: Lanes) -> Lanes {
        zip(a, b, |a, b| a * b)
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn div(a: Lanes, b: Lanes) -> Lanes {
        zip(a, b, |a, b| a / b)
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn mul_add(a: Lanes, b: Lanes, c: Lanes) -> Lanes {
        Self::add(Self::mul(a, b), c)
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn neg(a: Lanes) -> Lanes {
        each(a, |a| -a)
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn abs(a: Lanes) -> Lanes {
        each(a, f64::abs)
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn copysign(a: Lanes, sign: Lanes) -> Lanes {
        zip(a, sign, f64::copysign)
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn sqrt(a: Lanes) -> Lanes {
        each(a, f64::sqrt)
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn round(a: Lanes) -> Lanes {
        each(a, f64::round_ties_even)
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn max(a: Lanes, b: Lanes) -> Lanes {
        zip(a, b, |a, b| if a > b { a } else { b })
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn min(a: Lanes, b: Lanes) -> Lanes {
        zip(a, b, |a, b| if a < b { a } else { b })
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn power_of_two(n: Lanes) -> Lanes {
        // 2^52 + 2^51 + 1023 + n has the biased exponent in its low bits; a cast would convert one number at a time
        each(n, |n| {
            f64::from_bits((n + (6_755_399_441_055_744.0 + 1023.0)).to_bits() << 52)
        })
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn scale_exponent(x: Lanes, n: Lanes) -> Lanes {
        zip(x, n, scale_exponent)
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn split_exponent(x: Lanes) -> (Lanes, Lanes) {
        (
            each(x, |x| split_exponent(x).0),
            each(x, |x| split_exponent(x).1),
        )
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn lt(a: Lanes, b: Lanes) -> [bool; LANES] {
        compare(a, b, |a, b| a < b)
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn le(a: Lanes, b: Lanes) -> [bool; LANES] {
        compare(a, b, |a, b| a <= b)
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn eq(a: Lanes, b: Lanes) -> [bool; LANES] {
        compare(a, b, |a, b| a == b)
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn select(mask: [bool; LANES], a: Lanes, b: Lanes) -> Lanes {
        Lanes(std::array::from_fn(
            |i| if mask[i] { a.0[i] } else { b.0[i] },
        ))
    }
    #[inline(always)]
    fn call<W: Work>(work: W) -> W::Output {
        call(work)
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn any(mask: [bool; LANES]) -> bool {
        mask.iter().any(|x| *x)
    }
}
