//! AVX2 with FMA: two registers of four numbers.

use super::{InstructionSet, LANES, Sealed, Simd, Work};
use crate::simd::Mask;
use std::arch::x86_64::*;

/// The arithmetic of processors with AVX2 and FMA.
#[derive(Clone, Copy, Debug, Default)]
pub struct Avx2;

/// Eight numbers.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Lanes(__m256d, __m256d);

/// Eight truth values, all bits of a lane set or none.
#[derive(Clone, Copy, Debug)]
pub struct Bits(__m256d, __m256d);

impl Sealed for Avx2 {}

/// An intrinsic as a safe expression.
macro_rules! avx2 {
    ($call:expr) => {
        // SAFETY: `Avx2` is used only inside `dispatch`, which has checked that the processor has the instructions.
        unsafe { $call }
    };
}

/// The same intrinsic on both halves.
macro_rules! halves {
    ($type:ident, $intrinsic:expr, $($x:ident),+) => {
        $type(avx2!($intrinsic($($x.0),+)), avx2!($intrinsic($($x.1),+)))
    };
}

impl Mask for Bits {
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        halves!(Bits, _mm256_and_pd, self, other)
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        halves!(Bits, _mm256_or_pd, self, other)
    }
    #[inline(always)]
    fn not(self) -> Self {
        let all = avx2!(_mm256_castsi256_pd(_mm256_set1_epi64x(-1)));
        let all = Bits(all, all);
        halves!(Bits, _mm256_xor_pd, self, all)
    }
}

/// `2ⁿ` for whole `-1022 ≤ n ≤ 1023`.
#[inline(always)]
fn power_of_two(n: __m256d) -> __m256d {
    // 2^52 + 2^51 + 1023 + n has the biased exponent in its low bits
    avx2!(_mm256_castsi256_pd(_mm256_slli_epi64::<52>(
        _mm256_castpd_si256(_mm256_add_pd(
            n,
            _mm256_set1_pd(6_755_399_441_055_744.0 + 1023.0)
        ))
    )))
}

/// `x · 2ⁿ` in three steps that stay within the exponents of normal numbers; only the last one rounds.
#[inline(always)]
fn scale_exponent(x: __m256d, n: __m256d) -> __m256d {
    avx2!({
        let (low, high) = (_mm256_set1_pd(-1022.0), _mm256_set1_pd(1023.0));
        let clamp = |n| _mm256_max_pd(low, _mm256_min_pd(high, n));
        let first = clamp(n);
        let n = _mm256_sub_pd(n, first);
        let second = clamp(n);
        let third = clamp(_mm256_sub_pd(n, second));
        let x = _mm256_mul_pd(x, power_of_two(first));
        let x = _mm256_mul_pd(x, power_of_two(second));
        _mm256_mul_pd(x, power_of_two(third))
    })
}

/// Mantissa in [1, 2) and exponent of a positive finite number.
#[inline(always)]
fn split_exponent(x: __m256d) -> (__m256d, __m256d) {
    avx2!({
        let subnormal = _mm256_cmp_pd::<_CMP_LT_OQ>(x, _mm256_set1_pd(f64::MIN_POSITIVE));
        // 2^54 takes the smallest subnormal number to a normal one
        let scaled = _mm256_mul_pd(x, _mm256_set1_pd(18_014_398_509_481_984.0));
        let x = _mm256_blendv_pd(x, scaled, subnormal);
        let bits = _mm256_castpd_si256(x);
        let mantissa = _mm256_or_si256(
            _mm256_and_si256(bits, _mm256_set1_epi64x(0x000f_ffff_ffff_ffff)),
            _mm256_set1_epi64x(0x3ff0_0000_0000_0000),
        );
        // a whole number below 2^52 as the low bits of 2^52 + that number
        let magic = _mm256_set1_pd(4_503_599_627_370_496.0);
        let biased = _mm256_or_si256(_mm256_srli_epi64::<52>(bits), _mm256_castpd_si256(magic));
        let biased = _mm256_sub_pd(_mm256_castsi256_pd(biased), magic);
        let bias = _mm256_blendv_pd(_mm256_set1_pd(1023.0), _mm256_set1_pd(1077.0), subnormal);
        (_mm256_castsi256_pd(mantissa), _mm256_sub_pd(biased, bias))
    })
}

/// Lane `i` of register `k` becomes lane `k` of register `i`.
#[inline(always)]
fn transpose([a, b, c, d]: [__m256d; 4]) -> [__m256d; 4] {
    avx2!({
        let (ab_even, ab_odd) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
        let (cd_even, cd_odd) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
        [
            _mm256_permute2f128_pd::<0x20>(ab_even, cd_even),
            _mm256_permute2f128_pd::<0x20>(ab_odd, cd_odd),
            _mm256_permute2f128_pd::<0x31>(ab_even, cd_even),
            _mm256_permute2f128_pd::<0x31>(ab_odd, cd_odd),
        ]
    })
}

#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
#[inline(never)]
fn call<W: Work>(work: W) -> W::Output {
    work.run::<Avx2>()
}

impl Simd for Avx2 {
    const INSTRUCTION_SET: InstructionSet = InstructionSet::Avx2;
    const IS_CALLED: bool = false;
    const SUMS: usize = 6;
    type Float = Lanes;
    type Mask = Bits;

