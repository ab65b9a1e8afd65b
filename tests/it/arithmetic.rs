//! Gradients, evidences and streams: results that could differ between two modes or two instruction sets.
//!
//! `cargo test` compiles this program for the processor's own instruction set; CI also compiles it for all instruction
//! sets, which takes more than twice as long. So only tests that depend on the instruction set are listed here.

mod battery;
mod evidence;
mod families;
mod fields;
mod gradients;
mod icar;
mod imputed;
mod processes;
mod random_models;
mod reproducibility;
mod state_space;
mod structured;
mod sum_out;
