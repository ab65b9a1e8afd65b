//! AVX-512: one register of eight numbers.

use super::{InstructionSet, LANES, Sealed, Simd, Work};
use crate::simd::Mask;
use std::arch::x86_64::*;

/// The arithmetic of processors with AVX-512 (F, DQ, BW and VL).
#[derive(Clone, Copy, Debug, Default)]
pub struct Avx512;

/// Eight truth values, a bit each.
#[derive(Clone, Copy, Debug)]
pub struct Bits(__mmask8);

impl Sealed for Avx512 {}

impl Mask for Bits {
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

/// An intrinsic as a safe expression.
macro_rules! avx512 {
    ($call:expr) => {
        // SAFETY: `Avx512` is used only inside `dispatch`, which has checked that the processor has the instructions.
        unsafe { $call }
    };
}

/// Quarter `i` of register `k` becomes quarter `k` of register `i`.
#[inline(always)]
fn quarters([a, b, c, d]: [__m512d; 4]) -> [__m512d; 4] {
    // 0x88 takes quarters 0 and 2 of both, 0xdd quarters 1 and 3
    avx512!({
        let (ab_even, ab_odd) = (
            _mm512_shuffle_f64x2::<0x88>(a, b),
            _mm512_shuffle_f64x2::<0xdd>(a, b),
        );
        let (cd_even, cd_odd) = (
            _mm512_shuffle_f64x2::<0x88>(c, d),
            _mm512_shuffle_f64x2::<0xdd>(c, d),
        );
        [
            _mm512_shuffle_f64x2::<0x88>(ab_even, cd_even),
            _mm512_shuffle_f64x2::<0x88>(ab_odd, cd_odd),
            _mm512_shuffle_f64x2::<0xdd>(ab_even, cd_even),
            _mm512_shuffle_f64x2::<0xdd>(ab_odd, cd_odd),
        ]
    })
}

#[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
#[inline(never)]
fn call<W: Work>(work: W) -> W::Output {
    work.run::<Avx512>()
}

impl Simd for Avx512 {
    const INSTRUCTION_SET: InstructionSet = InstructionSet::Avx512;
    const IS_CALLED: bool = false;
    const SUMS: usize = 8;
    type Float = __m512d;
    type Mask = Bits;

