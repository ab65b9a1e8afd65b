//! The precision of the layers: `f64` or `f32`, in eight lanes of particles, or of rows for a single particle.

use crate::simd::{LANES, Simd};
use std::fmt::Debug;
use std::ops::{Deref, DerefMut};

/// The numbers of layers: data as scalars, weights and activations as lanes; for a single particle, weights as scalars, data and
/// activations as lanes.
///
/// Everything is stored in memory as `[Self; LANES]`, and in registers as [`Element::Lanes`].
pub trait Element: Copy + Debug + Default + PartialEq + Send + Sync + 'static {
    /// Eight numbers in registers.
    type Lanes<S: Simd>: Copy;

    /// Rounded to this precision.
    fn of(x: f64) -> Self;
    /// In double precision.
    fn double(self) -> f64;
    /// `x` in every lane.
    fn splat<S: Simd>(x: Self) -> Self::Lanes<S>;
    /// The numbers of an array.
    fn load<S: Simd>(x: &[Self; LANES]) -> Self::Lanes<S>;
    /// The lanes as an array.
    fn store<S: Simd>(x: Self::Lanes<S>, to: &mut [Self; LANES]);
    /// `a + b`.
    fn add<S: Simd>(a: Self::Lanes<S>, b: Self::Lanes<S>) -> Self::Lanes<S>;
    /// `a * b`.
    fn mul<S: Simd>(a: Self::Lanes<S>, b: Self::Lanes<S>) -> Self::Lanes<S>;
    /// `a * b + c`.
    fn mul_add<S: Simd>(a: Self::Lanes<S>, b: Self::Lanes<S>, c: Self::Lanes<S>) -> Self::Lanes<S>;
    /// The larger of two numbers; `b` if one is NaN.
    fn max<S: Simd>(a: Self::Lanes<S>, b: Self::Lanes<S>) -> Self::Lanes<S>;
    /// `choice[0]` where `a < b`, else `choice[1]`.
    fn if_less<S: Simd>(
        a: Self::Lanes<S>,
        b: Self::Lanes<S>,
        choice: [Self::Lanes<S>; 2],
    ) -> Self::Lanes<S>;
    /// `choice[0]` where `a == b`, else `choice[1]`.
    fn if_equal<S: Simd>(
        a: Self::Lanes<S>,
        b: Self::Lanes<S>,
        choice: [Self::Lanes<S>; 2],
    ) -> Self::Lanes<S>;
    /// In double precision.
    fn widen<S: Simd>(x: Self::Lanes<S>) -> S::Float;
    /// Rounded to this precision.
    fn narrow<S: Simd>(x: S::Float) -> Self::Lanes<S>;
    /// Number of lane vectors that the registers of `S` hold.
    fn registers<S: Simd>() -> usize;
}

impl Element for f64 {
    type Lanes<S: Simd> = S::Float;

    #[inline(always)]
    fn of(x: f64) -> f64 {
        x
    }
    #[inline(always)]
    fn double(self) -> f64 {
        self
    }
    #[inline(always)]
    fn splat<S: Simd>(x: f64) -> S::Float {
        S::splat(x)
    }
    #[inline(always)]
    fn load<S: Simd>(x: &[f64; LANES]) -> S::Float {
        S::load(x)
    }
    #[inline(always)]
    fn store<S: Simd>(x: S::Float, to: &mut [f64; LANES]) {
        S::store(x, to);
    }
    #[inline(always)]
    fn add<S: Simd>(a: S::Float, b: S::Float) -> S::Float {
        S::add(a, b)
    }
    #[inline(always)]
    fn mul<S: Simd>(a: S::Float, b: S::Float) -> S::Float {
        S::mul(a, b)
    }
    #[inline(always)]
    fn mul_add<S: Simd>(a: S::Float, b: S::Float, c: S::Float) -> S::Float {
        S::mul_add(a, b, c)
    }
    #[inline(always)]
    fn max<S: Simd>(a: S::Float, b: S::Float) -> S::Float {
        S::max(a, b)
    }
    #[inline(always)]
    fn if_less<S: Simd>(a: S::Float, b: S::Float, [yes, no]: [S::Float; 2]) -> S::Float {
        S::select(S::lt(a, b), yes, no)
    }
    #[inline(always)]
    fn if_equal<S: Simd>(a: S::Float, b: S::Float, [yes, no]: [S::Float; 2]) -> S::Float {
        S::select(S::eq(a, b), yes, no)
    }
    #[inline(always)]
    fn widen<S: Simd>(x: S::Float) -> S::Float {
        x
    }
    #[inline(always)]
    fn narrow<S: Simd>(x: S::Float) -> S::Float {
        x
    }
    #[inline(always)]
    fn registers<S: Simd>() -> usize {
        match S::INSTRUCTION_SET {
            crate::simd::InstructionSet::Avx512 => 32,
            _ => 8,
        }
    }
}

