//! The tape at every level.

mod evaluations;
mod operations;
mod run;
mod sums;
