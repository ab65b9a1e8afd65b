//! The tests of models, from the macro to the results.
//!
//! One program: a distribution that several models use is compiled once. A new file of tests is a line here.

mod allocations;
mod battery;
mod censored;
mod errors;
mod evidence;
mod expansion;
mod families;
mod fixes;
mod flat;
mod gradients;
mod inspect;
mod language;
mod reproducibility;
mod sbc;
mod structured;
