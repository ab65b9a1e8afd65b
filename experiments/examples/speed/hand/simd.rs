//! Eight numbers at a time with the processor's own instructions.

use std::arch::x86_64::{
    __m256d, __m512d, _CMP_GT_OQ, _MM_FROUND_NO_EXC, _MM_FROUND_TO_NEAREST_INT, _mm256_add_epi64,
    _mm256_add_pd, _mm256_andnot_pd, _mm256_blendv_pd, _mm256_castpd_si256, _mm256_castsi256_pd,
    _mm256_cmp_pd, _mm256_div_pd, _mm256_fmadd_pd, _mm256_loadu_pd, _mm256_max_pd, _mm256_min_pd,
    _mm256_mul_pd, _mm256_round_pd, _mm256_set1_epi64x, _mm256_set1_pd, _mm256_slli_epi64,
    _mm256_storeu_pd, _mm512_abs_pd, _mm512_add_pd, _mm512_cmp_pd_mask, _mm512_div_pd,
    _mm512_fmadd_pd, _mm512_loadu_pd, _mm512_mask_blend_pd, _mm512_max_pd, _mm512_min_pd,
    _mm512_mul_pd, _mm512_roundscale_pd, _mm512_scalef_pd, _mm512_set1_pd, _mm512_storeu_pd,
};
use std::f64::consts::LOG2_E;

/// Lanes of a vector.
pub const LANES: usize = 8;

/// Eight numbers.
///
/// # Safety
/// Every function requires the instruction set of the type.
pub trait Eight: Copy {
    /// `x` in every lane.
    unsafe fn splat(x: f64) -> Self;
    /// Eight numbers from memory.
    unsafe fn load(x: &[f64; LANES]) -> Self;
    /// Eight numbers to memory.
    unsafe fn store(self) -> [f64; LANES];
    /// `self + x`.
    unsafe fn add(self, x: Self) -> Self;
    /// `self * x`.
    unsafe fn mul(self, x: Self) -> Self;
    /// `self * x + y`.
    unsafe fn mul_add(self, x: Self, y: Self) -> Self;
    /// `self / x`.
    unsafe fn div(self, x: Self) -> Self;
    /// The smaller.
    unsafe fn min(self, x: Self) -> Self;
    /// The larger.
    unsafe fn max(self, x: Self) -> Self;
    /// The absolute values.
    unsafe fn abs(self) -> Self;
    /// `yes` where `self > 0`, else `no`.
    unsafe fn positive(self, yes: Self, no: Self) -> Self;
    /// The nearest whole number.
    unsafe fn round(self) -> Self;
    /// `self 2ⁿ` for a whole number n from -1022 to 1023.
    unsafe fn scale(self, n: Self) -> Self;
}

/// Interpolation of `eʳ` at Chebyshev points of `|r| ≤ ½ ln 2`: relative error 2e-16, highest degree first.
const EXP: [f64; 11] = [
    2.7626426376580335e-07,
    2.7640263790318923e-06,
    2.4801504180837137e-05,
    0.00019841170071070973,
    0.0013888888932619635,
    0.008333333385825085,
    0.04166666666657277,
    0.16666666666553953,
    0.5000000000000006,
    1.0000000000000069,
    1.0,
];

/// `ln 2` in two parts.
const LN_2: [f64; 2] = [6.931471803691238e-1, 1.9082149292705877e-10];

/// `eˣ` of four vectors at once, which hides the latency of the multiplications; for `-708 ≤ x ≤ 0`; below -708 the value at -708.
///
/// # Safety
/// The instruction set of `V`.
#[inline(always)]
pub unsafe fn exp<V: Eight>(x: [V; 4]) -> [V; 4] {
    // SAFETY: by the caller.
    unsafe {
        let (mut n, mut r, mut p) = (x, x, [V::splat(EXP[0]); 4]);
        for q in 0..4 {
            let x = x[q].max(V::splat(-708.0));
            n[q] = x.mul(V::splat(LOG2_E)).round();
            r[q] = n[q].mul_add(V::splat(-LN_2[0]), x);
            r[q] = n[q].mul_add(V::splat(-LN_2[1]), r[q]);
        }
        for coefficient in &EXP[1..] {
            for q in 0..4 {
                p[q] = p[q].mul_add(r[q], V::splat(*coefficient));
            }
        }
        for q in 0..4 {
            p[q] = p[q].scale(n[q]);
        }
        p
    }
}

