//! Traces by every instruction set.

mod evaluations;
mod operations;
mod run;
mod sums;
