//! Traces by every instruction set.

mod evaluations;
mod operations;
pub mod run;
mod sums;
