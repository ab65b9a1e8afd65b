//! How replays and functions are compiled: this program contains all of them, optimised as a user's program is.

#![cfg(target_arch = "x86_64")]

use bayes_autodiff::simd::InstructionSet;
use std::collections::BTreeSet;

/// A vector operation of the standard library that is a function of its own in the compiled program was not compiled
/// into the code that it serves: every use of it is a slow call.
#[test]
#[cfg_attr(debug_assertions, ignore = "of optimised code")]
fn no_vector_operation_is_a_call() {
    let program = std::env::current_exe().and_then(std::fs::read);
    let program = program.expect("a program can read itself");
    // in a symbol the name follows its length
    let names = |prefix: &[u8]| -> BTreeSet<String> {
        let starts = program.windows(prefix.len() + 1).enumerate();
        let starts = starts.filter(|(_, w)| w[0].is_ascii_digit() && &w[1..] == prefix);
        starts
            .map(|(start, _)| program[start + 1..].iter())
            .map(|name| name.take_while(|c| c.is_ascii_alphanumeric() || **c == b'_'))
            .map(|name| name.map(|c| char::from(*c)).collect())
            .collect()
    };
    let simd = [b"with_avx2".as_slice(), b"with_avx512"];
    assert!(
        InstructionSet::detect() == InstructionSet::Portable
            || simd.iter().any(|name| !names(name).is_empty()),
        "the names were stripped off"
    );
    let calls: Vec<String> = [b"_mm256_".as_slice(), b"_mm512_"]
        .iter()
        .flat_map(|prefix| names(prefix))
        .collect();
    assert_eq!(calls, Vec::<String>::new());
}
