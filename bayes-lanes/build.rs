//! Chooses the instruction sets for which models are compiled: all, or those named by `BAYES_INSTRUCTION_SETS`.
//!
//! A model is compiled once for each, so a single one takes less than half of the time. Released programs want all:
//! they choose when they run, by the processor.

#[path = "src/simd/processor.rs"]
mod processor;

use std::env;

const VARIABLE: &str = "BAYES_INSTRUCTION_SETS";

/// All of them, from the slowest to the fastest.
const ALL: [&str; 3] = ["portable", "avx2", "avx512"];

fn main() {
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    println!(
        "cargo::rustc-check-cfg=cfg(bayes_instruction_set, values(\"portable\", \"avx2\", \"avx512\"))"
    );
    let wanted = env::var(VARIABLE).unwrap_or_else(|_| ALL.join(","));
    for name in wanted.split(',') {
        let name = if name == "native" { native() } else { name };
        assert!(
            ALL.contains(&name),
            "{VARIABLE} is `{wanted}`, must be names out of native, portable, avx2 and avx512, separated by commas"
        );
        println!("cargo::rustc-cfg=bayes_instruction_set=\"{name}\"");
    }
}

/// The fastest one of the processor that compiles, if it is of the kind that is compiled for.
fn native() -> &'static str {
    let same = env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|target| target == env::consts::ARCH);
    match (same && processor::has_avx2(), processor::has_avx512()) {
        (true, true) => "avx512",
        (true, false) => "avx2",
        (false, _) => "portable",
    }
}
