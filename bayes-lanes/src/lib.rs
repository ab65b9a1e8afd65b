//! Plain numbers: eight lanes of them in the instruction set of the processor, and special functions.
//!
//! [`simd`] has the arithmetic and the elementary functions of eight lanes, [`special`] the functions of single numbers that `std` lacks.
//! Nothing here has derivatives in every mode: these are in `bayes-autodiff`, which is made of both.

pub mod simd;
pub mod special;