impl Element for f32 {
    type Lanes<S: Simd> = S::Single;

    #[inline(always)]
    fn of(x: f64) -> f32 {
        x as f32
    }
    #[inline(always)]
    fn double(self) -> f64 {
        self.into()
    }
    #[inline(always)]
    fn splat<S: Simd>(x: f32) -> S::Single {
        S::single(x)
    }
    #[inline(always)]
    fn load<S: Simd>(x: &[f32; LANES]) -> S::Single {
        S::load_single(x)
    }
    #[inline(always)]
    fn store<S: Simd>(x: S::Single, to: &mut [f32; LANES]) {
        S::store_single(x, to);
    }
    #[inline(always)]
    fn add<S: Simd>(a: S::Single, b: S::Single) -> S::Single {
        S::add_single(a, b)
    }
    #[inline(always)]
    fn mul<S: Simd>(a: S::Single, b: S::Single) -> S::Single {
        S::mul_single(a, b)
    }
    #[inline(always)]
    fn mul_add<S: Simd>(a: S::Single, b: S::Single, c: S::Single) -> S::Single {
        S::mul_add_single(a, b, c)
    }
    #[inline(always)]
    fn max<S: Simd>(a: S::Single, b: S::Single) -> S::Single {
        S::max_single(a, b)
    }
    #[inline(always)]
    fn if_less<S: Simd>(a: S::Single, b: S::Single, choice: [S::Single; 2]) -> S::Single {
        S::if_less_single(a, b, choice)
    }
    #[inline(always)]
    fn if_equal<S: Simd>(a: S::Single, b: S::Single, choice: [S::Single; 2]) -> S::Single {
        S::if_equal_single(a, b, choice)
    }
    #[inline(always)]
    fn widen<S: Simd>(x: S::Single) -> S::Float {
        S::widen(x)
    }
    #[inline(always)]
    fn narrow<S: Simd>(x: S::Float) -> S::Single {
        S::narrow(x)
    }
    #[inline(always)]
    fn registers<S: Simd>() -> usize {
        match S::INSTRUCTION_SET {
            crate::simd::InstructionSet::Avx512 => 32,
            crate::simd::InstructionSet::Avx2 => 16,
            crate::simd::InstructionSet::Portable => 8,
        }
    }
}

/// A factor of a product: a number that all lanes share, or one number for each.
pub(super) trait Operand<E: Element>: Copy {
    /// In registers.
    fn lanes<S: Simd>(&self) -> E::Lanes<S>;
}

impl Operand<f64> for f64 {
    #[inline(always)]
    fn lanes<S: Simd>(&self) -> S::Float {
        S::splat(*self)
    }
}

impl Operand<f32> for f32 {
    #[inline(always)]
    fn lanes<S: Simd>(&self) -> S::Single {
        S::single(*self)
    }
}

impl<E: Element> Operand<E> for [E; LANES] {
    #[inline(always)]
    fn lanes<S: Simd>(&self) -> E::Lanes<S> {
        E::load::<S>(self)
    }
}

/// A cache line, the element of a [`Buffer`], so that no lane vector crosses two cache lines.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// Lane vectors in aligned memory; it does not shrink if fewer are needed.
#[derive(Debug)]
pub(super) struct Buffer<E> {
    lines: Vec<Line>,
    len: usize,
    element: std::marker::PhantomData<E>,
}

impl<E> Default for Buffer<E> {
    fn default() -> Self {
        Self {
            lines: Vec::new(),
            len: 0,
            element: std::marker::PhantomData,
        }
    }
}

impl<E: Element> Buffer<E> {
    /// Makes it `len` lane vectors long; old contents stay in place, new lane vectors are zero.
    pub(super) fn resize(&mut self, len: usize) {
        let lines = (len * size_of::<[E; LANES]>()).div_ceil(size_of::<Line>());
        if lines > self.lines.len() {
            self.lines.resize(lines, Line([0; 64]));
        }
        self.len = len;
    }
}

impl<E: Element> Deref for Buffer<E> {
    type Target = [[E; LANES]];
    #[inline(always)]
    fn deref(&self) -> &[[E; LANES]] {
        // SAFETY: `resize` keeps `len` arrays within the lines, whose alignment exceeds that of `E`; the memory is
        // initialised, and `Element` is `f64` or `f32`, for which every bit pattern is a number.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.len) }
    }
}

impl<E: Element> DerefMut for Buffer<E> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [[E; LANES]] {
        // SAFETY: as in `deref`; the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len) }
    }
}
