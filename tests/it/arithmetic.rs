//! Gradients, evidences and streams: what could differ between two modes or two instruction sets.
//!
//! `cargo test` compiles this for the processor's own instruction set, CI for all of them as well, which takes more than
//! twice as long: only what needs that is a line here.

mod battery;
mod evidence;
mod families;
mod gradients;
mod reproducibility;
mod structured;
