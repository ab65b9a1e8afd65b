//! The instruction sets of the processor; the build script uses this file too.

/// AVX2 with FMA, and the instructions that every processor with them has.
#[cfg(target_arch = "x86_64")]
pub fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

/// AVX-512 with F, DQ, BW and VL.
#[cfg(target_arch = "x86_64")]
pub fn has_avx512() -> bool {
    has_avx2()
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
}

/// Other processors do not have it.
#[cfg(not(target_arch = "x86_64"))]
pub fn has_avx2() -> bool {
    false
}

/// Other processors do not have it.
#[cfg(not(target_arch = "x86_64"))]
pub fn has_avx512() -> bool {
    false
}
