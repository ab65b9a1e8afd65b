//! What does not compile, and what the user is told: one program for each mistake, with the message in
//! full; `pass/` holds the same programs with the fix that the message names.
//!
//! `TRYBUILD=overwrite cargo test --test ui` writes the messages anew; read every changed line.

#[test]
fn mistakes_are_explained_and_their_fixes_compile() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/pass/*.rs");
    for mistake in [
        "signature",
        "sample",
        "observe",
        "control_flow",
        "typo",
        "gradient",
    ] {
        cases.compile_fail(format!("tests/ui/{mistake}/*.rs"));
    }
}