impl Eight for __m512d {
    #[inline(always)]
    unsafe fn splat(x: f64) -> Self {
        // SAFETY: AVX-512F by the caller; so below.
        unsafe { _mm512_set1_pd(x) }
    }
    #[inline(always)]
    unsafe fn load(x: &[f64; LANES]) -> Self {
        // SAFETY: eight numbers can be read.
        unsafe { _mm512_loadu_pd(x.as_ptr()) }
    }
    #[inline(always)]
    unsafe fn store(self) -> [f64; LANES] {
        let mut x = [0.0; LANES];
        // SAFETY: eight numbers can be written.
        unsafe { _mm512_storeu_pd(x.as_mut_ptr(), self) };
        x
    }
    #[inline(always)]
    unsafe fn add(self, x: Self) -> Self {
        // SAFETY: by the caller.
        unsafe { _mm512_add_pd(self, x) }
    }
    #[inline(always)]
    unsafe fn mul(self, x: Self) -> Self {
        // SAFETY: by the caller.
        unsafe { _mm512_mul_pd(self, x) }
    }
    #[inline(always)]
    unsafe fn mul_add(self, x: Self, y: Self) -> Self {
        // SAFETY: by the caller.
        unsafe { _mm512_fmadd_pd(self, x, y) }
    }
    #[inline(always)]
    unsafe fn div(self, x: Self) -> Self {
        // SAFETY: by the caller.
        unsafe { _mm512_div_pd(self, x) }
    }
    #[inline(always)]
    unsafe fn min(self, x: Self) -> Self {
        // SAFETY: by the caller.
        unsafe { _mm512_min_pd(self, x) }
    }
    #[inline(always)]
    unsafe fn max(self, x: Self) -> Self {
        // SAFETY: by the caller.
        unsafe { _mm512_max_pd(self, x) }
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        // SAFETY: by the caller.
        unsafe { _mm512_abs_pd(self) }
    }
    #[inline(always)]
    unsafe fn positive(self, yes: Self, no: Self) -> Self {
        // SAFETY: by the caller.
        unsafe {
            let mask = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(self, _mm512_set1_pd(0.0));
            _mm512_mask_blend_pd(mask, no, yes)
        }
    }
    #[inline(always)]
    unsafe fn round(self) -> Self {
        // SAFETY: by the caller.
        unsafe { _mm512_roundscale_pd::<0>(self) }
    }
    #[inline(always)]
    unsafe fn scale(self, n: Self) -> Self {
        // SAFETY: by the caller.
        unsafe { _mm512_scalef_pd(self, n) }
    }
}

/// Eight numbers in two halves.
#[derive(Clone, Copy)]
pub struct Halves(__m256d, __m256d);

/// `1.5 · 2⁵²`: a number of this size keeps a small whole number in its last bits.
const MAGIC: f64 = 6_755_399_441_055_744.0;

/// `2ⁿ x`.
///
/// # Safety
/// AVX2.
#[inline(always)]
unsafe fn scale(x: __m256d, n: __m256d) -> __m256d {
    // SAFETY: by the caller.
    unsafe {
        let whole = _mm256_castpd_si256(_mm256_add_pd(n, _mm256_set1_pd(MAGIC)));
        let biased = _mm256_add_epi64(whole, _mm256_set1_epi64x(1023));
        _mm256_mul_pd(x, _mm256_castsi256_pd(_mm256_slli_epi64::<52>(biased)))
    }
}