    #[inline(always)]
    fn splat(x: f64) -> Lanes {
        let x = avx2!(_mm256_set1_pd(x));
        Lanes(x, x)
    }
    #[inline(always)]
    fn load(x: &[f64; LANES]) -> Lanes {
        // SAFETY: as above; both halves of four numbers lie in the array, and the instruction needs no alignment.
        unsafe {
            Lanes(
                _mm256_loadu_pd(x.as_ptr()),
                _mm256_loadu_pd(x.as_ptr().add(4)),
            )
        }
    }
    #[inline(always)]
    fn store(x: Lanes, to: &mut [f64; LANES]) {
        // SAFETY: as in `load`.
        unsafe {
            _mm256_storeu_pd(to.as_mut_ptr(), x.0);
            _mm256_storeu_pd(to.as_mut_ptr().add(4), x.1);
        }
    }
    #[inline(always)]
    fn transpose([a, b, c, d, e, f, g, h]: [Lanes; LANES]) -> [Lanes; LANES] {
        let left = [
            transpose([a.0, b.0, c.0, d.0]),
            transpose([e.0, f.0, g.0, h.0]),
        ];
        let right = [
            transpose([a.1, b.1, c.1, d.1]),
            transpose([e.1, f.1, g.1, h.1]),
        ];
        let [[a, b, c, d], [e, f, g, h]] =
            [left, right].map(|[top, bottom]| [0, 1, 2, 3].map(|i| Lanes(top[i], bottom[i])));
        [a, b, c, d, e, f, g, h]
    }
    #[inline(always)]
    fn add(a: Lanes, b: Lanes) -> Lanes {
        halves!(Lanes, _mm256_add_pd, a, b)
    }
    #[inline(always)]
    fn sub(a: Lanes, b: Lanes) -> Lanes {
        halves!(Lanes, _mm256_sub_pd, a, b)
    }
    #[inline(always)]
    fn mul(a: Lanes, b: Lanes) -> Lanes {
        halves!(Lanes, _mm256_mul_pd, a, b)
    }
    #[inline(always)]
    fn div(a: Lanes, b: Lanes) -> Lanes {
        halves!(Lanes, _mm256_div_pd, a, b)
    }
    #[inline(always)]
    fn mul_add(a: Lanes, b: Lanes, c: Lanes) -> Lanes {
        halves!(Lanes, _mm256_fmadd_pd, a, b, c)
    }
    #[inline(always)]
    fn neg(a: Lanes) -> Lanes {
        let sign = Self::splat(-0.0);
        halves!(Lanes, _mm256_xor_pd, a, sign)
    }
    #[inline(always)]
    fn abs(a: Lanes) -> Lanes {
        let sign = Self::splat(-0.0);
        halves!(Lanes, _mm256_andnot_pd, sign, a)
    }
    #[inline(always)]
    fn copysign(a: Lanes, sign: Lanes) -> Lanes {
        let (bit, size) = (Self::splat(-0.0), Self::abs(a));
        let sign = halves!(Lanes, _mm256_and_pd, bit, sign);
        halves!(Lanes, _mm256_or_pd, size, sign)
    }
    #[inline(always)]
    fn sqrt(a: Lanes) -> Lanes {
        halves!(Lanes, _mm256_sqrt_pd, a)
    }
    #[inline(always)]
    fn round(a: Lanes) -> Lanes {
        halves!(
            Lanes,
            _mm256_round_pd::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>,
            a
        )
    }
    #[inline(always)]
    fn max(a: Lanes, b: Lanes) -> Lanes {
        halves!(Lanes, _mm256_max_pd, a, b)
    }
    #[inline(always)]
    fn min(a: Lanes, b: Lanes) -> Lanes {
        halves!(Lanes, _mm256_min_pd, a, b)
    }
    #[inline(always)]
    fn power_of_two(n: Lanes) -> Lanes {
        Lanes(power_of_two(n.0), power_of_two(n.1))
    }
    #[inline(always)]
    fn scale_exponent(x: Lanes, n: Lanes) -> Lanes {
        Lanes(scale_exponent(x.0, n.0), scale_exponent(x.1, n.1))
    }
    #[inline(always)]
    fn split_exponent(x: Lanes) -> (Lanes, Lanes) {
        let (low, high) = (split_exponent(x.0), split_exponent(x.1));
        (Lanes(low.0, high.0), Lanes(low.1, high.1))
    }
    #[inline(always)]
    fn lt(a: Lanes, b: Lanes) -> Bits {
        halves!(Bits, _mm256_cmp_pd::<_CMP_LT_OQ>, a, b)
    }
    #[inline(always)]
    fn le(a: Lanes, b: Lanes) -> Bits {
        halves!(Bits, _mm256_cmp_pd::<_CMP_LE_OQ>, a, b)
    }
    #[inline(always)]
    fn eq(a: Lanes, b: Lanes) -> Bits {
        halves!(Bits, _mm256_cmp_pd::<_CMP_EQ_OQ>, a, b)
    }
    #[inline(always)]
    fn select(mask: Bits, a: Lanes, b: Lanes) -> Lanes {
        halves!(Lanes, _mm256_blendv_pd, b, a, mask)
    }
    #[inline(always)]
    fn call<W: Work>(work: W) -> W::Output {
        avx2!(call(work))
    }
    #[inline(always)]
    fn any(mask: Bits) -> bool {
        avx2!(_mm256_movemask_pd(mask.0) | _mm256_movemask_pd(mask.1)) != 0
    }
}
