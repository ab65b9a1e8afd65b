//! The same densities written by hand: what the model language is measured against.

pub mod lanes;
pub mod scalar;
pub mod simd;
