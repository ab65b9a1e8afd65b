//! The same densities written by hand, as the baseline for the model language.

pub mod lanes;
pub mod scalar;
pub mod simd;
