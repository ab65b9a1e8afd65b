//! Eight lanes of `f64`, one for each of eight particles, in the instruction set of the processor.
//!
//! [`Simd`] is the arithmetic of one instruction set; [`InstructionSet`] names it and [`dispatch`] enters it. `dispatch` is one outermost
//! function with the features enabled; every function below it that is marked `#[inline(always)]` is compiled into it. So a plain build
//! uses the fast path on processors that have it, and still runs on processors that do not.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod instruction_set;
mod mask;
#[doc(hidden)]
pub mod math;
mod portable;
mod processor;
mod single;

#[cfg(target_arch = "x86_64")]
#[doc(hidden)]
pub use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
#[doc(hidden)]
pub use avx512::Avx512;
pub use instruction_set::{InstructionSet, Work, dispatch};
pub use mask::Mask;
#[doc(hidden)]
pub use portable::Portable;
pub use single::SimdF32;

#[cfg(test)]
mod tests;

use std::fmt::Debug;

/// Particles evaluated together. Fixed, so that no result depends on the processor's vector width.
pub const LANES: usize = 8;

/// The arithmetic of one instruction set on [`LANES`] numbers at once.
///
/// Sealed: its implementations are entered only by [`dispatch`], which first checks that the processor has the instructions. Every
/// `unsafe` block of the implementations relies on this check.
pub trait Simd: SimdF32 + Copy + Debug + Default + Send + Sync + sealed::Sealed + 'static {
    /// The instruction set.
    const INSTRUCTION_SET: InstructionSet;
    /// Whether every operation is a call, so that code is to be short rather than inlined and unrolled. No result depends on it.
    const IS_CALLED: bool;
    /// Number of sums kept in registers at the same time: 1, 6 or 8.
    const SUMS: usize;
    /// Eight numbers.
    type Float: Copy + Debug + Send + Sync + 'static;
    /// Eight truth values.
    type Mask: Mask + Send + Sync + 'static;

    /// `x` in every lane.
    fn splat(x: f64) -> Self::Float;
    /// The numbers of an array.
    fn load(x: &[f64; LANES]) -> Self::Float;
    /// The lanes as an array.
    fn store(x: Self::Float, to: &mut [f64; LANES]);
    /// Lane `i` of number `k` becomes lane `k` of number `i`.
    fn transpose(rows: [Self::Float; LANES]) -> [Self::Float; LANES];
    /// `a + b`.
    fn add(a: Self::Float, b: Self::Float) -> Self::Float;
    /// `a - b`.
    fn sub(a: Self::Float, b: Self::Float) -> Self::Float;
    /// `a * b`.
    fn mul(a: Self::Float, b: Self::Float) -> Self::Float;
    /// `a / b`.
    fn div(a: Self::Float, b: Self::Float) -> Self::Float;
    /// `a * b + c`, with a single rounding where the instruction set has it.
    fn mul_add(a: Self::Float, b: Self::Float, c: Self::Float) -> Self::Float;
    /// `-a`.
    fn neg(a: Self::Float) -> Self::Float;
    /// `|a|`.
    fn abs(a: Self::Float) -> Self::Float;
    /// The magnitude of `a` with the sign of `sign`.
    fn copysign(a: Self::Float, sign: Self::Float) -> Self::Float;
    /// `√a`.
    fn sqrt(a: Self::Float) -> Self::Float;
    /// The nearest whole number, ties to even.
    fn round(a: Self::Float) -> Self::Float;
    /// The larger of two numbers; `b` where one is NaN.
    fn max(a: Self::Float, b: Self::Float) -> Self::Float;
    /// The smaller of two numbers; `b` where one is NaN.
    fn min(a: Self::Float, b: Self::Float) -> Self::Float;
    /// `2ⁿ` for whole `-1022 ≤ n ≤ 1023`.
    fn power_of_two(n: Self::Float) -> Self::Float;
    /// `x · 2ⁿ` for whole `n` with `|n| ≤ 2100`; under- and overflow like a multiplication.
    fn scale_exponent(x: Self::Float, n: Self::Float) -> Self::Float;
    /// `(m, e)` with `x = m · 2ᵉ` and `1 ≤ m < 2`, for positive finite `x`, subnormal ones included.
    fn split_exponent(x: Self::Float) -> (Self::Float, Self::Float);
    /// `a < b`.
    fn lt(a: Self::Float, b: Self::Float) -> Self::Mask;
    /// `a <= b`.
    fn le(a: Self::Float, b: Self::Float) -> Self::Mask;
    /// `a == b`.
    fn eq(a: Self::Float, b: Self::Float) -> Self::Mask;
    /// `a` where `mask` holds, else `b`.
    fn select(mask: Self::Mask, a: Self::Float, b: Self::Float) -> Self::Float;
    /// Whether `mask` holds in any lane.
    fn any(mask: Self::Mask) -> bool;
    /// Runs `work` in a separate function that is compiled once for all its callers; for code too long to inline into each of them.
    fn call<W: Work>(work: W) -> W::Output;
    /// `f` of every lane.
    fn map(x: Self::Float, f: impl Fn(f64) -> f64) -> Self::Float {
        let mut lanes = Self::array(x);
        lanes.iter_mut().for_each(|x| *x = f(*x));
        Self::load(&lanes)
    }
    /// The lanes as an array.
    #[inline(always)]
    fn array(x: Self::Float) -> [f64; LANES] {
        let mut lanes = [0.0; LANES];
        Self::store(x, &mut lanes);
        lanes
    }
    /// `a * b`, and 0 where `a` is 0, for any `b`: a zero adjoint contributes nothing.
    #[inline(always)]
    fn mul_or_zero(a: Self::Float, b: Self::Float) -> Self::Float {
        let zero = Self::splat(0.0);
        Self::select(Self::eq(a, zero), zero, Self::mul(a, b))
    }
}

mod sealed {
    /// Restricts [`Simd`](super::Simd) to this crate.
    pub trait Sealed {}
}
use sealed::Sealed;
