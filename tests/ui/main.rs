//! What does not compile, and what the user is told: one program for each mistake, with the message in
//! full; `tests/it/fixes/` holds the same programs with the fix that the message names.
//!
//! `TRYBUILD=overwrite cargo test -p bayes-ui-tests` writes the messages anew; read every changed line.

#[test]
fn mistakes_are_explained() {
    let cases = trybuild::TestCases::new();
    for mistake in [
        "signature",
        "sample",
        "observe",
        "control_flow",
        "typo",
        "gradient",
        "function",
        "rows",
        "param",
        "generate",
        "sum_out",
        "dims",
    ] {
        cases.compile_fail(format!("{mistake}/*.rs"));
    }
}
