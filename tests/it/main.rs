//! The tests of models, from the macro to the results.
//!
//! Few programs: a distribution that several models use is compiled once in each. What depends on the instruction set is
//! in `arithmetic.rs`; everything else is a line here.

mod allocations;
mod censored;
mod errors;
mod expansion;
mod fixes;
mod flat;
mod inspect;
mod language;
mod sbc;
mod seam;
