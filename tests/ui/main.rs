//! Programs that must not compile: one for each mistake, with the full message; `tests/it/fixes/` has
//! the same programs with the fix that the message recommends.
//!
//! `TRYBUILD=overwrite cargo test -p bayes-ui-tests` updates the messages; read every changed line.

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
        "impute",
        "dims",
        "ode",
    ] {
        cases.compile_fail(format!("{mistake}/*.rs"));
    }
}
