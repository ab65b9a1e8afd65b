//! Eight lanes of `f32`: half the memory and twice the speed, for network layers in single precision.

#[cfg(target_arch = "x86_64")]
use super::{Avx2, Avx512};
use super::{LANES, Portable, Simd};
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;
use std::fmt::Debug;

/// The arithmetic of one instruction set on [`LANES`] numbers in single precision; every [`Simd`] has it.
pub trait SimdF32 {
    /// Eight numbers.
    type Single: Copy + Debug + Send + Sync + 'static;

    /// `x` in every lane.
    fn single(x: f32) -> Self::Single;
    /// The numbers of an array.
    fn load_single(x: &[f32; LANES]) -> Self::Single;
    /// The lanes as an array.
    fn store_single(x: Self::Single, to: &mut [f32; LANES]);
    /// `a + b`.
    fn add_single(a: Self::Single, b: Self::Single) -> Self::Single;
    /// `a * b`.
    fn mul_single(a: Self::Single, b: Self::Single) -> Self::Single;
    /// `a * b + c`, with a single rounding where the instruction set has it.
    fn mul_add_single(a: Self::Single, b: Self::Single, c: Self::Single) -> Self::Single;
    /// The larger of two numbers; `b` where one is NaN.
    fn max_single(a: Self::Single, b: Self::Single) -> Self::Single;
    /// `choice[0]` where `a < b`, else `choice[1]`.
    fn if_less_single(a: Self::Single, b: Self::Single, choice: [Self::Single; 2]) -> Self::Single;
    /// `choice[0]` where `a == b`, else `choice[1]`.
    fn if_equal_single(a: Self::Single, b: Self::Single, choice: [Self::Single; 2])
    -> Self::Single;
    /// In double precision.
    fn widen(x: Self::Single) -> Self::Float
    where
        Self: Simd;
    /// Rounded to single precision.
    fn narrow(x: Self::Float) -> Self::Single
    where
        Self: Simd;
}

/// Eight numbers in an array.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub struct Array([f32; LANES]);

/// `f` lane by lane.
#[inline(always)]
fn zip(a: Array, b: Array, f: impl Fn(f32, f32) -> f32) -> Array {
    let mut out = a;
    for (out, b) in out.0.iter_mut().zip(b.0) {
        *out = f(*out, b);
    }
    out
}

impl SimdF32 for Portable {
    type Single = Array;

    #[inline(always)]
    fn single(x: f32) -> Array {
        Array([x; LANES])
    }
    #[inline(always)]
    fn load_single(x: &[f32; LANES]) -> Array {
        Array(*x)
    }
    #[inline(always)]
    fn store_single(x: Array, to: &mut [f32; LANES]) {
        *to = x.0;
    }
    #[inline(always)]
    fn add_single(a: Array, b: Array) -> Array {
        zip(a, b, |a, b| a + b)
    }
    #[inline(always)]
    fn mul_single(a: Array, b: Array) -> Array {
        zip(a, b, |a, b| a * b)
    }
    #[inline(always)]
    fn mul_add_single(a: Array, b: Array, c: Array) -> Array {
        Self::add_single(Self::mul_single(a, b), c)
    }
    #[inline(always)]
    fn max_single(a: Array, b: Array) -> Array {
        zip(a, b, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn if_less_single(a: Array, b: Array, [yes, no]: [Array; 2]) -> Array {
        Array(std::array::from_fn(|i| {
            if a.0[i] < b.0[i] { yes.0[i] } else { no.0[i] }
        }))
    }
    #[inline(always)]
    fn if_equal_single(a: Array, b: Array, [yes, no]: [Array; 2]) -> Array {
        Array(std::array::from_fn(|i| {
            if a.0[i] == b.0[i] { yes.0[i] } else { no.0[i] }
        }))
    }
    #[inline(always)]
    fn widen(x: Array) -> <Self as Simd>::Float {
        Self::load(&x.0.map(f64::from))
    }
    #[inline(always)]
    fn narrow(x: <Self as Simd>::Float) -> Array {
        Array(Self::array(x).map(|x| x as f32))
    }
}

/// The common code of AVX2 and AVX-512 (with VL): one register of 256 bits.
#[cfg(target_arch = "x86_64")]
macro_rules! register {
    () => {
        type Single = __m256;

        #[inline(always)]
        fn single(x: f32) -> __m256 {
            // SAFETY: the level is used only inside `dispatch`, which has checked that the processor has AVX2.
            unsafe { _mm256_set1_ps(x) }
        }
        #[inline(always)]
        fn load_single(x: &[f32; LANES]) -> __m256 {
            // SAFETY: as above; the array has eight numbers, and the instruction needs no alignment.
            unsafe { _mm256_loadu_ps(x.as_ptr()) }
        }
        #[inline(always)]
        fn store_single(x: __m256, to: &mut [f32; LANES]) {
            // SAFETY: as in `load_single`.
            unsafe { _mm256_storeu_ps(to.as_mut_ptr(), x) }
        }
        #[inline(always)]
        fn add_single(a: __m256, b: __m256) -> __m256 {
            // SAFETY: as in `single`.
            unsafe { _mm256_add_ps(a, b) }
        }
        #[inline(always)]
        fn mul_single(a: __m256, b: __m256) -> __m256 {
            // SAFETY: as in `single`.
            unsafe { _mm256_mul_ps(a, b) }
        }
        #[inline(always)]
        fn mul_add_single(a: __m256, b: __m256, c: __m256) -> __m256 {
            // SAFETY: as in `single`; FMA is checked with AVX2.
            unsafe { _mm256_fmadd_ps(a, b, c) }
        }
        #[inline(always)]
        fn max_single(a: __m256, b: __m256) -> __m256 {
            // SAFETY: as in `single`.
            unsafe { _mm256_max_ps(a, b) }
        }
        #[inline(always)]
        fn if_less_single(a: __m256, b: __m256, [yes, no]: [__m256; 2]) -> __m256 {
            // SAFETY: as in `single`.
            unsafe { _mm256_blendv_ps(no, yes, _mm256_cmp_ps::<_CMP_LT_OQ>(a, b)) }
        }
        #[inline(always)]
        fn if_equal_single(a: __m256, b: __m256, [yes, no]: [__m256; 2]) -> __m256 {
            // SAFETY: as in `single`.
            unsafe { _mm256_blendv_ps(no, yes, _mm256_cmp_ps::<_CMP_EQ_OQ>(a, b)) }
        }
    };
}

#[cfg(target_arch = "x86_64")]
impl SimdF32 for Avx512 {
    register!();

    #[inline(always)]
    fn widen(x: __m256) -> __m512d {
        // SAFETY: `Avx512` is used only inside `dispatch`, which has checked that the processor has the instructions.
        unsafe { _mm512_cvtps_pd(x) }
    }
    #[inline(always)]
    fn narrow(x: __m512d) -> __m256 {
        // SAFETY: as in `widen`.
        unsafe { _mm512_cvtpd_ps(x) }
    }
}

#[cfg(target_arch = "x86_64")]
impl SimdF32 for Avx2 {
    register!();

    #[inline(always)]
    fn widen(x: __m256) -> <Self as Simd>::Float {
        let mut lanes = [0.0; LANES];
        Self::store_single(x, &mut lanes);
        Self::load(&lanes.map(f64::from))
    }
    #[inline(always)]
    fn narrow(x: <Self as Simd>::Float) -> __m256 {
        Self::load_single(&Self::array(x).map(|x| x as f32))
    }
}