    #[inline(always)]
    fn splat(x: f64) -> __m512d {
        avx512!(_mm512_set1_pd(x))
    }
    #[inline(always)]
    fn load(x: &[f64; LANES]) -> __m512d {
        // SAFETY: as above; the array has eight numbers, and the instruction needs no alignment.
        unsafe { _mm512_loadu_pd(x.as_ptr()) }
    }
    #[inline(always)]
    fn store(x: __m512d, to: &mut [f64; LANES]) {
        // SAFETY: as in `load`.
        unsafe { _mm512_storeu_pd(to.as_mut_ptr(), x) }
    }
    #[inline(always)]
    fn transpose(rows: [__m512d; LANES]) -> [__m512d; LANES] {
        // pairs of lanes of neighbouring rows, then quarters of registers twice
        avx512!({
            let [a, b, c, d, e, f, g, h] = rows;
            let even = [
                _mm512_unpacklo_pd(a, b),
                _mm512_unpacklo_pd(c, d),
                _mm512_unpacklo_pd(e, f),
                _mm512_unpacklo_pd(g, h),
            ];
            let odd = [
                _mm512_unpackhi_pd(a, b),
                _mm512_unpackhi_pd(c, d),
                _mm512_unpackhi_pd(e, f),
                _mm512_unpackhi_pd(g, h),
            ];
            let [r0, r2, r4, r6] = quarters(even);
            let [r1, r3, r5, r7] = quarters(odd);
            [r0, r1, r2, r3, r4, r5, r6, r7]
        })
    }
    #[inline(always)]
    fn add(a: __m512d, b: __m512d) -> __m512d {
        avx512!(_mm512_add_pd(a, b))
    }
    #[inline(always)]
    fn sub(a: __m512d, b: __m512d) -> __m512d {
        avx512!(_mm512_sub_pd(a, b))
    }
    #[inline(always)]
    fn mul(a: __m512d, b: __m512d) -> __m512d {
        avx512!(_mm512_mul_pd(a, b))
    }
    #[inline(always)]
    fn div(a: __m512d, b: __m512d) -> __m512d {
        avx512!(_mm512_div_pd(a, b))
    }
    #[inline(always)]
    fn mul_add(a: __m512d, b: __m512d, c: __m512d) -> __m512d {
        avx512!(_mm512_fmadd_pd(a, b, c))
    }
    #[inline(always)]
    fn neg(a: __m512d) -> __m512d {
        avx512!(_mm512_xor_pd(a, _mm512_set1_pd(-0.0)))
    }
    #[inline(always)]
    fn abs(a: __m512d) -> __m512d {
        avx512!(_mm512_abs_pd(a))
    }
    #[inline(always)]
    fn copysign(a: __m512d, sign: __m512d) -> __m512d {
        avx512!({
            let bit = _mm512_set1_pd(-0.0);
            _mm512_or_pd(_mm512_andnot_pd(bit, a), _mm512_and_pd(bit, sign))
        })
    }
    #[inline(always)]
    fn sqrt(a: __m512d) -> __m512d {
        avx512!(_mm512_sqrt_pd(a))
    }
    #[inline(always)]
    fn round(a: __m512d) -> __m512d {
        avx512!(_mm512_roundscale_pd::<
            { _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC },
        >(a))
    }
    #[inline(always)]
    fn max(a: __m512d, b: __m512d) -> __m512d {
        avx512!(_mm512_max_pd(a, b))
    }
    #[inline(always)]
    fn min(a: __m512d, b: __m512d) -> __m512d {
        avx512!(_mm512_min_pd(a, b))
    }
    #[inline(always)]
    fn power_of_two(n: __m512d) -> __m512d {
        // 2^52 + 2^51 + 1023 + n has the biased exponent in its low bits
        avx512!(_mm512_castsi512_pd(_mm512_slli_epi64::<52>(
            _mm512_castpd_si512(_mm512_add_pd(
                n,
                _mm512_set1_pd(6_755_399_441_055_744.0 + 1023.0)
            ))
        )))
    }
    #[inline(always)]
    fn scale_exponent(x: __m512d, n: __m512d) -> __m512d {
        avx512!(_mm512_scalef_pd(x, n))
    }
    #[inline(always)]
    fn split_exponent(x: __m512d) -> (__m512d, __m512d) {
        avx512!((
            _mm512_getmant_pd::<_MM_MANT_NORM_1_2, _MM_MANT_SIGN_ZERO>(x),
            _mm512_getexp_pd(x)
        ))
    }
    #[inline(always)]
    fn lt(a: __m512d, b: __m512d) -> Bits {
        Bits(avx512!(_mm512_cmp_pd_mask::<_CMP_LT_OQ>(a, b)))
    }
    #[inline(always)]
    fn le(a: __m512d, b: __m512d) -> Bits {
        Bits(avx512!(_mm512_cmp_pd_mask::<_CMP_LE_OQ>(a, b)))
    }
    #[inline(always)]
    fn eq(a: __m512d, b: __m512d) -> Bits {
        Bits(avx512!(_mm512_cmp_pd_mask::<_CMP_EQ_OQ>(a, b)))
    }
    #[inline(always)]
    fn select(mask: Bits, a: __m512d, b: __m512d) -> __m512d {
        avx512!(_mm512_mask_blend_pd(mask.0, b, a))
    }
    #[inline(always)]
    fn call<W: Work>(work: W) -> W::Output {
        avx512!(call(work))
    }
    #[inline(always)]
    fn any(mask: Bits) -> bool {
        mask.0 != 0
    }
}