/// `yes` where `x > 0`, else `no`.
///
/// # Safety
/// AVX2.
#[inline(always)]
unsafe fn positive(x: __m256d, yes: __m256d, no: __m256d) -> __m256d {
    // SAFETY: by the caller.
    unsafe { _mm256_blendv_pd(no, yes, _mm256_cmp_pd::<_CMP_GT_OQ>(x, _mm256_set1_pd(0.0))) }
}

impl Eight for Halves {
    #[inline(always)]
    unsafe fn splat(x: f64) -> Self {
        // SAFETY: AVX2 and FMA by the caller; so below.
        let half = unsafe { _mm256_set1_pd(x) };
        Self(half, half)
    }
    #[inline(always)]
    unsafe fn load(x: &[f64; LANES]) -> Self {
        // SAFETY: eight numbers can be read.
        unsafe {
            Self(
                _mm256_loadu_pd(x.as_ptr()),
                _mm256_loadu_pd(x.as_ptr().add(4)),
            )
        }
    }
    #[inline(always)]
    unsafe fn store(self) -> [f64; LANES] {
        let mut x = [0.0; LANES];
        // SAFETY: eight numbers can be written.
        unsafe {
            _mm256_storeu_pd(x.as_mut_ptr(), self.0);
            _mm256_storeu_pd(x.as_mut_ptr().add(4), self.1);
        }
        x
    }
    #[inline(always)]
    unsafe fn add(self, x: Self) -> Self {
        // SAFETY: by the caller.
        unsafe { Self(_mm256_add_pd(self.0, x.0), _mm256_add_pd(self.1, x.1)) }
    }
    #[inline(always)]
    unsafe fn mul(self, x: Self) -> Self {
        // SAFETY: by the caller.
        unsafe { Self(_mm256_mul_pd(self.0, x.0), _mm256_mul_pd(self.1, x.1)) }
    }
    #[inline(always)]
    unsafe fn mul_add(self, x: Self, y: Self) -> Self {
        // SAFETY: by the caller.
        unsafe {
            Self(
                _mm256_fmadd_pd(self.0, x.0, y.0),
                _mm256_fmadd_pd(self.1, x.1, y.1),
            )
        }
    }
    #[inline(always)]
    unsafe fn div(self, x: Self) -> Self {
        // SAFETY: by the caller.
        unsafe { Self(_mm256_div_pd(self.0, x.0), _mm256_div_pd(self.1, x.1)) }
    }
    #[inline(always)]
    unsafe fn min(self, x: Self) -> Self {
        // SAFETY: by the caller.
        unsafe { Self(_mm256_min_pd(self.0, x.0), _mm256_min_pd(self.1, x.1)) }
    }
    #[inline(always)]
    unsafe fn max(self, x: Self) -> Self {
        // SAFETY: by the caller.
        unsafe { Self(_mm256_max_pd(self.0, x.0), _mm256_max_pd(self.1, x.1)) }
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        // SAFETY: by the caller.
        unsafe {
            let sign = _mm256_set1_pd(-0.0);
            Self(
                _mm256_andnot_pd(sign, self.0),
                _mm256_andnot_pd(sign, self.1),
            )
        }
    }
    #[inline(always)]
    unsafe fn positive(self, yes: Self, no: Self) -> Self {
        // SAFETY: by the caller.
        unsafe { Self(positive(self.0, yes.0, no.0), positive(self.1, yes.1, no.1)) }
    }
    #[inline(always)]
    unsafe fn round(self) -> Self {
        const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
        // SAFETY: by the caller.
        unsafe {
            Self(
                _mm256_round_pd::<NEAREST>(self.0),
                _mm256_round_pd::<NEAREST>(self.1),
            )
        }
    }
    #[inline(always)]
    unsafe fn scale(self, n: Self) -> Self {
        // SAFETY: by the caller.
        unsafe { Self(scale(self.0, n.0), scale(self.1, n.1)) }
    }
}
